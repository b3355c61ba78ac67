package features_test

import (
	"context"
	"fmt"
	"log"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
)

// Vectors without a trained network: which two images are alike?
func ExampleDescriptor() {
	im, err := dataset.LoadImages("synth:shapes,n=4,seed=1", nil)
	if err != nil {
		log.Fatal(err)
	}
	var d features.Descriptor
	vectors, err := d.Embed(context.Background(), im, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(vectors)/d.Dim(), "vectors of dimension", d.Dim())
	// Output: 4 vectors of dimension 384
}

// The Fréchet inception distance between two folders of images, a batch at a
// time.
func ExampleNet_Each() {
	backend, err := engine.Open("auto", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer backend.Close()
	net, err := features.Open(backend, "inception.safetensors")
	if err != nil {
		log.Fatal(err)
	}
	var moments [2]metrics.Moments
	for i, folder := range []string{"real", "fake"} {
		im, err := dataset.LoadImages(folder, nil)
		if err != nil {
			log.Fatal(err)
		}
		err = net.Each(context.Background(), im, nil, func(vectors, _ []float32) error {
			return moments[i].Add(metrics.Vectors{Dim: net.Dim(), Values: vectors})
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	fid, err := metrics.Frechet(&moments[0], &moments[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("FID %.2f\n", fid)
}
