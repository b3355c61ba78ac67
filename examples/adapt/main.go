// Command adapt carries a classifier of clean digits to noisy ones without
// labels, 20 % of which are nothing but noise.
//
//	go run ./examples/adapt
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"rot.example/rot/da"
	"rot.example/rot/engine"
	"rot.example/rot/runs"
)

func main() {
	// Any data would do that rot da train takes, such as "labelled.csv".
	c := da.Config{
		Source: "synth:digits,n=800", Target: "synth:digits,n=800,noise=0.5,seed=1", Outliers: "uniform@0.2",
		Steps: 200, Batch: 32,
	}
	if err := c.Complete(); err != nil {
		log.Fatal(err)
	}
	domains, _, err := da.Load(&c)
	if err != nil {
		log.Fatal(err)
	}
	backend, err := engine.Open("auto", nil)
	if err != nil {
		log.Fatal(err)
	}
	trainer, err := da.New(c, domains, backend)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rot") // runs.Create makes a folder that can be resumed
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	run, err := runs.Create(dir, "digits", "da", trainer.Config())
	if err != nil {
		log.Fatal(err)
	}
	if err := trainer.Run(context.Background(), run, nil); err != nil {
		log.Fatal(err)
	}
	weights, err := trainer.Weights() // mean 1; low means that it does not belong
	if err != nil {
		log.Fatal(err)
	}
	if err := trainer.UseBest(); err != nil { // the model that was picked without labels
		log.Fatal(err)
	}
	e, err := trainer.Evaluate(domains.Target, domains.Known, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f %% right on the digits\n", 100*e.Accuracy)
	for i := range 5 {
		fmt.Printf("sample %d is a %s (%.0f %% sure), weight %.2f\n", i, c.Classes[e.Predict[i]], 100*e.Sure[i], weights[i])
	}
}
