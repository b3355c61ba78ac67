package ot_test

import (
	"context"
	"fmt"
	"log"

	"rot.example/rot/ot"
)

// twoLines is four points on a line and where they went; one is an outlier.
func twoLines() *ot.Problem {
	x := &ot.Points{Dim: 1, Coords: []float64{0, 1, 2, 50}}
	y := &ot.Points{Dim: 1, Coords: []float64{0.5, 1.5, 2.5, 3.5}}
	p, err := ot.NewProblem(x, y, ot.Euclidean)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func ExampleOneD() {
	r, err := ot.OneD(context.Background(), twoLines(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for k := range r.Plan.Len() {
		fmt.Printf("%d → %d: %.2f\n", r.Plan.I[k], r.Plan.J[k], r.Plan.Mass[k])
	}
	fmt.Printf("value %.2f, gap %.0f\n", r.Value, r.Gap())
	// Output:
	// 0 → 0: 0.25
	// 1 → 1: 0.25
	// 2 → 2: 0.25
	// 3 → 3: 0.25
	// value 12.00, gap 0
}

func ExampleEntropic() {
	r, err := ot.Entropic(context.Background(), twoLines(), &ot.EntropicOptions{Epsilon: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("plain transport costs between %.1f and %.1f\n", r.Lower, r.Value)
	// Output: plain transport costs between 12.0 and 12.2
}

func ExampleUnbalanced() {
	r, err := ot.Unbalanced(context.Background(), twoLines(), &ot.UnbalancedOptions{Penalty: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("source weights %.2f\n", r.SourceWeights())
	fmt.Printf("value %.3f = transport %.3f + penalties\n", r.Value, r.Transport)
	// Output:
	// source weights [0.88 0.88 1.00 0.00]
	// value 0.828 = transport 0.406 + penalties
}

func ExamplePartial() {
	r, err := ot.Partial(context.Background(), twoLines(), &ot.PartialOptions{Mass: 0.75})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("value %.3f, kept %.0f\n", r.Value, r.SourceWeights())
	// Output: value 0.375, kept [1 1 1 0]
}
