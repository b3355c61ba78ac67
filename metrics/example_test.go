package metrics_test

import (
	"fmt"
	"log"

	"rot/metrics"
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
