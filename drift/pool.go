package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

// mostAside is the part of the pooled rows that may be set aside. More is not
// dirt: it is a part of what one of the samples is like. From fewAside on it may
// be that as well, such as a rare category, and only what is far from all else
// is dirt.
const (
	mostAside = 0.1
	fewAside  = 0.05
)

// pool draws the rows of the test, sets those aside that stand out from all of
// them, and scales the others.
func (c *comparison) pool(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(c.options.Seed, 1))
	sides := [2]*ot.Points{c.reference, c.fresh}
	all := &ot.Points{Dim: c.reference.Dim}
	var from [2][]int
	for s, x := range sides {
		from[s] = draw(rng, x.Len(), c.options.Rows)
		for _, i := range from[s] {
			all.Coords = append(all.Coords, x.Row(i)...)
		}
		c.sample[s] = len(from[s])
	}
	aside, err := c.standOut(ctx, all)
	if err != nil {
		return err
	}
	kept := &ot.Points{Dim: all.Dim}
	for k := range all.Len() {
		s, at := 0, k
		if k >= len(from[0]) {
			s, at = 1, k-len(from[0])
		}
		if aside != nil && aside[k] {
			c.aside[s]++
			if s == 1 {
				c.odd = append(c.odd, from[s][at])
			}
			continue
		}
		c.places[s] = append(c.places[s], from[s][at])
		kept.Coords = append(kept.Coords, all.Row(k)...)
	}
	c.n, c.m = len(c.places[0]), len(c.places[1])
	c.scaled = newScaled(kept, c.options.Columns, c.options.Unscaled)
	return nil
}

// standOut marks the rows that stand out from all rows; nil when none do, or
// more than dirt would.
func (c *comparison) standOut(ctx context.Context, all *ot.Points) ([]bool, error) {
	r, err := clean.Find(ctx, all, c.options.cleaning())
	if err != nil {
		return nil, err
	}
	c.tick()
	part := func(marks []bool) (p float64) {
		for _, m := range marks {
			if m {
				p += 1 / float64(len(marks))
			}
		}
		return p
	}
	marks := r.StandOut(c.options.FDR)
	if p := part(marks); p == 0 {
		return nil, nil
	} else if p > fewAside {
		if far := r.FarOut(c.options.FDR); part(far) > 0 || p > mostAside {
			marks = far
		}
	}
	if p := part(marks); p == 0 || p > mostAside {
		return nil, nil
	}
	return marks, nil
}

// cleaning is the options for package clean.
func (o *Options) cleaning() *clean.Options {
	out := &clean.Options{FDR: o.FDR, Unscaled: o.Unscaled, Seed: o.Seed}
	for _, c := range o.Columns {
		if c.Kind == Category {
			out.Groups = append(out.Groups, clean.Group{First: c.First, Width: c.Width})
		}
	}
	return out
}

// dirt is how likely so many of the rows set aside would be new ones by chance:
// the tail of a hypergeometric distribution.
func (c *comparison) dirt() float64 {
	k := c.aside[0] + c.aside[1]
	if c.aside[1] == 0 {
		return 1
	}
	n, m := c.sample[0], c.sample[1]
	total := logChoose(n+m, k)
	var p float64
	for b := c.aside[1]; b <= min(k, m); b++ {
		if k-b <= n {
			p += math.Exp(logChoose(m, b) + logChoose(n, k-b) - total)
		}
	}
	return math.Min(1, p)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	d, _ := math.Lgamma(float64(n - k + 1))
	return a - b - d
}

// scaled is rows in common units: a column of numbers has a deviation of 1, and
// so have the numbers of a category together.
type scaled struct {
	n, d int
	v    []float64
	unit []float64 // what one of it is in the rows themselves
}

func (s *scaled) row(i int) []float64 { return s.v[i*s.d : (i+1)*s.d : (i+1)*s.d] }

// tame is where a scaled value begins to grow like its logarithm only.
const tame = 4

// newScaled scales without a look at which sample a row belongs to.
func newScaled(x *ot.Points, columns []Column, unscaled bool) *scaled {
	s := &scaled{n: x.Len(), d: x.Dim, v: make([]float64, len(x.Coords)), unit: make([]float64, x.Dim)}
	centre := make([]float64, x.Dim)
	values := make([]float64, s.n)
	for _, c := range columns {
		var square float64
		for j := c.First; j < c.First+c.Width; j++ {
			for i := range values {
				values[i] = x.Coords[i*x.Dim+j]
			}
			var sd float64
			if c.Kind == Category {
				centre[j], sd = moments(values)
			} else {
				centre[j], sd = trimmed(values)
			}
			s.unit[j] = sd
			square += sd * sd
		}
		if c.Kind == Category {
			for j := c.First; j < c.First+c.Width; j++ {
				s.unit[j] = math.Sqrt(square)
			}
		}
	}
	if unscaled {
		var square float64
		for _, u := range s.unit {
			square += u * u / float64(x.Dim)
		}
		for j := range s.unit {
			s.unit[j] = math.Sqrt(square)
		}
	}
	for i := range s.n {
		for j, v := range x.Row(i) {
			if s.unit[j] == 0 {
				continue
			}
			z := (v - centre[j]) / s.unit[j]
			if a := min(math.Abs(z), math.MaxFloat64); a > tame {
				z = math.Copysign(tame*(1+math.Log(a/tame)), z)
			}
			s.row(i)[j] = z
		}
	}
	return s
}

// trimmed is the mean and the deviation without the ends of the values; of all
// where the rest is constant.
func trimmed(v []float64) (mean, sd float64) {
	slices.Sort(v)
	cut := (len(v) + 99) / 100
	if 2*cut+2 < len(v) && v[cut] < v[len(v)-1-cut] {
		v = v[cut : len(v)-cut]
	}
	return moments(v)
}

func moments(v []float64) (mean, sd float64) {
	unit := 0.
	for _, t := range v {
		unit = max(unit, math.Abs(t))
	}
	if unit == 0 {
		return 0, 0
	}
	for _, t := range v {
		mean += t / unit / float64(len(v))
	}
	for _, t := range v {
		sd += (t/unit - mean) * (t/unit - mean) / float64(len(v))
	}
	if sd < 1e-24 { // rounding
		sd = 0
	}
	return mean * unit, math.Sqrt(sd) * unit
}
