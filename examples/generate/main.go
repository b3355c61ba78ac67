// Command generate trains a GAN on points of which 5 % are garbage, without
// learning the garbage, and lists what it takes for garbage.
//
//	go run ./examples/generate
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"rot.example/rot/chisq"
	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/runs"
)

func main() {
	ball, err := chisq.FromGamma(0.1) // room to set 10 % aside
	if err != nil {
		log.Fatal(err)
	}
	// Any data would do that rot gan train takes, such as "photos/".
	c := gan.Config{Data: "synth:eight,n=4000", Outliers: "synth:far@0.05", Rho: ball.Rho}
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
	dir, err := os.MkdirTemp("", "rot") // runs.Create makes a folder that can be resumed
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	run, err := runs.Create(dir, "eight", "gan", trainer.Config())
	if err != nil {
		log.Fatal(err)
	}
	err = trainer.Run(context.Background(), run, &gan.RunOptions{Hooks: gan.Hooks{Step: func(r gan.Record) {
		if r.Step%1000 == 0 {
			fmt.Printf("step %d, critic loss %.3f, divergence of the weights %.3f\n", r.Step, r.CriticLoss, r.Divergence)
		}
	}}})
	if err != nil {
		log.Fatal(err)
	}
	weights, err := trainer.Weights() // mean 1
	if err != nil {
		log.Fatal(err)
	}
	low, right := 0, 0
	for i, w := range weights {
		if w < 0.5 {
			low++
			if data.Outlier[i] {
				right++
			}
		}
	}
	fmt.Printf("%d of %d points lost their weight, %d of them outliers\n", low, len(weights), right)
	samples, err := trainer.Sample(5, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("five samples: %.2f\n", samples.Points)
}
