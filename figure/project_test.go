package figure

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"rot.example/rot/ot"
)

func TestProjectOrthonormal(t *testing.T) {
	same := &ot.Points{Dim: 3, Coords: []float64{1, 2, 3, 1, 2, 3}}
	for _, tt := range []struct {
		name string
		x, y *ot.Points
	}{
		{"16 dimensions", gaussian(100, 16, 0, 1), gaussian(80, 16, 1, 2)},
		{"fewer points than dimensions", gaussian(2, 50, 0, 1), gaussian(1, 50, 1, 2)},
		{"two points", gaussian(1, 3, 0, 1), gaussian(1, 3, 1, 2)},
		{"one place", same, same},
		{"large", gaussian(20, 5, 1e90, 1), gaussian(20, 5, 0, 2)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pr, err := project([]*ot.Points{tt.x, tt.y})
			if err != nil {
				t.Fatal(err)
			}
			for j := range 2 {
				for k := range 2 {
					want := 0.0
					if j == k {
						want = 1
					}
					if got := floats.Dot(pr.axes[j], pr.axes[k]); math.Abs(got-want) > 1e-10 {
						t.Errorf("⟨axis %d, axis %d⟩ = %v, want %v", j, k, got, want)
					}
				}
			}
			if !(pr.share[0] >= pr.share[1]) || pr.share[1] < 0 || pr.share[0]+pr.share[1] > 1+1e-12 {
				t.Errorf("shares of the variance %v", pr.share)
			}
		})
	}
}

// TestProjectPlane puts points on a plane of four dimensions: the projection
// keeps all their distances.
func TestProjectPlane(t *testing.T) {
	u, v := []float64{0.5, 0.5, 0.5, 0.5}, []float64{0.5, -0.5, 0.5, -0.5}
	plane := gaussian(30, 2, 0, 1)
	p := &ot.Points{Dim: 4}
	for i := range plane.Len() {
		for k := range 4 {
			p.Coords = append(p.Coords, 7+plane.Row(i)[0]*u[k]+plane.Row(i)[1]*v[k])
		}
	}
	pr, err := project([]*ot.Points{p, p})
	if err != nil {
		t.Fatal(err)
	}
	at := pr.apply(p, 0)
	for i := range at {
		got := math.Hypot(at[i].x-at[0].x, at[i].y-at[0].y)
		want := math.Hypot(plane.Row(i)[0]-plane.Row(0)[0], plane.Row(i)[1]-plane.Row(0)[1])
		if math.Abs(got-want) > 1e-10 {
			t.Errorf("distance of point %d is %v, want %v", i, got, want)
		}
	}
	if sum := pr.share[0] + pr.share[1]; math.Abs(sum-1) > 1e-12 {
		t.Errorf("two components explain %v of a plane", sum)
	}
	pr.share = [2]float64{0.514, 0.126}
	if x, y := pr.labels(); x != "PC 1 of 4 (51 %)" || y != "PC 2 of 4 (13 %)" {
		t.Errorf("labels %q, %q", x, y)
	}
}

func TestProjectLowDimensions(t *testing.T) {
	p := &ot.Points{Dim: 2, Coords: []float64{3, 4}}
	pr, err := project([]*ot.Points{p, p})
	if err != nil {
		t.Fatal(err)
	}
	if got := pr.apply(p, 0)[0]; got != (xy{3, 4}) {
		t.Errorf("two dimensions: %v", got)
	}
	if x, y := pr.labels(); x != "" || y != "" {
		t.Errorf("labels %q, %q where nothing was projected", x, y)
	}
	p = &ot.Points{Dim: 1, Coords: []float64{3}}
	if got := pr.apply(p, 1)[0]; got != (xy{3, 1}) {
		t.Errorf("one dimension: %v", got)
	}
}

func TestEvenly(t *testing.T) {
	for _, tt := range []struct{ n, limit, want int }{{10, 20, 10}, {10, 3, 3}, {0, 3, 0}, {5, 0, 0}, {1_000_000, 403, 403}} {
		got := evenly(tt.n, tt.limit)
		if len(got) != tt.want {
			t.Errorf("evenly(%d, %d) has %d numbers, want %d", tt.n, tt.limit, len(got), tt.want)
		}
		for k := range got {
			if got[k] < 0 || got[k] >= tt.n || k > 0 && got[k] <= got[k-1] {
				t.Fatalf("evenly(%d, %d) = %v", tt.n, tt.limit, got)
			}
		}
	}
}

func BenchmarkProject(b *testing.B) {
	for _, bb := range []struct {
		name string
		n, d int
	}{{"20000x16", 20000, 16}, {"10000x64", 10000, 64}, {"1000x3072", 1000, 3072}} {
		x, y := gaussian(bb.n, bb.d, 0, 1), gaussian(bb.n, bb.d, 1, 2)
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := project([]*ot.Points{x, y}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
