package dataset

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/table"
)

// LoadWeights reads sample weights from a file of any format that Load takes:
// one column (or a 1-D array) of weights in the order of the rows, or the two
// columns index and weight, where index counts rows from 0 and every row has
// its line, in any order. An index of pandas beside one column is such a column,
// if it has the numbers of all rows. Weights are at least 0, and not all 0.
func LoadWeights(path string) ([]float64, error) {
	t, err := Load(path, nil)
	if err != nil && formatOf(path) == "npz" {
		// Arrays called index and weight are the two columns.
		if both, err2 := Load(path, &Options{Columns: []string{"index", "weight"}}); err2 == nil {
			t, err = both, nil
		}
	}
	if err != nil {
		return nil, err
	}
	w := t.numbered()
	if t.Points.Dim != 1 {
		if w, err = t.indexed(); err != nil {
			return nil, err
		}
	} else if i := slices.IndexFunc(t.Points.Coords, func(v float64) bool { return v < 0 }); i >= 0 {
		return nil, t.rowError(i, "weight %v is negative", t.Points.Coords[i])
	}
	if slices.Max(w) == 0 {
		return nil, fileError(path, "all weights are 0")
	}
	return w, nil
}

// numbered returns the numbers of a table of one column in the order of the rows:
// by its ids, where these are the numbers of all rows, or else as they stand.
func (t *Table) numbered() []float64 {
	n := len(t.Points.IDs)
	if n == 0 || t.Points.Dim != 1 {
		return t.Points.Coords
	}
	out, seen := make([]float64, n), make([]bool, n)
	for i, id := range t.Points.IDs {
		k, err := strconv.Atoi(id)
		if err != nil || k < 0 || k >= n || seen[k] {
			return t.Points.Coords
		}
		out[k], seen[k] = t.Points.Coords[i], true
	}
	return out
}

// indexed brings the weights of a table with the columns index and weight
// into the order of the rows.
func (t *Table) indexed() ([]float64, error) {
	index := columnCalled(t.Columns, "index")
	weight := columnCalled(t.Columns, "weight")
	if t.Points.Dim != 2 || index < 0 || weight < 0 {
		return nil, fileError(t.Name, "has %d columns; weights need one column, or the two columns index and weight", t.Points.Dim)
	}
	n := t.Points.Len()
	w, seen := make([]float64, n), make([]bool, n)
	for i := range n {
		row := t.Points.Row(i)
		k, bad := t.rowIndex(i, row[index], n, seen)
		if bad != nil {
			return nil, bad
		}
		if w[k] = row[weight]; w[k] < 0 {
			return nil, t.rowError(i, "weight %v is negative", w[k])
		}
	}
	return w, nil
}

// rowIndex checks v, which row i of t gives as the number of a row, and marks
// it as seen.
func (t *Table) rowIndex(i int, v float64, n int, seen []bool) (int, *InputError) {
	if v != math.Trunc(v) || v < 0 || v >= float64(n) {
		return 0, t.rowError(i, "index %v is not a row number from 0 to %d", v, n-1)
	}
	k := int(v)
	if seen[k] {
		return 0, t.rowError(i, "index %d occurs twice", k)
	}
	seen[k] = true
	return k, nil
}

func columnCalled(names []string, want string) int {
	return slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, want) })
}

// LoadMatrix reads a matrix, of costs say, from a file of any format that Load
// takes. data is row-major, and may hold +Inf, which forbids a pair. An array
// must have two dimensions. The column of a table that Load would take for ids
// is not part of the matrix.
func LoadMatrix(path string) (rows, cols int, data []float64, err error) {
	rows, cols, data, _, err = loadMatrix(path)
	return rows, cols, data, err
}

// loadMatrix is LoadMatrix, with notes about how the file was read.
func loadMatrix(path string) (rows, cols int, data []float64, notes []string, err error) {
	t, err := Load(path, &Options{FileOrder: true})
	if err != nil {
		if rows, cols, data, ok := infiniteMatrix(path); ok {
			return rows, cols, data, nil, nil
		}
		return 0, 0, nil, nil, err
	}
	if t.shape != nil && len(t.shape) != 2 {
		return 0, 0, nil, nil, fileError(path, "has shape %s; a matrix has two dimensions", shapeText(t.shape))
	}
	return t.Points.Len(), t.Points.Dim, t.Points.Coords, t.Notes, nil
}

