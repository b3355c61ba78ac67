// Command clean ranks the rows of a table by how little they belong, and says
// what is odd about the worst.
//
//	go run ./examples/clean
package main

import (
	"context"
	"fmt"
	"log"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
)

func main() {
	// Any file that rot clean takes would do: dataset.Load("rows.csv", nil).
	rows, err := dataset.Load("synth:outliers,n=500,d=4,gamma=0.02", nil) // 10 bad rows
	if err != nil {
		log.Fatal(err)
	}
	found, err := clean.Find(context.Background(), &rows.Points, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a rough guess: %.1f %% do not belong\n", 100*found.Gamma)
	for _, i := range found.Order()[:12] {
		fmt.Printf("row %3d, score %4.1f, weight %.2f, label %s:", i, found.Score[i], found.Weight[i], rows.Labels[i])
		for _, c := range found.Causes(rows.Points.Row(i), 2) {
			fmt.Printf(" column %d is %.2f (%+.1f)", c.Column, c.Value, c.Z)
		}
		fmt.Println()
	}
}
