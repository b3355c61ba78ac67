// Command curve asks how the robust distance falls as more of the source may
// be set aside, and where it bends. It draws the curve into the file that is
// named, a PNG or SVG.
//
//	go run ./examples/curve
//	go run ./examples/curve curve.svg
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

func main() {
	today, err := dataset.Load("synth:outliers,n=500", nil) // 5 % are bad
	if err != nil {
		log.Fatal(err)
	}
	reference, err := dataset.Load("synth:gauss,n=500,seed=1", nil)
	if err != nil {
		log.Fatal(err)
	}
	problem, err := ot.NewProblem(&today.Points, &reference.Points, ot.Euclidean)
	if err != nil {
		log.Fatal(err)
	}
	curve, err := ot.Curve(context.Background(), problem, nil, nil) // nil: the usual radii
	if err != nil {
		log.Fatal(err)
	}
	fig := &figure.Curve{Title: "How much is garbage?", Elbow: curve.Elbow, Plain: curve.Plain}
	for _, p := range curve.Points {
		fig.Rho, fig.Value, fig.Lower = append(fig.Rho, p.Rho), append(fig.Value, p.Value), append(fig.Lower, p.Lower)
		fmt.Printf("ρ = %-6g V between %.4f and %.4f\n", p.Rho, p.Lower, p.Value)
	}
	fmt.Printf("elbow at ρ = %g: room for %.1f %% of the rows\n", curve.Elbow, 100*chisq.Ball{Rho: curve.Elbow}.Gamma())
	if len(os.Args) > 1 {
		if err := figure.Save(os.Args[1], fig, nil); err != nil {
			log.Fatal(err)
		}
	}
}
