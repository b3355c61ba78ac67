package metrics_test

import (
	"fmt"
	"log"

	"rot.example/rot/metrics"
)

// Do the weights of a robust run find the outliers?
func ExampleAUROC() {
	weights := []float64{1.2, 1.1, 0.4, 1.3, 0.1, 0.9}
	outlier := []bool{false, false, true, false, true, false}
	score := make([]float64, len(weights))
	for i, w := range weights {
		score[i] = -w // low weight: suspect
	}
	auroc, err := metrics.AUROC(score, outlier)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(auroc)
	// Output: 1
}

// How far are generated images from real ones, by features of each?
func ExampleMoments() {
	var real, fake metrics.Moments
	for _, batch := range [][]float32{{0, 0, 2, 0}, {0, 2, 2, 2}} { // two vectors of dimension 2 each
		if err := real.Add(metrics.Vectors{Dim: 2, Values: batch}); err != nil {
			log.Fatal(err)
		}
		for i := range batch {
			batch[i] += 3
		}
		if err := fake.Add(metrics.Vectors{Dim: 2, Values: batch}); err != nil {
			log.Fatal(err)
		}
	}
	fid, err := metrics.Frechet(&real, &fake)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", fid)
	// Output: 18.000
}

func ExamplePrecisionRecall() {
	real := metrics.Vectors{Dim: 1, Values: []float32{0, 1, 2, 3}}
	fake := metrics.Vectors{Dim: 1, Values: []float32{0, 0.25, 0.5, 0.75}} // good, but only half of what there is
	precision, recall, err := metrics.PrecisionRecall(real, fake, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(precision, recall)
	// Output: 1 0.5
}
