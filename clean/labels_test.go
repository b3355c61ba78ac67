package clean_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

// TestLabels finds the labels that were changed, and calls none wrong where
// they have nothing to do with the rows.
func TestLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	const n = 300
	x := &ot.Points{Dim: 2}
	labels, wrong, random := make([]string, n), make([]bool, n), make([]string, n)
	for i := range n {
		side := rng.IntN(2)
		x.Coords = append(x.Coords, rng.NormFloat64()+6*float64(side), rng.NormFloat64())
		wrong[i] = rng.Float64() < 0.05
		labels[i], random[i] = "left", "left"
		if (side == 1) != wrong[i] {
			labels[i] = "right"
		}
		if rng.IntN(2) == 1 {
			random[i] = "right"
		}
	}
	r, err := clean.Labels(context.Background(), x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	extra := 0
	for i, s := range r.Suspect {
		if wrong[i] && !s {
			t.Errorf("row %d: the label is wrong, score %v", i, r.Score[i])
		} else if s && !wrong[i] {
			extra++
		}
	}
	if extra > 2 { // the sides are six deviations apart
		t.Errorf("%d labels that are right are suspects", extra)
	}
	if r, err = clean.Labels(context.Background(), x, random, nil); err != nil {
		t.Fatal(err)
	}
	for i, s := range r.Suspect {
		if s {
			t.Fatalf("row %d is a suspect of random labels", i)
		}
	}
}

// TestLabelsOneColumn has labels that one column of twenty tells, of which
// partners by transport see little and forests all.
func TestLabelsOneColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	const n = 300
	x := &ot.Points{Dim: 20}
	labels, wrong := make([]string, n), make([]bool, n)
	planted := 0
	for i := range n {
		side := rng.IntN(3)
		x.Coords = append(x.Coords, 6*float64(side)+rng.NormFloat64())
		for range x.Dim - 1 {
			x.Coords = append(x.Coords, rng.NormFloat64())
		}
		if wrong[i] = rng.Float64() < 0.1; wrong[i] {
			side = (side + 1 + rng.IntN(2)) % 3
			planted++
		}
		labels[i] = []string{"low", "middle", "high"}[side]
	}
	r, err := clean.Labels(context.Background(), x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, extra := 0, 0
	for i, s := range r.Suspect {
		if s && wrong[i] {
			found++
		} else if s {
			extra++
		}
	}
	if 2*found < planted || 3*extra > found { // partners alone take more right labels for wrong than wrong ones
		t.Errorf("%d of %d wrong labels found, and %d that are right", found, planted, extra)
	}
}
