package features_test

import (
	"context"
	"fmt"
	"log"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/features"
)

// How many of some images are outliers, by a classifier with a class for them.
func ExampleTrainClassifier() {
	backend, err := engine.Open("cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	load := func(spec string) *dataset.Images {
		im, err := dataset.LoadImages(spec, &dataset.ImageOptions{Size: 16})
		if err != nil {
			log.Fatal(err)
		}
		return im
	}
	ctx := context.Background()
	both, err := features.WithOutliers(load("synth:digits,n=200"), load("synth:shapes,n=100"))
	if err != nil {
		log.Fatal(err)
	}
	c, err := features.TrainClassifier(ctx, backend, both, &features.ClassifierOptions{Steps: 20, Batch: 32})
	if err != nil {
		log.Fatal(err)
	}
	_, p, err := c.Classify(ctx, load("synth:shapes,n=10,seed=3"), nil)
	if err != nil {
		log.Fatal(err)
	}
	outlier, share := c.Classes()-1, float32(0)
	for i := outlier; i < len(p); i += c.Classes() {
		share += p[i] / 10
	}
	fmt.Println(c.ClassNames()[outlier], share > 0.5)
	// Output: outlier true
}
