package da_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"rot.example/rot/da"
	"rot.example/rot/engine"
	"rot.example/rot/runs"
)

// A classifier of clean digits, carried to noisy ones.
func ExampleTrainer_Run() {
	c := da.Config{
		Source: "synth:digits,n=100", Target: "synth:digits,n=100,noise=0.3,seed=1",
		Steps: 12, Batch: 16, // thousands of steps, when it matters
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
	dir, err := os.MkdirTemp("", "runs")
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
	if err := trainer.UseBest(); err != nil {
		log.Fatal(err)
	}
	e, err := trainer.Evaluate(domains.Target, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trainer.Step(), "steps,", len(e.Predict), "predictions of", len(c.Classes), "classes")
	// Output: 12 steps, 100 predictions of 10 classes
}

// A Config needs data, and what matters to you; Complete knows the rest.
func ExampleConfig_Complete() {
	c := da.Config{Source: "synth:digits", Target: "synth:digits,noise=0.3", Steps: 600}
	if err := c.Complete(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Net, c.Method, c.Rho, c.WarmUp, c.BankEvery, c.EvalEvery)
	// Output: lenet robust 0.2 150 50 50
}
