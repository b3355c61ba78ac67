package clean

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rot.example/rot/ot"
)

// planted is two clusters, a wide and a dense one, of 950 rows each in five
// dimensions, and behind them 100 outliers of a kind.
func planted(kind string) *ot.Points {
	const normal, outliers, d = 1900, 100, 5
	rng := rand.New(rand.NewPCG(3, 4))
	x := &ot.Points{Dim: d}
	add := func(sd float64, centre ...float64) {
		for j := range d {
			x.Coords = append(x.Coords, centre[j%len(centre)]+sd*rng.NormFloat64())
		}
	}
	for i := range normal {
		switch {
		case kind == "dependent":
			u, v := rng.NormFloat64(), rng.NormFloat64()
			add(0.2, u, v, u+v, u-v, 2*u)
		case i < normal/2:
			add(1, 0)
		default:
			add(0.2, 5)
		}
	}
	var centres [10][]float64
	for k := range centres {
		for range d {
			centres[k] = append(centres[k], -6+14*rng.Float64())
		}
	}
	for i := range outliers {
		switch kind {
		case "scattered":
			for range d {
				x.Coords = append(x.Coords, -8+18*rng.Float64())
			}
		case "clump":
			add(0.1, -5, 5, 0, 0, 0)
		case "small clumps":
			add(0.1, centres[i%10]...)
		case "dependent": // each column from another row
			for j := range d {
				x.Coords = append(x.Coords, x.Row(rng.IntN(normal))[j])
			}
		case "halo": // just outside the dense cluster
			var v [d]float64
			for j := range v {
				v[j] = rng.NormFloat64()
			}
			l := distance(v[:], make([]float64, d))
			for j := range v {
				x.Coords = append(x.Coords, 5+1.2*v[j]/l)
			}
		}
	}
	return x
}

func TestPlanted(t *testing.T) {
	for _, tt := range []struct {
		kind string
		core int
		want float64
	}{
		{"scattered", 0, 0.999},
		{"clump", 0, 0.999},
		{"small clumps", 0, 0.95},
		{"dependent", 0, 0.85},
		{"dependent", 10, 0.9}, // a smaller core follows the data more closely
	} {
		got := auroc(t, find(t, planted(tt.kind), &Options{Core: tt.core}), 100)
		t.Logf("%s, core %d: AUROC %.3f", tt.kind, tt.core, got)
		if got < tt.want {
			t.Errorf("%s, core %d: AUROC %.3f, want %v", tt.kind, tt.core, got, tt.want)
		}
	}
	if got := auroc(t, find(t, planted("halo"), nil), 100); got < 0.4 || got > 0.6 {
		t.Errorf("halo: AUROC %.3f; docs/benchmarks.md says that it is not found", got)
	}
}

// TestCoreKnob is what the documentation says of Core: a clump with more rows
// than a core passes for a cluster.
func TestCoreKnob(t *testing.T) {
	x := planted("clump")
	small, large := auroc(t, find(t, x, &Options{Core: 20}), 100), auroc(t, find(t, x, &Options{Core: 100}), 100)
	t.Logf("clump: AUROC %.3f with cores of 20, %.3f with cores of 100", small, large)
	if small > 0.5 || large < 0.999 {
		t.Errorf("a clump of 50 in 1000 rows has AUROC %.3f with cores of 20, %.3f with cores of 100", small, large)
	}
}

// TestAgainstPlanted has kinds that nothing finds without a reference.
func TestAgainstPlanted(t *testing.T) {
	for _, kind := range []string{"scattered", "clump", "small clumps", "dependent", "halo"} {
		x := planted(kind)
		var data, reference ot.Points
		data.Dim, reference.Dim = x.Dim, x.Dim
		for i := range x.Len() {
			part := &data
			if i < 1900 && i%2 == 0 {
				part = &reference
			}
			part.Coords = append(part.Coords, x.Row(i)...)
		}
		r := against(t, &data, &reference, nil)
		got := auroc(t, r, 100)
		t.Logf("%s: AUROC %.3f, suspects %.3f", kind, got, r.Gamma)
		if got < 0.94 {
			t.Errorf("%s: AUROC %.3f", kind, got)
		}
		if !r.Guessed || !r.Proven || r.Gamma < 0.04 || r.Gamma > 0.15 {
			t.Errorf("%s: suspects %.3f for 100 of 1050 rows", kind, r.Gamma)
		}
	}
}

// TestAgainstCrowd has a batch in which too many rows lie where few should: no
// row of it is far from the reference.
func TestAgainstCrowd(t *testing.T) {
	reference, x := cloud(1000, 2, 1), cloud(1000, 2, 2)
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		x.Coords = append(x.Coords, 1+0.1*rng.NormFloat64(), 1+0.1*rng.NormFloat64())
	}
	if got := auroc(t, against(t, x, reference, nil), 200); got < 0.85 {
		t.Errorf("AUROC %.3f of a crowd against a reference", got)
	}
	if got := auroc(t, find(t, x, nil), 200); got > 0.5 {
		t.Errorf("AUROC %.3f of a crowd without a reference: update the documentation", got)
	}
}

// TestAgainstConstant has a column in which the reference never varies.
func TestAgainstConstant(t *testing.T) {
	reference, x := cloud(200, 2, 1), cloud(200, 2, 2)
	for i := range 200 {
		reference.Row(i)[1], x.Row(i)[1] = 3, 3
	}
	x.Row(77)[1] = 3.5
	if r := against(t, x, reference, nil); r.Order()[0] != 77 {
		t.Errorf("the worst is row %d, want the one whose value the reference never takes", r.Order()[0])
	}
}

// TestContinuous wants a score of its own for every row that is its own.
func TestContinuous(t *testing.T) {
	x := planted("scattered")
	for name, r := range map[string]*Result{"find": find(t, x, nil), "against": against(t, x, cloud(500, 5, 1), nil)} {
		scores := slices.Compact(slices.Sorted(slices.Values(r.Score)))
		if len(scores) < x.Len()-5 {
			t.Errorf("%s: %d scores for %d rows", name, len(scores), x.Len())
		}
	}
}
