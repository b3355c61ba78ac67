package clean

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTallyParts splits p-values and merges the parts: the bytes and the cut are
// those of one tally.
func TestTallyParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var whole Tally
	parts := make([]Tally, 7)
	for range 5000 {
		p := math.Pow(rng.Float64(), 8)
		whole.Add(p)
		parts[rng.IntN(len(parts))].Add(p)
	}
	want, _ := whole.MarshalBinary()
	var sum Tally
	for _, k := range rng.Perm(len(parts)) {
		b, _ := parts[k].MarshalBinary()
		var back Tally
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		sum.Merge(&back)
	}
	if got, _ := sum.MarshalBinary(); !bytes.Equal(got, want) {
		t.Error("parts give other bytes")
	}
	p, n := whole.Cut(0.1)
	if q, m := sum.Cut(0.1); p != q || n != m || n == 0 {
		t.Errorf("parts: cut %g with %d suspects; whole: %g with %d", q, m, p, n)
	}
	if err := sum.UnmarshalBinary(want[:len(want)-1]); err == nil {
		t.Error("cut bytes are taken")
	}
}
