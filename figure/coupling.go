package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rot.example/rot/ot"
)

// Limits that Coupling uses when its fields are zero.
const (
	DefaultLow      = 0.5   // relative weight below which a point is hollow
	DefaultMaxLinks = 5000  // links drawn
	maxDots         = 50000 // points of a cloud drawn; more add time and no ink
)

// A Coupling is a picture of a transport plan between two point clouds. Points
// on a line are drawn on two levels, the source at the bottom; points of more
// than two dimensions on their first two principal components.
type Coupling struct {
	Title string
	Note  string // smaller line under the title

	X, Y *ot.Points // source and target, of the same dimension
	Plan *ot.Plan   // nil: the clouds alone
	A, B []float64  // weights of source and target relative to base, mean 1; nil means all 1

	Low      float64 // weight below which a point is hollow; 0 means DefaultLow
	MaxLinks int     // heaviest entries of Plan to draw; 0 means DefaultMaxLinks

	XLabel, YLabel string // axis labels; empty: none, or the principal components
}

// NewCoupling is the picture of the plan of r between x and y, with the
// distance r.Value under the title and the weights of r.
func NewCoupling(title string, x, y *ot.Points, r *ot.Result) *Coupling {
	c := &Coupling{Title: title, Note: "distance " + number(r.Value), X: x, Y: y, Plan: r.Plan}
	if len(r.A) > 0 && len(r.A) == len(r.BaseA) {
		c.A = r.SourceWeights()
	}
	if len(r.B) > 0 && len(r.B) == len(r.BaseB) {
		c.B = r.TargetWeights()
	}
	return c
}

func (c *Coupling) prepare() (*drawing, error) {
	return (&Couplings{Panels: []*Coupling{c}}).prepare()
}

func (c *Coupling) low() float64 {
	if c.Low == 0 {
		return DefaultLow
	}
	return c.Low
}

// check reports the first thing that makes c impossible to draw.
func (c *Coupling) check() error {
	if c == nil {
		return fmt.Errorf("no coupling: %w", ot.ErrShape)
	}
	if err := checkCloud("source", c.X, c.A); err != nil {
		return err
	}
	if err := checkCloud("target", c.Y, c.B); err != nil {
		return err
	}
	if c.X.Dim != c.Y.Dim {
		return fmt.Errorf("source has %d columns, target has %d: %w", c.X.Dim, c.Y.Dim, ot.ErrShape)
	}
	if !(c.Low >= 0) || c.MaxLinks < 0 {
		return fmt.Errorf("low %v or max links %d is negative: %w", c.Low, c.MaxLinks, ot.ErrOption)
	}
	return c.checkPlan()
}

func checkCloud(side string, p *ot.Points, weights []float64) error {
	switch {
	case p == nil || len(p.Coords) == 0:
		return fmt.Errorf("%s has no points: %w", side, ot.ErrShape)
	case p.Dim < 1:
		return fmt.Errorf("%s has dimension %d: %w", side, p.Dim, ot.ErrShape)
	case len(p.Coords)%p.Dim != 0:
		return fmt.Errorf("%s has %d coordinates, not a multiple of dimension %d: %w", side, len(p.Coords), p.Dim, ot.ErrShape)
	case weights != nil && len(weights) != p.Len():
		return fmt.Errorf("%d %s weights for %d points: %w", len(weights), side, p.Len(), ot.ErrWeights)
	}
	for k, v := range p.Coords {
		if !drawable(v) {
			return fmt.Errorf("%s row %d column %d is %v: %w", side, k/p.Dim, k%p.Dim, v, ot.ErrValue)
		}
	}
	for i, w := range weights {
		if !(w >= 0) {
			return fmt.Errorf("%s weight %d is %v: %w", side, i, w, ot.ErrWeights)
		}
	}
	return nil
}

func (c *Coupling) checkPlan() error {
	p := c.Plan
	if p == nil {
		return nil
	}
	if len(p.Mass) == 0 {
		return fmt.Errorf("plan is empty: %w", ot.ErrShape)
	}
	if len(p.I) != len(p.Mass) || len(p.J) != len(p.Mass) {
		return fmt.Errorf("plan has %d sources, %d targets and %d masses: %w", len(p.I), len(p.J), len(p.Mass), ot.ErrShape)
	}
	m, n := c.X.Len(), c.Y.Len()
	for k, mass := range p.Mass {
		switch {
		case p.I[k] < 0 || int(p.I[k]) >= m:
			return fmt.Errorf("plan entry %d has source %d of %d: %w", k, p.I[k], m, ot.ErrShape)
		case p.J[k] < 0 || int(p.J[k]) >= n:
			return fmt.Errorf("plan entry %d has target %d of %d: %w", k, p.J[k], n, ot.ErrShape)
		case !(mass >= 0) || !drawable(mass):
			return fmt.Errorf("plan entry %d has mass %v: %w", k, mass, ot.ErrValue)
		}
	}
	return nil
}