// infiniteMatrix reads a table of nothing but numbers of which some are +Inf.
// It is not ok where anything else is wrong with it.
func infiniteMatrix(path string) (rows, cols int, data []float64, ok bool) {
	if table.FormatOf(path) == "" {
		return 0, 0, nil, false
	}
	t, err := table.Read(path, nil)
	if err != nil || t.Shape != nil && len(t.Shape) != 2 {
		return 0, 0, nil, false
	}
	var columns []*table.Column
	for k := range t.Columns {
		c := &t.Columns[k]
		if c.Index {
			continue
		}
		if c.Kind != table.Number && c.Kind != table.Vector || c.Bad.Count > 0 {
			return 0, 0, nil, false
		}
		columns = append(columns, c)
		cols += c.Width
	}
	data = make([]float64, 0, t.Rows*cols)
	for i := range t.Rows {
		for _, c := range columns {
			for _, v := range c.Numbers[i*c.Width : (i+1)*c.Width] {
				if math.IsNaN(v) || math.IsInf(v, -1) {
					return 0, 0, nil, false
				}
				data = append(data, v)
			}
		}
	}
	return t.Rows, cols, data, len(data) > 0
}

// LoadMarks reads which of n rows are known outliers. The file has one column
// (or is a 1-D array), in one of two forms: a mark for each of the n rows, 1
// or true for an outlier and 0 or false for a good row, with or without a
// header; or, under the header index, the numbers of the outlier rows counted
// from 0, of which there may be none. Of text with more columns, such as rot
// data mix writes, the one called outlier is read.
func LoadMarks(path string, n int) ([]bool, error) {
	body, sel := cutSelection(path, isFile)
	file, _ := splitSpec(body)
	format, err := checkFile(body, file)
	if err != nil {
		return nil, err
	}
	var t *Table
	switch format {
	case "csv", "tsv":
		if t, err = loadMarkText(file); err == nil {
			t, err = t.choose(body, sel, t.byLabel(body, &Options{}))
		}
	default:
		t, err = Load(path, nil)
		if err == nil && t.Points.Dim != 1 {
			return nil, fileError(path, "has %d columns; marks need one", t.Points.Dim)
		}
	}
	if err != nil {
		return nil, err
	}
	if columnCalled(t.Columns, "index") >= 0 {
		marks := make([]bool, n)
		for i, v := range t.Points.Coords {
			if _, bad := t.rowIndex(i, v, n, marks); bad != nil {
				return nil, bad
			}
		}
		return marks, nil
	}
	if got := len(t.Points.Coords); got != n {
		return nil, fileError(path, "has %d marks for %d rows", got, n)
	}
	marks := make([]bool, n)
	for i, v := range t.Points.Coords {
		if v != 0 && v != 1 {
			return nil, t.rowError(i, "%v is not an outlier mark (1 or true for an outlier, 0 or false for a good row)", v)
		}
		marks[i] = v == 1
	}
	return marks, nil
}

// loadMarkText reads a column of marks or of row numbers. It is not Load
// because marks may be words and a list of row numbers may be empty.
func loadMarkText(path string) (*Table, error) {
	read, err := table.Read(path, &table.Options{Header: table.HeaderNo, AsWritten: []string{"1"}})
	if err != nil {
		return nil, err
	}
	if len(read.Columns) > 1 {
		named, err := table.Read(path, nil)
		if err != nil {
			return nil, err
		}
		for j := range named.Columns {
			if name := named.Columns[j].Name; strings.EqualFold(name, "outlier") {
				return loadMarkColumn(path, name)
			}
		}
		e := fileError(path, "the line has %d fields; marks need one", len(read.Columns))
		e.Line = 1
		return nil, e
	}
	t := &Table{Name: path, firstLine: read.Line(0)}
	t.Points.Dim = 1
	listed := false // row numbers, not marks
	for i, text := range read.Columns[0].Texts() {
		v, number := parseNumber([]byte(text))
		mark, ok := parseMark(text)
		switch {
		case number:
		case ok && mark && !listed:
			v = 1
		case ok && !listed:
			v = 0
		case i == 0 && text != "":
			t.Columns = []string{text}
			if t.firstLine > 0 {
				t.firstLine++
			}
			listed = columnCalled(t.Columns, "index") >= 0
			continue
		case listed:
			return nil, t.rowError(len(t.Points.Coords), "%s is not a row number", quote(text))
		default:
			return nil, t.rowError(len(t.Points.Coords), "%s is not an outlier mark (1 or true for an outlier, 0 or false for a good row)", quote(text))
		}
		t.Points.Coords = append(t.Points.Coords, v)
	}
	return t, nil
}

// loadMarkColumn reads the marks in one column of a table.
func loadMarkColumn(path, column string) (*Table, error) {
	t, err := Load(path, &Options{LabelColumn: column})
	if err != nil {
		return nil, err
	}
	marks, err := t.Marks()
	if err != nil {
		return nil, err
	}
	t.Columns, t.Points.Dim, t.Points.Coords = nil, 1, make([]float64, len(marks))
	for i, m := range marks {
		if m {
			t.Points.Coords[i] = 1
		}
	}
	return t, nil
}
