package clean_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

// spiral is points on a curve, and one that is not.
func spiral() *ot.Points {
	x := &ot.Points{Dim: 2}
	for k := range 60 {
		t := 0.1 * float64(k)
		x.Coords = append(x.Coords, math.Cos(t), t)
	}
	x.Coords[2*17] = 9
	return x
}

func ExampleFind() {
	x := spiral()
	r, err := clean.Find(context.Background(), x, &clean.Options{Gamma: 0.02})
	if err != nil {
		log.Fatal(err)
	}
	worst := r.Order()[0]
	fmt.Println("row", worst, "dropped:", r.Suspect[worst])
	for _, c := range r.Causes(x.Row(worst), 3) {
		fmt.Printf("column %d is %g, %.1f deviations from the median\n", c.Column, c.Value, c.Z)
	}
	// Output:
	// row 17 dropped: true
	// column 0 is 9, 8.6 deviations from the median
}

func ExampleAgainst() {
	reference := spiral()
	reference.Coords[2*17] = math.Cos(1.7) // as it should be
	r, err := clean.Against(context.Background(), spiral(), reference, &clean.Options{Gamma: 0.02})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("row", r.Order()[0])
	// Output: row 17
}
