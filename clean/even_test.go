package clean

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/internal/standout"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// noisy returns rows of which the first are foreign, with the distance off between
// them and the others and a spread of their own, and scores that tell them poorly.
func noisy(n, foreign int, off, spread float64, seed uint64) (*ot.Points, []float64, []bool) {
	const dim = 24
	rng := rand.New(rand.NewPCG(seed, 3))
	x := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
	score, mark := make([]float64, n), make([]bool, n)
	for i := range n {
		mark[i] = i < foreign
		row := x.Row(i)
		normalRow(rng, i, row)
		score[i] = rng.NormFloat64()
		if mark[i] {
			for j := range row {
				row[j] *= spread
			}
			row[0] += off
			score[i] += 2
		}
	}
	return x, score, mark
}

// TestEvened: rows of a crowd share their scores, also one that is divided among
// several parts, and those that lie alone keep theirs.
func TestEvened(t *testing.T) {
	for _, tt := range []struct {
		name        string
		n           int
		off, spread float64
		least       float64
	}{
		{"a crowd", 1000, 8, 0.7, 0.999},
		{"a crowd in three parts", 6000, 8, 0.7, 0.999},
		{"rows that lie alone", 1000, 0, 5, 0.91}, // their scores have 0.92
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, score, foreign := noisy(tt.n, tt.n/20, tt.off, tt.spread, 1)
			got, err := Evened(t.Context(), x, score)
			if err != nil {
				t.Fatal(err)
			}
			before, err := metrics.AUROC(score, foreign)
			if err != nil || before > 0.95 {
				t.Fatalf("AUROC of the scores is %v, %v", before, err)
			}
			if a, err := metrics.AUROC(got, foreign); err != nil || a < tt.least {
				t.Errorf("AUROC is %v, %v, before %v", a, err, before)
			}
		})
	}
}

// TestEvenedFew: the scores of few rows stay, in the unit of the others.
func TestEvenedFew(t *testing.T) {
	x, score, _ := noisy(evenLeast-1, 20, 8, 0.7, 1)
	got, err := Evened(t.Context(), x, score)
	if err != nil || !slices.Equal(got, standout.Standard(score)) {
		t.Errorf("other scores, %v", err)
	}
}

// TestEvenedRowOrder: neither the order of the rows matters, nor which of equal
// rows one is.
func TestEvenedRowOrder(t *testing.T) {
	for _, n := range []int{600, 3000} { // one part and two
		x, score, _ := noisy(n, n/20, 8, 0.7, 2)
		for i := n / 2; i < n/2+n/10; i++ { // a tenth has equals
			copy(x.Row(i), x.Row(i+n/10))
			score[i] = score[i+n/10]
		}
		want, err := Evened(t.Context(), x, score)
		if err != nil {
			t.Fatal(err)
		}
		perm := rand.New(rand.NewPCG(7, 7)).Perm(n)
		y, s := &ot.Points{Dim: x.Dim}, make([]float64, n)
		for k, i := range perm {
			y.Coords, s[k] = append(y.Coords, x.Row(i)...), score[i]
		}
		got, err := Evened(t.Context(), y, s)
		if err != nil {
			t.Fatal(err)
		}
		for k, i := range perm {
			if got[k] != want[i] {
				t.Fatalf("n=%d: row %d has score %v, elsewhere %v", n, i, want[i], got[k])
			}
		}
		for i := n / 2; i < n/2+n/10; i++ {
			if want[i] != want[i+n/10] {
				t.Fatalf("n=%d: rows %d and %d are equal, their scores are %v and %v", n, i, i+n/10, want[i], want[i+n/10])
			}
		}
	}
}

func TestEvenedErrors(t *testing.T) {
	x, score, _ := noisy(600, 30, 8, 0.7, 1)
	if _, err := Evened(t.Context(), x, score[1:]); !errors.Is(err, ot.ErrShape) {
		t.Errorf("a score too few: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evened(ctx, x, score); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
