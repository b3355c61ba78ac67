package table

// Summary describes e in a line; "" for a nil e, and where columns are numbers
// as they stand.
func (e *Encoding) Summary() string {
	if e == nil {
		return ""
	}
	plain := e.Scale == ScaleNone && (e.Missing == MissingError || e.Missing == MissingIndicator)
	for j := range e.Columns {
		plain = plain && e.Columns[j].Kind == Number && !e.Columns[j].Indicator
	}
	if plain {
		return ""
	}
	return e.String()
}

// Categories returns the components that stand for the words of each category,
// without those that mark missing cells; nil for a nil e.
func (e *Encoding) Categories() []Group {
	if e == nil {
		return nil
	}
	var groups []Group
	for j, g := range e.Groups() {
		if c := &e.Columns[j]; c.Kind == Category {
			groups = append(groups, Group{Name: g.Name, First: g.First, Width: len(c.Levels)})
		}
	}
	return groups
}

// LevelComponents marks the components that stand for words of categories; nil
// for a nil e.
func (e *Encoding) LevelComponents() []bool {
	if e == nil {
		return nil
	}
	marks := make([]bool, e.Dim())
	for _, g := range e.Categories() {
		for j := range g.Width {
			marks[g.First+j] = true
		}
	}
	return marks
}
