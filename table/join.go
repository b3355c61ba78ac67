package table

import "math"

// join puts blocks one below the other. It takes them apart column by column,
// a few at a time, so that at no time two copies of the whole table exist.
func join(blocks []*Table, r *Reader) (*Table, error) {
	fields, named := r.blocks.schema()
	t := &Table{Name: r.name, Format: r.format, Named: named, Columns: make([]Column, len(fields))}
	for _, b := range blocks {
		t.Rows += b.Rows
	}
	err := eachInParallel(len(fields), func(j int) error {
		parts := make([]*Column, len(blocks))
		for k, b := range blocks {
			parts[k] = &b.Columns[j]
		}
		var err error
		t.Columns[j], err = joinColumn(fields[j], parts, t.Rows, r.src.budget)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.blocks.finish(t)
	dropEmptyEnd(t)
	return t, nil
}

// dropEmptyEnd takes off the column that a separator at the end of each line
// makes.
func dropEmptyEnd(t *Table) {
	if n := len(t.Columns) - 1; n > 0 && t.Columns[n].Kind == Other && (t.Format == "csv" || t.Format == "tsv") {
		t.Columns = t.Columns[:n]
	}
}

// joinColumn joins the parts of a column and empties them.
func joinColumn(f field, parts []*Column, rows int, b *account) (Column, error) {
	if len(parts) == 1 {
		c := *parts[0]
		settleWords(&c)
		sortLevels(&c)
		return c, nil
	}
	c := Column{Name: f.name, Kind: f.kind, Width: max(f.width, 1), Index: f.index, Why: f.why, typed: f.typed, whole: f.whole}
	var had int64
	switch {
	case c.Kind.numeric():
		if err := b.takeProduct(int64(rows), int64(8*c.Width)); err != nil {
			return c, err
		}
		c.Numbers = make([]float64, 0, rows*c.Width)
	case c.Kind.words():
		if err := b.takeProduct(int64(rows), 4); err != nil {
			return c, err
		}
		c.Codes = make([]int32, 0, rows)
	}
	code := make(map[string]int32)
	for _, p := range parts {
		had += int64(8*cap(p.Numbers) + 4*cap(p.Codes))
		c.Numbers = append(c.Numbers, p.Numbers...)
		c.joinWords(p, code)
		c.good, c.clocks, c.truths = c.good+p.good, c.clocks+p.clocks, c.truths+p.truths
		if p.Bad.Count > 0 {
			if c.Bad.Count == 0 {
				c.Bad = p.Bad
				c.Bad.Count = 0
			}
			c.Bad.Count += p.Bad.Count
		}
		*p = Column{}
	}
	b.free(had)
	settleWords(&c)
	sortLevels(&c)
	return c, nil
}

func (c *Column) joinWords(p *Column, code map[string]int32) {
	if !c.Kind.words() {
		return
	}
	place := make([]int32, len(p.Levels))
	for k, s := range p.Levels {
		at, ok := code[s]
		if !ok {
			at = int32(len(c.Levels))
			code[s] = at
			c.Levels = append(c.Levels, s)
		}
		place[k] = at
	}
	for _, k := range p.Codes {
		if k >= 0 {
			k = place[k]
		}
		c.Codes = append(c.Codes, k)
	}
}

// isFinite reports whether v is neither NaN nor infinite.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