// A cloud is one side of a coupling, ready to draw.
type cloud struct {
	at            []xy
	solid, hollow []int // points to draw, by their look
	dots          dotStyle
}

// newCloud splits points by weight. Of more than maxDots, evenly spaced ones
// are drawn, hollow and solid each in proportion.
func newCloud(at []xy, weights []float64, low float64, s shape) cloud {
	c := cloud{at: at, dots: newDotStyle(s, sourceColor, len(at))}
	if s == triangle {
		c.dots = newDotStyle(s, targetColor, len(at))
	}
	for i := range at {
		if weights != nil && weights[i] < low {
			c.hollow = append(c.hollow, i)
		} else {
			c.solid = append(c.solid, i)
		}
	}
	if n := len(at); n > maxDots {
		c.solid = thin(c.solid, len(c.solid)*maxDots/n)
		c.hollow = thin(c.hollow, len(c.hollow)*maxDots/n)
	}
	return c
}

func thin(index []int, limit int) []int {
	out := evenly(len(index), limit)
	for k, i := range out {
		out[k] = index[i]
	}
	return out
}

// drawn is the number of points that the picture shows.
func (c cloud) drawn() int { return len(c.solid) + len(c.hollow) }

// links picks the heaviest entries of p, at most limit, and orders them from
// light to heavy, so that the heavy ones lie on top. It also returns the number
// of entries with mass and the part of the mass that the picked ones carry.
func links(p *ot.Plan, limit int) (picked []link, entries int, share float64) {
	if p == nil {
		return nil, 0, 0
	}
	top := slices.Max(p.Mass)
	var sum float64
	order := make([]int, 0, len(p.Mass))
	for k, mass := range p.Mass {
		if mass > 0 {
			order = append(order, k)
			sum += mass / top
		}
	}
	if entries = len(order); entries > limit {
		// Most entries of a plan weigh the same up to rounding. Among those the
		// choice is scattered: the first ones would show one corner of the data.
		slices.SortFunc(order, func(k, l int) int {
			return cmp.Or(
				-cmp.Compare(math.Round(p.Mass[k]/top*1e6), math.Round(p.Mass[l]/top*1e6)),
				cmp.Compare(scatter(k), scatter(l)))
		})
		order = order[:limit]
	}
	slices.SortFunc(order, func(k, l int) int {
		return cmp.Or(cmp.Compare(p.Mass[k], p.Mass[l]), cmp.Compare(k, l))
	})
	picked = make([]link, len(order))
	var drawn float64
	for n, k := range order {
		picked[n] = link{i: int(p.I[k]), j: int(p.J[k]), weight: p.Mass[k] / top}
		drawn += picked[n].weight
	}
	// Light links crowd a picture less than heavy ones: between their number
	// and the number of heaviest links that would carry as much.
	crowd := math.Sqrt(float64(len(picked)) * drawn)
	for n := range picked {
		picked[n].style(crowd)
	}
	return picked, entries, drawn / sum
}

// scatter is a fixed one-to-one shuffle of the integers, the finalizer of
// SplitMix64 (Steele, Lea and Flood 2014).
func scatter(k int) uint64 {
	z := uint64(k) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// omissions says what of the data the picture leaves out, empty for nothing.
func omissions(source, target cloud, drawn, entries int, share float64) string {
	var parts []string
	if drawn < entries {
		parts = append(parts, fmt.Sprintf("heaviest %s of %s links drawn, %.0f %% of the mass", count(drawn), count(entries), 100*share))
	}
	for k, c := range []cloud{source, target} {
		if c.drawn() < len(c.at) {
			side := [...]string{"source", "target"}[k]
			parts = append(parts, fmt.Sprintf("%s of %s %s points drawn", count(c.drawn()), count(len(c.at)), side))
		}
	}
	return strings.Join(parts, "; ")
}
