package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestRepeatedRows: rows that are there many times are moved as one, for the
// same distance.
func TestRepeatedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 200, 2
	for _, levels := range []int{2, 4} {
		x := &scaled{n: n, d: d, v: make([]float64, n*d)}
		for k := range x.v {
			x.v[k] = float64(rng.IntN(levels))
		}
		c, err := newCarrier(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		var a, b []int32
		for i := range int32(n) {
			if i%3 == 0 {
				a = append(a, i)
			} else {
				b = append(b, i)
			}
		}
		if rows, share := c.merged(a); len(rows) > levels*levels || len(share) != len(rows) {
			t.Errorf("%d rows of %d different ones are merged to %d", len(a), levels*levels, len(rows))
		}
		got, err := c.distance(context.Background(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		c.same = nil
		want, err := c.distance(context.Background(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-want) > 2e-4*want {
			t.Errorf("%d levels: distance %v, row by row %v", levels, got, want)
		}
	}
}

// TestFewRepeatedRows: samples of which most rows differ are left as they are.
func TestFewRepeatedRows(t *testing.T) {
	x := &scaled{n: 4, d: 1, v: []float64{1, 2, 3, 3}}
	if same := repeatedRows(x); same != nil {
		t.Errorf("got %v", same)
	}
	x.v = []float64{0, 3, math.Copysign(0, -1), 3}
	if same := repeatedRows(x); len(same) != 4 || same[2] != 0 || same[3] != 1 {
		t.Errorf("got %v, want 0, 1, 0, 1", same)
	}
}
