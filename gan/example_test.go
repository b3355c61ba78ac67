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
	c := gan.Config{Data: "synth:eight,n=400", Outliers: "synth:far@0.05", Steps: 20} // thousands, when it matters
	if err := c.Complete(); err != nil {
		log.Fatal(err)
	}
	data, _, err := gan.Load(&c)
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
	run, err := runs.Create(dir, "eight", "gan", trainer.Config())
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

// A Config needs data, and what matters to you; Complete knows the rest.
func ExampleConfig_Complete() {
	c := gan.Config{Data: "synth:eight", RhoAuto: true, LR: 0.001}
	if err := c.Complete(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("robust:", c.Preset, c.Loss, c.Weights, c.Steps, c.SampleEvery, c.WeightLR)

	plain := gan.Config{Data: "synth:digits", Loss: gan.Hinge}
	if err := plain.Complete("rho"); err != nil { // Rho is meant to be 0
		log.Fatal(err)
	}
	fmt.Println("plain:", plain.Preset, plain.Loss, plain.Rho, plain.CriticSteps)

	wrong := gan.Config{Data: "synth:eight", Steps: -1, EMA: 2}
	fmt.Println(wrong.Complete())
	// Output:
	// robust: mlp wasserstein transport 6000 600 0.001
	// plain: tiny hinge 0 1
	// gan: steps is -1 and must be at least 1
	// gan: ema is 2 and must be in [0, 1)
}
