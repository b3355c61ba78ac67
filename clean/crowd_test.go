package clean

import (
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/internal/standout"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// TestCrowd: foreign points that keep together are found, at all shares, and
// neither points that all belong, heavy tails among them, nor one of many groups
// that all lie apart.
func TestCrowd(t *testing.T) {
	const n, dim = 1200, 24
	for _, tt := range []struct {
		name    string
		foreign int
		row     func(rng *rand.Rand, i int, x []float64) // the bulk's
	}{
		{"normal", 0, normalRow},
		{"normal, 5 % foreign", 60, normalRow},
		{"normal, 2 % foreign", 24, normalRow},
		{"normal, 10 % foreign", 120, normalRow},
		{"heavy tails", 0, func(rng *rand.Rand, i int, x []float64) {
			normalRow(rng, i, x)
			s := math.Exp(rng.NormFloat64() / 2)
			for j := range x {
				x[j] *= s
			}
		}},
		{"groups", 0, func(rng *rand.Rand, i int, x []float64) {
			normalRow(rng, i, x)
			for j := range x {
				x[j] *= 0.05
			}
			x[i%15]++
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			p := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
			score, foreign := make([]float64, n), make([]bool, n)
			for i := range n {
				x := p.Coords[i*dim : (i+1)*dim]
				if foreign[i] = i < tt.foreign; foreign[i] {
					normalRow(rng, i, x)
					for j := range x {
						x[j] *= 0.7
					}
					x[dim-1] += 60
				} else {
					tt.row(rng, i, x)
				}
				for _, v := range x {
					score[i] += v * v
				}
			}
			apart, share, err := (&rows{n: n, d: dim, v: p.Coords}).crowd(t.Context(), score)
			if err != nil {
				t.Fatal(err)
			}
			if tt.foreign == 0 {
				if apart != nil {
					t.Fatalf("a crowd of %v of the points", share)
				}
				return
			}
			if apart == nil {
				t.Fatal("no crowd")
			}
			if a, err := metrics.AUROC(apart, foreign); err != nil || a < 0.999 {
				t.Errorf("AUROC %v, %v", a, err)
			}
			if want := float64(tt.foreign) / n; math.Abs(share/want-1) > 0.3 {
				t.Errorf("%v of the points, want %v", share, want)
			}
		})
	}
}

// TestFindCrowd: Find numbers the rows of crowds, also of two and of one whose
// rows are so many that they have no high scores; sets them aside; and then finds
// what else is odd. Rows that all belong have no crowd, and tables are not looked
// at.
func TestFindCrowd(t *testing.T) {
	const n, dim = 1500, 40
	for _, tt := range []struct {
		name   string
		crowds []int
		odd    int
		scaled bool
	}{
		{"none", nil, 0, false},
		{"a twentieth", []int{75}, 0, false},
		{"a tenth", []int{150}, 0, false},
		{"a seventh", []int{215}, 0, false},
		{"two", []int{75, 60}, 0, false},
		{"and odd rows", []int{75}, 12, false},
		{"two tenths", []int{150, 130}, 0, false},
		{"a table", []int{75}, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(9, 9))
			x := &ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
			want := make([]int, n)
			i := 0
			for k, size := range tt.crowds {
				for range size {
					normalRow(rng, i, x.Row(i))
					x.Row(i)[k] = 15 + rng.NormFloat64()/2
					want[i] = k + 1
					i++
				}
			}
			odd := i + tt.odd
			for ; i < n; i++ {
				normalRow(rng, i, x.Row(i))
				if i < odd {
					for j := range x.Row(i) {
						x.Row(i)[j] *= 4
					}
				}
			}
			r, err := Find(t.Context(), x, &Options{Unscaled: !tt.scaled})
			if err != nil {
				t.Fatal(err)
			}
			if tt.crowds == nil || tt.scaled {
				if r.Crowd != nil || r.CrowdSizes() != nil {
					t.Fatalf("crowds of %v", r.CrowdSizes())
				}
				return
			}
			if len(r.CrowdSizes()) != len(tt.crowds) {
				t.Fatalf("crowds of %v, want %v", r.CrowdSizes(), tt.crowds)
			}
			wrong, missed := 0, 0
			for i, k := range r.Crowd {
				if (k > 0) != (want[i] > 0) {
					wrong++
				}
				if k > 0 && !r.Suspect[i] || i < odd && !r.Suspect[i] {
					missed++
				}
			}
			if wrong > 15 || missed > 15 {
				t.Errorf("%d rows are in the wrong place, and %d are no suspects", wrong, missed)
			}
			if k := count(r.Suspect); math.Abs(float64(k-odd)) > 0.15*float64(odd) {
				t.Errorf("%d suspects, want %d", k, odd)
			}
		})
	}
}

// TestIsCrowd: the numbers are those of sets of images, the middle and the 90th
// percentile of usual groups.
func TestIsCrowd(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		sharp, gap            float64
		usual, sharp90, gap90 float64
		want                  bool
	}{
		{"MNIST with 5 % USPS", 18.8, 73, 0, 4.5, 10.7, true},
		{"MNIST with 10 % USPS", 7.7, 68.7, 0, 3, 7.8, true},
		{"MNIST with 10 % USPS and 2 % noise", 6.4, 263, 0, 4, 10, true},
		{"USPS with 2 % sketches", 48.3, 101.4, 3.4, 25.5, 19, true},
		{"USPS with 5 % MNIST", 3.5, 15.6, 0, 19.5, 21.5, false},
		{"MNIST, fours", 5.3, 17.3, 0, 0, 4.2, false},
		{"USPS, ones", 1.5, 129, 0, 0, 5.6, false},
		{"drawn digits", 60.7, 24.1, 8.5, 19.5, 18.9, false},
	} {
		sharp, gap := make([]float64, 30), make([]float64, 30)
		for k := range sharp {
			sharp[k], gap[k] = tt.usual, tt.gap90
			if k > 20 {
				sharp[k] = tt.sharp90
			}
		}
		if got := isCrowd(&standout.Elbow{Rho: 0.02, Sharpness: tt.sharp, Gap: tt.gap}, sharp, gap); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if isCrowd(&standout.Elbow{Sharpness: 100, Gap: 100}, nil, nil) {
		t.Error("a crowd beside nothing")
	}
}

// TestNarrowed: the distances of rows in fewer columns are about theirs.
func TestNarrowed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	r := &rows{n: 20, d: 1000, v: make([]float64, 20*1000)}
	for i := range r.v {
		r.v[i] = rng.NormFloat64()
	}
	if r.narrowed(1000) != r {
		t.Error("as many columns are others")
	}
	s := r.narrowed(300)
	if s.n != 20 || s.d != 300 {
		t.Fatalf("%d×%d", s.n, s.d)
	}
	for i := range 19 {
		// A mixture of unit deviation a column.
		if ratio := distance(s.row(i), s.row(i+1)) / distance(r.row(i), r.row(i+1)) / math.Sqrt(300); ratio < 0.8 || ratio > 1.2 {
			t.Errorf("rows %d and %d are %v of what they were apart", i, i+1, ratio)
		}
	}
}

// normalRow draws coordinates that differ in scale.
func normalRow(rng *rand.Rand, _ int, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64() * (1 + float64(j%4)/2)
	}
}
