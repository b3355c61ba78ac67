package ot_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

func ExampleFromRows() {
	p, err := ot.FromRows([][]float64{{0, 0}, {3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Len(), "rows in", p.Dim, "dimensions")
	_, err = ot.FromRows([][]float64{{0, 0}, {3}})
	fmt.Println(err)
	// Output:
	// 2 rows in 2 dimensions
	// ot: row 1 has 1 columns, row 0 has 2: shapes do not fit
}

func ExampleNewProblem() {
	x := &ot.Points{Dim: 2, Coords: []float64{0, 0, 3, 4}, Weights: []float64{3, 1}}
	y := &ot.Points{Dim: 2, Coords: []float64{0, 0}}
	p, err := ot.NewProblem(x, y, ot.Euclidean)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Cost.At(1, 0))
	_, err = ot.NewProblem(x, &ot.Points{Dim: 2, Coords: []float64{1, math.NaN()}}, ot.Euclidean)
	fmt.Println(err)
	// Output:
	// 5
	// ot: target row 0 column 1 is NaN: value is not usable
}

func ExampleNewMatrixCost() {
	cost, err := ot.NewMatrixCost(2, 3, []float64{
		4, 1, 3,
		2, 0, 5,
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := ot.Exact(context.Background(), &ot.Problem{Cost: cost}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for k := range r.Plan.Len() {
		fmt.Printf("%d → %d: %.3f\n", r.Plan.I[k], r.Plan.J[k], r.Plan.Mass[k])
	}
	fmt.Printf("value %.3f\n", r.Value)
	// Unordered output:
	// 0 → 1: 0.167
	// 0 → 2: 0.333
	// 1 → 0: 0.333
	// 1 → 1: 0.167
	// value 1.833
}

func ExampleExact() {
	r, err := ot.Exact(context.Background(), twoLines(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("value %.2f, no plan is below %.2f\n", r.Value, r.Lower)
	// Output: value 12.00, no plan is below 12.00
}

// The last source is far from everything. A ball for a quarter of garbage
// leaves room to drop it.
func ExampleRobust() {
	ball, err := chisq.FromGamma(0.25)
	if err != nil {
		log.Fatal(err)
	}
	r, err := ot.Robust(context.Background(), twoLines(), &ot.RobustOptions{Source: ball})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ρ = %.3f: value %.3f, certified to %.0e\n", ball.Rho, r.Value, max(r.RelGap(), 1e-15))
	fmt.Printf("source weights %.2f\n", r.SourceWeights())
	// Output:
	// ρ = 0.167: value 0.992, certified to 6e-15
	// source weights [1.30 1.33 1.36 0.00]
}

func ExampleCurve() {
	c, err := ot.Curve(context.Background(), twoLines(), []float64{0, 0.05, 0.1, 0.15, 0.2, 0.3}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range c.Points {
		fmt.Printf("V(%.2f) = %.2f\n", q.Rho, q.Value)
	}
	lower, upper := c.Bounds(0.17)
	fmt.Printf("V(0.17) is between %.2f and %.2f\n", lower, upper)
	fmt.Println("elbow at", c.Elbow)
	// Output:
	// V(0.00) = 12.00
	// V(0.05) = 5.97
	// V(0.10) = 3.47
	// V(0.15) = 1.56
	// V(0.20) = 0.82
	// V(0.30) = 0.75
	// V(0.17) is between 0.89 and 1.25
	// elbow at 0.15
}

func ExampleTheorem2() {
	outlier := []bool{false, false, false, true}
	b, err := ot.Theorem2(context.Background(), twoLines(), outlier)
	if err != nil {
		log.Fatal(err)
	}
	ball, err := chisq.FromGamma(b.Gamma)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("γ = %.2f, W(clean, target) = %.2f, k = %.1f\n", b.Gamma, b.Clean, b.K)
	fmt.Printf("V(0) ≤ %.2f, V(%.3f) ≤ %.2f\n", b.At(0), ball.Rho, b.At(ball.Rho))
	// Output:
	// γ = 0.25, W(clean, target) = 1.00, k = 49.0
	// V(0) ≤ 13.25, V(0.167) ≤ 1.00
}

func ExampleCertify() {
	cost, err := ot.NewMatrixCost(2, 2, []float64{
		1, 3,
		2, 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	plan := &ot.Plan{I: []int32{0, 1}, J: []int32{1, 0}, Mass: []float64{0.5, 0.5}}
	c, err := ot.Certify(context.Background(), &ot.Problem{Cost: cost}, plan, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("feasible: %v, costs %.3g, at most %.3g above the optimum\n", c.Feasible, c.Value, c.Gap())
	// Output: feasible: true, costs 2.5, at most 1.5 above the optimum
}
