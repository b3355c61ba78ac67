package chisq_test

import (
	"fmt"
	"log"

	"rot.example/rot/chisq"
)

func ExampleBall_Minimize() {
	scores := []float64{1, 2, 1, 90} // The last sample is an outlier.
	w, err := chisq.Ball{Rho: 0.125}.Minimize(nil, scores)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", w)
	// Output: [1.29 1.28 1.29 0.13]
}

func ExampleBall_Solve() {
	scores := []float64{0, 1, 8}
	base := []float64{0.5, 0.25, 0.25}
	w, s, err := chisq.Ball{Rho: 0.25}.Solve(nil, scores, base)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("weights %.3f\n", w)
	fmt.Printf("value %.3f, falls by %.3f per unit of rho\n", s.Value, s.Lambda)
	fmt.Printf("scores from %.3f on have weight zero\n", s.Threshold)
	// Output:
	// weights [0.833 0.167 0.000]
	// value 0.167, falls by 1.000 per unit of rho
	// scores from 1.667 on have weight zero
}

func ExampleBall_Project() {
	w, err := chisq.Ball{Rho: 0.5}.Project(nil, []float64{3, 1.5, -2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f, divergence %.3f\n", w, chisq.Divergence(w))
	// Output: [2.250 0.750 0.000], divergence 0.438
}

func ExampleFromGamma() {
	ball, err := chisq.FromGamma(0.2) // One sample in five may be dropped.
	if err != nil {
		log.Fatal(err)
	}
	w, err := ball.Minimize(nil, []float64{0, 0, 0, 0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ball.Rho, w)
	// Output: 0.125 [1.25 1.25 1.25 1.25 0]
}

func ExampleBank() {
	bank, err := chisq.NewBank(4, chisq.Ball{Rho: 0.125})
	if err != nil {
		log.Fatal(err)
	}
	if err := bank.Update([]float64{1, 2, 1, 90}); err != nil {
		log.Fatal(err)
	}
	batch, err := bank.Gather(nil, []int{3, 0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, effective sample size %.1f\n", batch, chisq.EffectiveSampleSize(bank.Weights()))
	// Output: [0.13 1.29], effective sample size 3.2
}
