package clean

import (
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/ot"
)

// Where a third of the rows lies scattered around a dense bulk, one view's bulk
// holds too many of them; another's does not.
func TestVoteOfManyOddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := &ot.Points{Dim: 6}
	const n, odd = 600, 200
	for i := range n {
		for range x.Dim {
			v := 0.3 * rng.NormFloat64()
			if i < odd {
				v = 4 + 2*rng.NormFloat64()
			}
			x.Coords = append(x.Coords, v)
		}
	}
	r, err := Find(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := count(r.Suspect[:odd])
	if wrong := count(r.Suspect[odd:]); found < odd*8/10 || wrong > odd/10 {
		t.Errorf("%d of %d odd rows are suspects and %d others", found, odd, wrong)
	}
}

// Heavy tails alone are no reason to suspect anybody, and a row that is far
// beyond them is.
func TestVoteOfHeavyTails(t *testing.T) {
	silent := 0
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 2))
		x := &ot.Points{Dim: 4}
		for range 400 * x.Dim {
			chi := 0.
			for range 5 {
				v := rng.NormFloat64()
				chi += v * v / 5
			}
			x.Coords = append(x.Coords, rng.NormFloat64()/math.Sqrt(chi))
		}
		r, err := Find(t.Context(), x, &Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if count(r.Suspect) == 0 {
			silent++
		}
		copy(x.Row(5), []float64{200, -200, 200, 200})
		if r, err = Find(t.Context(), x, &Options{Seed: seed}); err != nil {
			t.Fatal(err)
		}
		if !r.Suspect[5] {
			t.Errorf("seed %d: a row that is absurdly far is no suspect", seed)
		}
	}
	if silent < 9 {
		t.Errorf("nothing stands out in %d of 10 samples of Student's t, want nine", silent)
	}
}
