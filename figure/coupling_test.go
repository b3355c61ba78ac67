package figure

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/ot"
)

func TestCloudHollow(t *testing.T) {
	at := make([]xy, 4)
	for _, tt := range []struct {
		name    string
		weights []float64
		low     float64
		hollow  []int
		solid   []int
	}{
		{name: "no weights", low: 0.5, solid: []int{0, 1, 2, 3}},
		{name: "below the default", weights: []float64{1, 0.49, 0.5, 0}, low: DefaultLow, hollow: []int{1, 3}, solid: []int{0, 2}},
		{name: "below a threshold", weights: []float64{1, 0.49, 0.5, 0}, low: 0.1, hollow: []int{3}, solid: []int{0, 1, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCloud(at, tt.weights, tt.low, circle)
			if !slices.Equal(c.hollow, tt.hollow) || !slices.Equal(c.solid, tt.solid) {
				t.Errorf("hollow %v, solid %v; want %v, %v", c.hollow, c.solid, tt.hollow, tt.solid)
			}
		})
	}
}

func TestCloudThinned(t *testing.T) {
	n := 2 * maxDots
	c := newCloud(make([]xy, n), dropLast(n, n/10), DefaultLow, circle)
	if got, want := len(c.hollow), maxDots/10; got != want {
		t.Errorf("%d hollow points, want %d", got, want)
	}
	if got := c.drawn(); got != maxDots {
		t.Errorf("%d points drawn, want %d", got, maxDots)
	}
	if got, want := omissions(c, cloud{}, 0, 0, 0), "50 000 of 100 000 source points drawn"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
}

func TestLinksGrowWithMass(t *testing.T) {
	plan := &ot.Plan{I: []int32{0, 1, 2, 3, 4}, J: []int32{4, 3, 2, 1, 0}, Mass: []float64{0.2, 0, 0.5, 0.01, 0.29}}
	got, entries, share := links(plan, 10)
	if len(got) != 4 || entries != 4 || math.Abs(share-1) > 1e-12 {
		t.Fatalf("%d links of %d entries with %v of the mass; want all 4 with mass", len(got), entries, share)
	}
	for k, l := range got {
		if want := plan.Mass[l.i] / 0.5; l.weight != want {
			t.Errorf("link %d has weight %v, want %v", k, l.weight, want)
		}
		if k > 0 && !(got[k-1].weight < l.weight && got[k-1].width < l.width && got[k-1].opacity < l.opacity) {
			t.Errorf("link %d is not heavier, wider and darker than the one before: %+v, %+v", k, got[k-1], l)
		}
	}
	if l := got[3]; l.weight != 1 || l.opacity > 1 || l.width <= 0 {
		t.Errorf("heaviest link is %+v", l)
	}
}

func TestLinksLimit(t *testing.T) {
	const n, limit = 1000, 100
	plan := &ot.Plan{}
	for i := range n {
		mass := 1 + 1e-12*float64(i) // equal up to rounding
		if i == 17 {
			mass = 2
		}
		plan.I, plan.J, plan.Mass = append(plan.I, int32(i)), append(plan.J, int32(i)), append(plan.Mass, mass)
	}
	got, entries, share := links(plan, limit)
	if len(got) != limit || entries != n {
		t.Fatalf("%d links of %d, want %d of %d", len(got), entries, limit, n)
	}
	if want := float64(limit+1) / (n + 1); math.Abs(share-want) > 1e-9 {
		t.Errorf("share %v, want %v", share, want)
	}
	if got[limit-1].i != 17 {
		t.Errorf("heaviest entry is not drawn last but %d", got[limit-1].i)
	}
	// Equal masses are picked from all over the plan.
	var quarters [4]int
	for _, l := range got {
		quarters[l.i*4/n]++
	}
	for q, k := range quarters {
		if k < limit/8 {
			t.Errorf("quarter %d of the plan has %d of %d links", q, k, limit)
		}
	}
	note := omissions(cloud{}, cloud{}, len(got), 40000, 0.1234)
	if want := "heaviest 100 of 40 000 links drawn, 12 % of the mass"; note != want {
		t.Errorf("note %q, want %q", note, want)
	}
}

