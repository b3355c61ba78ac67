package dataset

import (
	"slices"
	"testing"
)

func TestOrder(t *testing.T) {
	for _, tt := range []struct{ n, batch int }{{1, 1}, {1, 5}, {10, 1}, {10, 3}, {10, 5}, {10, 10}, {10, 25}, {1000, 64}} {
		o, err := NewOrder(tt.n, tt.batch, 7)
		if err != nil {
			t.Fatal(err)
		}
		steps := 5*tt.n/tt.batch + 2
		var stream []int32
		var batches [][]int32
		for step := range steps {
			b := o.Batch(nil, step)
			if len(b) != tt.batch {
				t.Fatalf("%v: a batch of %d", tt, len(b))
			}
			batches = append(batches, b)
			stream = append(stream, b...)
		}
		for e := 0; (e+1)*tt.n <= len(stream); e++ {
			epoch := slices.Sorted(slices.Values(stream[e*tt.n : (e+1)*tt.n]))
			for i, v := range epoch {
				if int(v) != i {
					t.Fatalf("%v: epoch %d is no permutation", tt, e)
				}
			}
		}
		// Any step in any order, and from a fresh start.
		fresh, _ := NewOrder(tt.n, tt.batch, 7)
		buf := make([]int32, 0, tt.batch)
		for k := range steps {
			step := (k*7 + steps/2) % steps
			if buf = fresh.Batch(buf, step); !slices.Equal(buf, batches[step]) {
				t.Fatalf("%v: step %d differs when it comes out of turn", tt, step)
			}
		}
	}
}

func TestOrderSeeds(t *testing.T) {
	a, _ := NewOrder(1000, 1000, 1)
	b, _ := NewOrder(1000, 1000, 2)
	x, y, z := a.Batch(nil, 0), a.Batch(nil, 1), b.Batch(nil, 0)
	if slices.Equal(x, y) || slices.Equal(x, z) {
		t.Error("epochs or seeds repeat each other")
	}
	// A run that resumes under a newer version must see the same batches.
	pinned, _ := NewOrder(10, 10, 1)
	if got, want := pinned.Batch(nil, 0), []int32{5, 2, 4, 0, 8, 3, 9, 7, 6, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, bad := range [][2]int{{0, 1}, {-1, 1}, {1 << 31, 1}, {5, 0}, {5, -1}} {
		if _, err := NewOrder(bad[0], bad[1], 0); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestOrderAllocs(t *testing.T) {
	o, _ := NewOrder(50_000, 64, 1)
	buf := o.Batch(nil, 0)
	step := 1
	// An epoch is 781 steps; a new one costs a generator, not a permutation.
	if n := testing.AllocsPerRun(2000, func() { buf = o.Batch(buf, step); step++ }); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}
