package dataset

import (
	"math"
	"slices"

	"rot.example/rot/ot"
)

// MixTables replaces a fraction of the rows, at seeded random places, by rows
// of dirt, and marks those in Outlier. They are drawn without replacement
// unless dirt is too small. The total stays, and so do the labels and weights
// of the rows: an outlier passes for what it replaces. clean and dirt are left
// as they are.
func MixTables(clean, dirt *Table, fraction float64, seed uint64) (*Table, error) {
	p, q := &clean.Points, &dirt.Points
	n := p.Len()
	m, err := planMix(n, q.Len(), fraction, seed, dirt.Name)
	if err != nil {
		return nil, err
	}
	if p.Dim != q.Dim {
		return nil, fileError(dirt.Name, "has rows of %d numbers, and %s of %d", q.Dim, clean.Name, p.Dim).with(DeclareOther)
	}
	out := &Table{
		Labels: slices.Clone(clean.Labels), Columns: clean.Columns, Name: clean.Name, Format: clean.Format,
		Encoding: clean.Encoding, Notes: slices.Concat(clean.Notes, dirt.Notes),
		Outlier: m.marks(clean.Outlier, n),
	}
	out.Points = ot.Points{Dim: p.Dim, Coords: slices.Clone(p.Coords), Weights: slices.Clone(p.Weights)}
	for k, i := range m.places {
		copy(out.Points.Row(i), q.Row(m.draws[k]))
	}
	out.Points.IDs = m.ids(p.IDs, n, p.ID, foreign(dirt.Name, q.IDs))
	return out, nil
}

// Mix is MixTables with what spec, DIRT@FRACTION, stands for. DIRT is a spec
// of points, read with opts, or the word Uniform.
func (t *Table) Mix(spec string, opts *Options, seed uint64) (*Table, error) {
	data, fraction, err := ParseMix(spec)
	if err != nil {
		return nil, err
	}
	var dirt *Table
	if data == Uniform {
		dirt = NoiseTable(t, max(mixCount(t.Points.Len(), fraction), 1), seed)
	} else if dirt, err = t.loadLike(data, opts); err != nil {
		return nil, err
	}
	return MixTables(t, dirt, fraction, seed)
}

// loadLike loads other data with columns like those of t.
func (t *Table) loadLike(spec string, opts *Options) (*Table, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.Lenient, o.Bare = true, true
	if t.Encoding != nil {
		o.Encoding = t.Encoding
	}
	return Load(spec, &o)
}

// NoiseTable makes n rows that are uniform in the bounding box of t, made
// three times as wide about its centre.
func NoiseTable(t *Table, n int, seed uint64) *Table {
	dim := t.Points.Dim
	out := &Table{Name: Uniform, Format: "synth", Columns: t.Columns}
	out.Points = ot.Points{Dim: dim, Coords: make([]float64, n*dim)}
	low, high := t.box()
	rng := streamOf("noise", seed, 0)
	for i := range out.Points.Coords {
		j := i % dim
		const most = math.MaxFloat64 // a box as wide as all numbers has no triple
		v := low[j]/2 + high[j]/2 + (3*rng.Float64()-1.5)*min(high[j]-low[j], most)
		out.Points.Coords[i] = min(max(v, -most), most)
	}
	return out
}

// box is the least and the greatest value of each column.
func (t *Table) box() (low, high []float64) {
	p := &t.Points
	if p.Len() == 0 {
		return nil, nil
	}
	low, high = slices.Clone(p.Row(0)), slices.Clone(p.Row(0))
	for i := range p.Len() {
		for j, v := range p.Row(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	return low, high
}
