package gan_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/runs"
)

// A robust GAN on eight Gaussians, of which 5 % are garbage.
func ExampleTrainer_Run() {
	c, err := gan.Preset("mlp")
	if err != nil {
		log.Fatal(err)
	}
	c.Data, c.Outliers = "synth:eight,n=400", "synth:far@0.05"
	c.Steps, c.SampleEvery = 20, 20 // thousands, when it matters
	data, _, err := gan.Load(&c, false)
	if err != nil {
		log.Fatal(err)
	}
	backend, err := engine.Open("auto", nil)
	if err != nil {
		log.Fatal(err)
	}
	trainer, err := gan.New(c, data, backend)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	run, err := runs.Create(dir, "eight", "", c)
	if err != nil {
		log.Fatal(err)
	}
	if err := trainer.Run(context.Background(), run, nil); err != nil {
		log.Fatal(err)
	}
	weights, err := trainer.Weights()
	if err != nil {
		log.Fatal(err)
	}
	samples, err := trainer.Sample(100, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trainer.Step(), "steps,", len(weights), "weights,", len(samples.Points)/samples.Dim, "samples")
	// Output: 20 steps, 400 weights, 100 samples
}
