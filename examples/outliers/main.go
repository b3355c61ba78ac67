// Command outliers measures how far a dirty sample is from a clean one, plain
// and robust, and lists the rows that robust transport set aside.
//
//	go run ./examples/outliers
package main

import (
	"context"
	"fmt"
	"log"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

func main() {
	// Any file that rot dist takes would do: dataset.Load("today.csv", nil).
	today, err := dataset.Load("synth:outliers,n=200,gamma=0.03", nil) // 6 bad rows
	if err != nil {
		log.Fatal(err)
	}
	reference, err := dataset.Load("synth:gauss,n=300,seed=1", nil)
	if err != nil {
		log.Fatal(err)
	}
	problem, err := ot.NewProblem(&today.Points, &reference.Points, ot.Euclidean)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	plain, err := ot.Exact(ctx, problem, nil)
	if err != nil {
		log.Fatal(err)
	}
	ball, err := chisq.FromGamma(0.05) // room to set 5 % aside
	if err != nil {
		log.Fatal(err)
	}
	robust, err := ot.Robust(ctx, problem, &ot.RobustOptions{Source: ball})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("plain  %.4f\n", plain.Value)
	fmt.Printf("robust %.4f, proven to be no less than %.4f\n", robust.Value, robust.Lower)
	for i, w := range robust.SourceWeights() { // mean 1
		if w < 0.5 {
			fmt.Printf("row %3d has weight %.2f, label %s\n", i, w, today.Labels[i])
		}
	}
}
