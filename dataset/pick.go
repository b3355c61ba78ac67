package dataset

import (
	"slices"
	"strconv"
)

// choose is the part of t, which comes from file, that sel picks.
func (t *Table) choose(file string, sel selection, match matcher) (*Table, error) {
	if len(sel) == 0 {
		return t, nil
	}
	rows, err := sel.of(file, "rows", t.Points.Len(), match)
	if err != nil {
		return nil, err
	}
	return t.pick(rows), nil
}

// byLabel matches steps with the labels of t, which comes from file and was
// loaded with opts.
func (t *Table) byLabel(file string, opts *Options) matcher {
	return func(s *step) (func(i int) bool, error) {
		switch {
		case s.name != "label" && s.name != opts.LabelColumn:
			return nil, fileError(file, "%s: rows are chosen by their label, as in [label=…]; by other names only in .npz files", s.text)
		case t.Labels == nil:
			return nil, fileError(file, "%s: there are no labels to choose by", s.text).with(DeclareLabels)
		}
		return s.match(file, "label", t.Labels)
	}
}

// pick is the table of the given rows, in rising order. They keep their
// numbers for names when they have no others.
func (t *Table) pick(rows []int) *Table {
	p := &t.Points
	if len(rows) == p.Len() {
		return t
	}
	out := *t
	out.Points.Coords = make([]float64, 0, len(rows)*p.Dim)
	for _, i := range rows {
		out.Points.Coords = append(out.Points.Coords, p.Row(i)...)
	}
	out.Points.Weights = at(p.Weights, rows)
	out.Points.IDs = pickIDs(p.IDs, rows)
	out.Labels = at(t.Labels, rows)
	out.Outlier = at(t.Outlier, rows)
	if t.shape != nil {
		out.shape = slices.Clone(t.shape)
		out.shape[0] = len(rows)
	}
	if first, last := rows[0], rows[len(rows)-1]; t.firstLine > 0 && last-first == len(rows)-1 {
		out.firstLine += first
	} else {
		out.firstLine = 0 // The lines have gaps.
	}
	return &out
}

// choose is the part of im, which comes from file, that sel picks.
func (im *Images) choose(file string, sel selection) (*Images, error) {
	if len(sel) == 0 {
		return im, nil
	}
	rows, err := sel.of(file, "images", im.Len(), func(s *step) (func(i int) bool, error) {
		return im.byLabel(file, s)
	})
	if err != nil {
		return nil, err
	}
	return im.pick(rows), nil
}

// byLabel tells which images are of the classes that s lists: by name where
// the classes have names, otherwise by number.
func (im *Images) byLabel(file string, s *step) (func(i int) bool, error) {
	switch {
	case s.name != "label":
		return nil, fileError(file, "%s: images are chosen by their label, as in [label=…]", s.text)
	case im.Labels == nil:
		return nil, fileError(file, "%s: the images have no labels", s.text)
	}
	names := make([]string, im.Classes)
	for k := range names {
		names[k] = im.className(k)
	}
	has := make([]bool, im.Classes)
	for _, v := range s.values {
		k := slices.Index(names, v)
		if k < 0 {
			return nil, fileError(file, "%s: no class is called %s; there are %s", s.text, quote(v), list(names))
		}
		has[k] = true
	}
	return func(i int) bool { return has[im.Labels[i]] }, nil
}

// pick is the set of the given images, in rising order. They keep their
// numbers for names when they have no others; so do the classes.
func (im *Images) pick(rows []int) *Images {
	if len(rows) == im.Len() {
		return im
	}
	out := *im
	out.Pix = make([]uint8, 0, len(rows)*im.H*im.W*im.C)
	for _, i := range rows {
		out.Pix = append(out.Pix, im.At(i)...)
	}
	out.Labels = at(im.Labels, rows)
	out.Outlier = at(im.Outlier, rows)
	out.IDs = pickIDs(im.IDs, rows)
	return &out
}

// pickIDs are the names of samples of a set, which may have none.
func pickIDs(ids []string, rows []int) []string {
	if ids != nil {
		return at(ids, rows)
	}
	if rows[len(rows)-1] == len(rows)-1 {
		return nil // The index will do.
	}
	ids = make([]string, len(rows))
	for k, i := range rows {
		ids[k] = strconv.Itoa(i)
	}
	return ids
}

// at is the values at the given places; nil stays nil.
func at[T any](values []T, places []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(places))
	for k, i := range places {
		out[k] = values[i]
	}
	return out
}
