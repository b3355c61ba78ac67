package drift

import "rot.example/rot/table"

// ColumnsOf returns the columns of vectors that e made, as Options takes them:
// one for each column of the table, and one more for what marks its missing
// cells.
func ColumnsOf(e *table.Encoding) []Column {
	var columns []Column
	for j, g := range e.Groups() {
		c := &e.Columns[j]
		column := Column{Name: g.Name, Kind: Number, First: g.First, Width: g.Width}
		if c.Indicator {
			column.Width--
		}
		if c.Kind == table.Category {
			column.Kind, column.Categories = Category, c.Levels
		}
		columns = append(columns, column)
		if c.Indicator {
			columns = append(columns, Column{Name: g.Name + " missing", Kind: Number, First: g.First + g.Width - 1, Width: 1})
		}
	}
	return columns
}
