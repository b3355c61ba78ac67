package clean

import (
	"context"
	"math/rand/v2"
	"testing"

	"rot.example/rot/ot"
)

// TestLoneCluster: a crowd among kinds that lie apart as much as it does is told by
// keeping together, and more kinds are none.
func TestLoneCluster(t *testing.T) {
	const n, dim = 1500, 30
	for _, tt := range []struct {
		name    string
		foreign int
	}{
		{"kinds", 0},
		{"kinds, 2 % foreign", 30},
		{"kinds, 3.7 % foreign", 56},
		{"kinds, 5 % foreign", 75},
		{"kinds, 8.4 % foreign", 126},
		{"kinds, 11 % foreign", 165},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(4, 4))
			r := &rows{n: n, d: dim, v: make([]float64, n*dim)}
			for i := range n {
				x := r.row(i)
				for j := range x {
					x[j] = rng.NormFloat64()
				}
				if i < tt.foreign {
					x[dim-1] += 14
				} else { // of ten kinds, which fade into each other
					a := rng.Float64()
					x[i%10] += 12 * a
					x[(i+1)%10] += 12 * (1 - a)
				}
			}
			apart, share, err := r.loneCluster(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if tt.foreign == 0 {
				if apart != nil {
					t.Fatalf("a crowd of %v of the rows", share)
				}
				return
			}
			if apart == nil {
				t.Fatal("no crowd")
			}
			apart, share = r.toEdge(apart, share, r.halved(rng, crowdMost))
			wrong, line := 0, lineOf(apart, share)
			for i, v := range apart {
				if (v >= line) != (i < tt.foreign) {
					wrong++
				}
			}
			if wrong > tt.foreign/20 {
				t.Errorf("%d rows in the wrong place, %v beyond the edge", wrong, share)
			}
		})
	}
}

// TestLoneClusterFew: sets of the least numbers of rows have none, however sizes are
// rounded.
func TestLoneClusterFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := loneClusterLeast - 1; n < loneClusterLeast+4; n++ {
		r := &rows{n: n, d: 5, v: make([]float64, n*5)}
		for i := range r.v {
			r.v[i] = rng.NormFloat64()
		}
		if apart, share, err := r.loneCluster(t.Context()); apart != nil || err != nil {
			t.Errorf("%d rows: %v, %v", n, share, err)
		}
	}
}

// TestLoneClusterStops: looking for clusters ends with its context.
func TestLoneClusterStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := &ot.Points{Dim: 20, Coords: make([]float64, 1200*20)}
	for i := range x.Coords {
		x.Coords[i] = rng.NormFloat64()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (&rows{n: 1200, d: 20, v: x.Coords}).loneCluster(ctx); err != ctx.Err() || err == nil {
		t.Errorf("%v", err)
	}
}

// TestClearest: clusters that share rows are one.
func TestClearest(t *testing.T) {
	rowsFrom := func(from int) (rows []int) {
		for i := range 20 {
			rows = append(rows, from+i)
		}
		return rows
	}
	for _, tt := range []struct {
		name  string
		found []*cluster
		gap   float64 // −1: no other
	}{
		{"one", []*cluster{{merit: 5, rows: rowsFrom(0)}}, -1},
		{"the same twice", []*cluster{{merit: 5, rows: rowsFrom(0)}, {merit: 4, rows: rowsFrom(10)}}, -1},
		{"another", []*cluster{{merit: 2, rows: rowsFrom(40)}, {merit: 4.5, rows: rowsFrom(5)}, {merit: 5, rows: rowsFrom(0)}}, 3},
		{"another that touches it", []*cluster{{merit: 2, rows: rowsFrom(16)}, {merit: 5, rows: rowsFrom(0)}}, 3},
	} {
		best, gap := clearest(tt.found)
		if tt.gap < 0 {
			if best != nil {
				t.Errorf("%s: %v", tt.name, gap)
			}
		} else if best == nil || best.merit != 5 || gap != tt.gap {
			t.Errorf("%s: %v, %v", tt.name, best, gap)
		}
	}
}
