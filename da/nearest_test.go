package da

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNearest compares with a vote by hand, and on random data with distances
// that are worked out one by one.
func TestNearest(t *testing.T) {
	distance := []float32{3, 1, 2, 5, 4}
	labels := []int32{0, 1, 0, 1, 1}
	for k, want := range []int32{1, 1, 0, 1, 1} { // nearest first: 1 0 0 1 1; a draw goes to the nearest
		if got := vote(distance, labels, k+1, 2); got != want {
			t.Errorf("%d nearest: class %d, want %d", k+1, got, want)
		}
	}

	c := config(t, 12)
	d := load(t, &c)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range d.Target.Rows {
		d.Target.Rows[i] += float32(rng.NormFloat64())
	}
	dim := d.Source.Shape[0]
	right, all := 0, 0
	for i, known := range d.Known {
		if known < 0 {
			continue
		}
		all++
		distance := make([]float32, d.Source.N)
		for j := range distance {
			var dot, length float64
			for k := range dim {
				v := float64(d.Source.Rows[j*dim+k])
				dot, length = dot+v*float64(d.Target.Rows[i*dim+k]), length+v*v
			}
			distance[j] = float32(-dot / math.Sqrt(length))
		}
		if vote(distance, d.Source.Labels, 5, 3) == known {
			right++
		}
	}
	if got, want := Nearest(d, 5), float64(right)/float64(all); got != want || want == 1 {
		t.Errorf("accuracy %v, want %v", got, want)
	}
	if got := Nearest(d, d.Source.N+5); got < 0 {
		t.Errorf("more neighbours than samples: %v", got)
	}
}
