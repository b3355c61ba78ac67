package page_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"rot.example/rot/ot"
	"rot.example/rot/page"
)

func ExampleDistance() {
	today, err := ot.FromRows([][]float64{{0.1, 0}, {1, 0.9}, {0, 1.1}, {1, 0}, {50, 60}}) // The last row is an outlier.
	if err != nil {
		log.Fatal(err)
	}
	reference, err := ot.FromRows([][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0.1}})
	if err != nil {
		log.Fatal(err)
	}
	problem, err := ot.NewProblem(today, reference, ot.Euclidean)
	if err != nil {
		log.Fatal(err)
	}
	result, err := ot.Solve(context.Background(), problem, &ot.SolveOptions{Rho: 0.15})
	if err != nil {
		log.Fatal(err)
	}

	// Three lines make the page.
	path := filepath.Join(os.TempDir(), "distance.html")
	opts := &page.DistanceOptions{Source: &page.Sample{Name: "today", Points: today}, Target: &page.Sample{Name: "reference", Points: reference}}
	if err := page.Distance(result, opts).WriteFile(path); err != nil {
		log.Fatal(err)
	}

	fmt.Printf("%s costs %.3f; row %d is the worst\n", result.Kind(), result.Value, result.Source.Suspects[0].Row)
	// Output: robust transport costs 0.100; row 4 is the worst
}
