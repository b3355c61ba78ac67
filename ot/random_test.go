package ot

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rot.example/rot/chisq"
)

var (
	randomCount = flag.Uint64("random", 400, "random instances to try")
	randomFirst = flag.Uint64("first", 0, "seed of the first of them")
)

// randomInstance draws a small problem of a kind that has broken solvers
// before: ties, duplicates, overlaps, weights and costs over many decades.
func randomInstance(seed uint64, sizes []int) (p *Problem, rho1, rho2 float64, name string) {
	r := rand.New(rand.NewPCG(seed, 11))
	m, n := sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]
	kinds := []string{"gauss", "grid", "duplicates", "uniform", "wide", "overlap", "outliers", "ties", "identical", "points", "cityblock"}
	kind := kinds[r.IntN(len(kinds))]
	d := 1 + r.IntN(3)
	x, y := normal(r, m, d, 0), normal(r, n, d, 0)
	switch kind {
	case "grid":
		for _, q := range []*Points{x, y} {
			for k := range q.Coords {
				q.Coords[k] = math.Round(q.Coords[k])
			}
		}
	case "duplicates":
		for i := range m {
			copy(x.Row(i), x.Row(r.IntN(1+m/3)))
		}
		for j := range n {
			copy(y.Row(j), y.Row(r.IntN(1+n/3)))
		}
	case "overlap":
		copy(y.Coords, x.Coords[:min(m, n)*d])
	case "identical":
		copy(y.Coords, x.Coords[:min(m, n)*d])
		if r.IntN(3) == 0 {
			for i := range m {
				copy(x.Row(i), x.Row(0))
			}
		}
	case "outliers":
		for i := range max(1, m/20) {
			x.Row(i)[0] += 20
		}
		for j := range max(1, n/20) {
			y.Row(j)[0] -= 15
		}
	}
	metric := SqEuclidean
	if kind == "cityblock" || kind == "points" && r.IntN(2) == 0 {
		metric = Cityblock
	}
	cost, err := NewCost(x, y, metric)
	if err != nil {
		panic(err)
	}
	if kind == "uniform" || kind == "wide" || kind == "ties" || r.IntN(3) == 0 {
		mat := make([]float64, m*n)
		scale, offset := 1.0, 0.0
		if r.IntN(5) == 0 {
			scale = math.Pow(10, float64(r.IntN(18)-9))
		}
		if r.IntN(10) == 0 {
			offset = []float64{-1, 1, 100}[r.IntN(3)]
		}
		for k := range mat {
			switch kind {
			case "uniform":
				mat[k] = r.Float64()
			case "wide":
				mat[k] = math.Pow(10, 12*r.Float64()-6)
			case "ties":
				mat[k] = float64(r.IntN(3))
			default:
				mat[k] = cost.At(k/n, k%n)
			}
			mat[k] = scale * (mat[k] + offset)
		}
		if cost, err = NewMatrixCost(m, n, mat); err != nil {
			panic(err)
		}
	}
	weights := func(n int) []float64 {
		w := make([]float64, n)
		kind := r.IntN(4)
		for i := range w {
			switch kind {
			case 0:
				w[i] = 1
			case 1:
				w[i] = r.Float64() + 0.05
			case 2:
				w[i] = math.Pow(10, -6*r.Float64())
			case 3:
				w[i] = float64(1 + r.IntN(3))
				if i > 0 && r.IntN(4) == 0 {
					w[i] = 0
				}
			}
		}
		return w
	}
	rhos := []float64{0, 0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 0.01, 0.03, 0.05, 0.1, 0.3, 1, 3, 10, 100}
	rho1, rho2 = rhos[r.IntN(len(rhos))], rhos[r.IntN(len(rhos))]
	if r.IntN(10) == 0 {
		rho2 = rho1
	}
	p = &Problem{Cost: cost, A: weights(m), B: weights(n)}
	return p, rho1, rho2, fmt.Sprintf("seed %d: %s %d×%d ρ=%g,%g", seed, kind, m, n, rho1, rho2)
}

func checkRandom(t *testing.T, seed uint64, sizes []int) {
	p, rho1, rho2, name := randomInstance(seed, sizes)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho1}, Target: chisq.Ball{Rho: rho2}})
	tol := 1e-9
	if late := (*ConvergenceError)(nil); errors.As(err, &late) && strings.Contains(name, "wide") && late.Gap < 1e-5 {
		tol = 1e-5 // costs over twelve decades: what is left is rounding, and the bounds say so
	} else if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	before := t.Failed()
	verify(t, p, res, rho1, rho2, tol)
	if t.Failed() && !before {
		t.Errorf("^ %s", name)
	}
}

func TestRandomInstances(t *testing.T) {
	for seed := range uint64(*randomCount) {
		checkRandom(t, seed+*randomFirst, []int{1, 2, 3, 5, 10, 20, 40, 60})
	}
}
