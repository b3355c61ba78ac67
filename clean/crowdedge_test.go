package clean

import (
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/internal/standout"
)

// TestCrowdEdge: a crowd whose rows lie at very different distances is found
// whole, and none of the others with it. Halfway between the middles a tenth of it
// would be left.
func TestCrowdEdge(t *testing.T) {
	const n, dim, foreign = 2000, 24, 100
	rng := rand.New(rand.NewPCG(3, 4))
	r := &rows{n: n, d: dim, v: make([]float64, n*dim)}
	score := make([]float64, n)
	for i := range n {
		x := r.row(i)
		normalRow(rng, i, x)
		if i < foreign {
			x[dim-1] += 60 * math.Exp(0.5*rng.NormFloat64())
		}
		for _, v := range x {
			score[i] += v * v
		}
	}
	apart, e := r.alongDiscriminant(score, r.halved(rng, crowdMost))
	if e == nil {
		t.Fatal("no line")
	}
	if half := standout.Beyond(apart, e.Rho); half > 0.9*foreign/n {
		t.Fatalf("%v of the rows lie beyond halfway: the test says nothing", half)
	}
	apart, share, err := r.crowd(t.Context(), score)
	if err != nil {
		t.Fatal(err)
	}
	if apart == nil {
		t.Fatal("no crowd")
	}
	line, wrong := lineOf(apart, share), 0
	for i, v := range apart {
		if (v >= line) != (i < foreign) {
			wrong++
		}
	}
	if wrong > 2 {
		t.Errorf("%d rows on the wrong side of the edge, %v beyond it", wrong, share)
	}
}