func TestNewCoupling(t *testing.T) {
	x, y := gaussian(4, 2, 0, 1), gaussian(4, 2, 1, 2)
	r := greedy(x, y, []float64{2, 1, 1, 0})
	r.Value = 1.23456
	c := NewCoupling("title", x, y, r)
	if c.Title != "title" || c.Note != "distance 1.235" {
		t.Errorf("title %q, note %q", c.Title, c.Note)
	}
	if want := []float64{2, 1, 1, 0}; !slices.Equal(c.A, want) {
		t.Errorf("source weights %v, want %v", c.A, want)
	}
	if c.B != nil {
		t.Errorf("target weights %v of a result without any", c.B)
	}
}

func TestCouplingErrors(t *testing.T) {
	two := func() *ot.Points { return &ot.Points{Dim: 2, Coords: []float64{0, 0, 1, 1}} }
	for _, tt := range []struct {
		name string
		edit func(*Coupling)
		err  error
		text string
	}{
		{"no source", func(c *Coupling) { c.X = nil }, ot.ErrShape, "source has no points"},
		{"empty target", func(c *Coupling) { c.Y = &ot.Points{Dim: 2} }, ot.ErrShape, "target has no points"},
		{"dimension", func(c *Coupling) { c.X.Dim = 0 }, ot.ErrShape, "source has dimension 0"},
		{"ragged", func(c *Coupling) { c.X.Coords = c.X.Coords[:3] }, ot.ErrShape, "source has 3 coordinates"},
		{"dimensions differ", func(c *Coupling) { c.Y.Dim = 1 }, ot.ErrShape, "source has 2 columns, target has 1"},
		{"not a number", func(c *Coupling) { c.Y.Coords[3] = math.NaN() }, ot.ErrValue, "target row 1 column 1 is NaN"},
		{"infinite", func(c *Coupling) { c.Y.Coords[0] = math.Inf(-1) }, ot.ErrValue, "target row 0 column 0 is -Inf"},
		{"huge", func(c *Coupling) { c.X.Coords[0] = 1e200 }, ot.ErrValue, "source row 0 column 0 is 1e+200"},
		{"weights", func(c *Coupling) { c.A = []float64{1} }, ot.ErrWeights, "1 source weights for 2 points"},
		{"negative weight", func(c *Coupling) { c.B = []float64{1, -1} }, ot.ErrWeights, "target weight 1 is -1"},
		{"empty plan", func(c *Coupling) { c.Plan = &ot.Plan{} }, ot.ErrShape, "plan is empty"},
		{"short plan", func(c *Coupling) { c.Plan.J = nil }, ot.ErrShape, "1 sources, 0 targets and 1 masses"},
		{"source index", func(c *Coupling) { c.Plan.I[0] = 2 }, ot.ErrShape, "plan entry 0 has source 2 of 2"},
		{"target index", func(c *Coupling) { c.Plan.J[0] = -1 }, ot.ErrShape, "plan entry 0 has target -1 of 2"},
		{"mass", func(c *Coupling) { c.Plan.Mass[0] = math.NaN() }, ot.ErrValue, "plan entry 0 has mass NaN"},
		{"low", func(c *Coupling) { c.Low = math.NaN() }, ot.ErrOption, "low NaN"},
		{"max links", func(c *Coupling) { c.MaxLinks = -1 }, ot.ErrOption, "max links -1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Coupling{X: two(), Y: two(), Plan: &ot.Plan{I: []int32{0}, J: []int32{0}, Mass: []float64{1}}}
			if _, err := c.prepare(); err != nil {
				t.Fatal(err)
			}
			tt.edit(c)
			_, err := c.prepare()
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
	if _, err := (*Coupling)(nil).prepare(); !errors.Is(err, ot.ErrShape) {
		t.Errorf("nil coupling: error %v", err)
	}
}
