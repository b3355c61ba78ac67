package figure

import (
	"math/rand/v2"
	"testing"

	"rot.example/rot/ot"
)

// TestOwnUnits draws columns of different units over the whole plane, and a
// cloud with far outliers, or a flat one, with one unit.
func TestOwnUnits(t *testing.T) {
	cloud := func(x, y float64, more ...float64) *ot.Points {
		r := rand.New(rand.NewPCG(1, 2))
		p := &ot.Points{Dim: 2, Coords: more}
		for range 100 {
			p.Coords = append(p.Coords, x*r.NormFloat64(), y*r.NormFloat64())
		}
		return p
	}
	for _, tt := range []struct {
		name string
		data *ot.Points
		want bool
	}{
		{"age and income", cloud(15, 9000), true},
		{"the same unit", cloud(1, 5), false},
		{"garbage far away", cloud(1, 1, 1e6, 0), false},
		{"flat", cloud(1, 0), false},
		{"one point", &ot.Points{Dim: 2, Coords: []float64{3, 4}}, false},
	} {
		g, err := (&Scatter{Panels: []*ScatterPanel{{Data: tt.data, Generated: tt.data}}}).grid()
		if err != nil {
			t.Fatal(err)
		}
		if g.ownUnits != tt.want {
			t.Errorf("%s: own units %v", tt.name, g.ownUnits)
		}
		if tt.want && (g.x.length() > 150 || g.y.length() < 20000) {
			t.Errorf("%s: ranges %v and %v", tt.name, g.x, g.y)
		}
	}
}
