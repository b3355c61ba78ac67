package dataset

import (
	"archive/zip"
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/internal/openfile"
	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// maxPlanJSON bounds the size of a JSON file of a plan or of potentials.
const maxPlanJSON = 1 << 30

// LoadPlan reads a transport plan from m sources to n targets: a table with the
// columns i, j and mass, as it is written by this program; a dense m×n matrix in
// any format that LoadMatrix takes; a sparse matrix that SciPy saved (.npz, COO,
// CSR or CSC); or a JSON object with the lists i, j and mass.
func LoadPlan(path string, m, n int) (*ot.Plan, error) {
	c, err := readNumbers(path)
	if err != nil {
		return nil, err
	}
	if p, err := c.plan(m, n); p != nil || err != nil {
		return p, err
	}
	if c.dense == nil {
		return nil, fileError(path, "is no plan: it needs the columns i, j and mass, or a matrix of %d rows and %d columns", m, n)
	}
	if c.rows != m || c.width != n {
		return nil, fileError(path, "has %d rows and %d columns; a plan is a matrix of %d rows and %d columns, or a table with the columns i, j and mass", c.rows, c.width, m, n)
	}
	p := &ot.Plan{}
	for k, v := range c.dense {
		if v != 0 {
			p.I, p.J, p.Mass = append(p.I, int32(k/n)), append(p.J, int32(k%n)), append(p.Mass, v)
		}
	}
	return p, nil
}

// LoadPotentials reads dual potentials of m sources and n targets: arrays f and
// g (.npz or .json), or a table with the columns side (0 for sources, 1 for
// targets), index and potential.
func LoadPotentials(path string, m, n int) (f, g []float64, err error) {
	c, err := readNumbers(path)
	if err != nil {
		return nil, nil, err
	}
	f, g = c.lists["f"], c.lists["g"]
	if f == nil && g == nil {
		side, index, phi := c.lists["side"], c.lists["index"], c.lists["potential"]
		if side == nil || index == nil || phi == nil || len(side) != len(index) || len(side) != len(phi) {
			return nil, nil, fileError(path, "has no potentials: it needs the arrays f and g, or the columns side, index and potential")
		}
		f, g = make([]float64, m), make([]float64, n)
		for _, v := range [][]float64{f, g} {
			for k := range v {
				v[k] = math.NaN()
			}
		}
		for k, s := range side {
			to := f
			if s != 0 {
				to = g
			}
			i := int(index[k])
			if s != 0 && s != 1 || float64(i) != index[k] || i < 0 || i >= len(to) {
				return nil, nil, rowError(path, k, "side %v, index %v names none of %d sources and %d targets", s, index[k], m, n)
			}
			to[i] = phi[k]
		}
	}
	for _, s := range []struct {
		name string
		v    []float64
		want int
	}{{"source", f, m}, {"target", g, n}} {
		if s.v == nil {
			continue
		}
		if len(s.v) != s.want {
			return nil, nil, fileError(path, "has %d potentials for the %d rows of the %s", len(s.v), s.want, s.name)
		}
		if k := slices.IndexFunc(s.v, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 1) }); k >= 0 {
			return nil, nil, fileError(path, "the potential of row %d of the %s is missing or no number (rows count from 0)", k, s.name)
		}
	}
	return f, g, nil
}

func rowError(path string, row int, format string, args ...any) *InputError {
	e := fileError(path, format, args...)
	e.Row = row
	return e
}

// fileNumbers are the numbers of a file: lists by name, or a matrix.
type fileNumbers struct {
	path        string
	lists       map[string][]float64
	format      string // of a sparse matrix of SciPy
	dense       []float64
	rows, width int
}

func readNumbers(path string) (*fileNumbers, error) {
	c := &fileNumbers{path: path, lists: make(map[string][]float64)}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return c, c.readJSON()
	case ".npz":
		return c, c.readNPZ()
	}
	return c, c.readTable()
}

func (c *fileNumbers) readJSON() error {
	text, err := openfile.Read(c.path, maxPlanJSON)
	if err != nil {
		return readError(c.path, err)
	}
	if err := json.Unmarshal(text, &c.lists); err == nil {
		return nil
	}
	var matrix [][]float64
	if err := json.Unmarshal(text, &matrix); err != nil {
		return fileError(c.path, "is neither a JSON object with lists of numbers nor a matrix: %v", err)
	}
	c.rows = len(matrix)
	for i, row := range matrix {
		if i == 0 {
			c.width = len(row)
		}
		if len(row) != c.width {
			return rowError(c.path, i, "has %d numbers, the first row has %d (rows count from 0)", len(row), c.width)
		}
		c.dense = append(c.dense, row...)
	}
	return nil
}

// listNames are the arrays that an archive of several is looked through for.
var listNames = []string{"i", "j", "row", "col", "source", "target", "mass", "data", "indices", "indptr", "f", "g", "side", "index", "potential", "plan"}

func (c *fileNumbers) readNPZ() error {
	names, err := c.arrayNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		if len(names) > 1 && !slices.Contains(listNames, name) {
			continue
		}
		t, err := table.Read(c.path, &table.Options{Array: name, Header: table.HeaderNo})
		if err != nil {
			return err
		}
		if len(t.Shape) == 2 {
			if err := c.fill(t); err != nil {
				return err
			}
			continue
		}
		if len(t.Columns) == 1 && t.Columns[0].Width == 1 {
			c.lists[name] = t.Columns[0].Numbers
		}
	}
	return nil
}

// arrayNames lists the arrays of an archive, and notes the format that SciPy
// gives a sparse matrix.
func (c *fileNumbers) arrayNames() ([]string, error) {
	f, info, err := openfile.Open(c.path)
	if err != nil {
		return nil, readError(c.path, err)
	}
	defer f.Close()
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, readError(c.path, err)
	}
	var names []string
	for _, e := range z.File {
		name, ok := strings.CutSuffix(e.Name, ".npy")
		if !ok {
			continue
		}
		names = append(names, name)
		if name == "format" {
			r, err := e.Open()
			if err != nil {
				return nil, readError(c.path, err)
			}
			text, err := io.ReadAll(io.LimitReader(r, 1024))
			r.Close()
			if err != nil {
				return nil, readError(c.path, err)
			}
			plain := strings.ReplaceAll(string(text[max(0, len(text)-12):]), "\x00", "") // three letters of one or of four bytes
			c.format = plain[max(0, len(plain)-3):]
		}
	}
	if len(names) == 0 {
		return nil, fileError(c.path, "the archive has no array to read")
	}
	return names, nil
}

func (c *fileNumbers) readTable() error {
	t, err := table.Read(c.path, nil)
	if err != nil {
		return err
	}
	if len(t.Shape) == 1 && len(t.Columns) == 1 {
		return fileError(c.path, "is a vector")
	}
	return c.fill(t)
}

// fill takes the numbers of a table, by column and as a matrix.
func (c *fileNumbers) fill(t *table.Table) error {
	var columns []*table.Column
	for k := range t.Columns {
		col := &t.Columns[k]
		if col.Index {
			continue
		}
		if col.Kind != table.Number && col.Kind != table.Vector && col.Kind != table.Boolean {
			return fileError(c.path, "column %q is not of numbers", col.Name)
		}
		if count, first := col.Missing(); count > 0 {
			return rowError(c.path, first, "column %q is empty or no number (rows count from 0)", col.Name)
		}
		columns = append(columns, col)
		c.width += col.Width
		if col.Width == 1 {
			c.lists[strings.ToLower(col.Name)] = col.Numbers
		}
	}
	c.rows = t.Rows
	c.dense = make([]float64, 0, c.rows*c.width)
	for i := range t.Rows {
		for _, col := range columns {
			c.dense = append(c.dense, col.Numbers[i*col.Width:(i+1)*col.Width]...)
		}
	}
	return nil
}

// tripleNames are the names that columns of a sparse plan go by.
var tripleNames = [][3]string{{"i", "j", "mass"}, {"row", "col", "data"}, {"row", "col", "mass"}, {"source", "target", "mass"}}

// plan is the sparse plan of the lists; nil where they are none.
func (c *fileNumbers) plan(m, n int) (*ot.Plan, error) {
	for _, names := range tripleNames {
		i, j, mass := c.lists[names[0]], c.lists[names[1]], c.lists[names[2]]
		if i == nil && j == nil || mass == nil {
			continue
		}
		if len(i) != len(mass) || len(j) != len(mass) {
			return nil, fileError(c.path, "has %d, %d and %d numbers in %s, %s and %s", len(i), len(j), len(mass), names[0], names[1], names[2])
		}
		return c.triples(i, j, mass, m, n)
	}
	data, indices, starts := c.lists["data"], c.lists["indices"], c.lists["indptr"]
	if data != nil && indices != nil && starts != nil {
		major, err := c.spread(starts, len(data))
		if err != nil {
			return nil, err
		}
		switch c.format {
		case "csr":
			return c.triples(major, indices, data, m, n)
		case "csc":
			return c.triples(indices, major, data, m, n)
		}
		return nil, fileError(c.path, "is a sparse matrix of a format that is not read; save it as COO, CSR or CSC")
	}
	if c.width == 3 && (n != 3 || c.rows != m) && len(c.dense) > 0 { // without names
		var part [3][]float64
		for k, v := range c.dense {
			part[k%3] = append(part[k%3], v)
		}
		return c.triples(part[0], part[1], part[2], m, n)
	}
	return nil, nil
}

// spread turns the starts of rows into the row of every entry.
func (c *fileNumbers) spread(starts []float64, entries int) ([]float64, error) {
	out := make([]float64, 0, entries)
	for r := range len(starts) - 1 {
		if !(starts[r] <= starts[r+1]) || starts[r] != float64(len(out)) || starts[r+1] > float64(entries) {
			return nil, fileError(c.path, "indptr is damaged at row %d", r)
		}
		for len(out) < int(starts[r+1]) {
			out = append(out, float64(r))
		}
	}
	if len(out) != entries {
		return nil, fileError(c.path, "indptr is for %d entries of %d", len(out), entries)
	}
	return out, nil
}

// triples is the plan of three lists.
func (c *fileNumbers) triples(i, j, mass []float64, m, n int) (*ot.Plan, error) {
	p := &ot.Plan{I: make([]int32, len(mass)), J: make([]int32, len(mass)), Mass: mass}
	for k := range mass {
		for _, s := range []struct {
			name string
			v    float64
			n    int
			to   []int32
		}{{"source", i[k], m, p.I}, {"target", j[k], n, p.J}} {
			if s.v != math.Trunc(s.v) || s.v < 0 || s.v >= float64(s.n) {
				return nil, rowError(c.path, k, "%v is not a row of the %s, which has rows 0 to %d", s.v, s.name, s.n-1)
			}
			s.to[k] = int32(s.v)
		}
		if math.IsNaN(mass[k]) || math.IsInf(mass[k], 0) {
			return nil, rowError(c.path, k, "mass %v is not a finite number", mass[k])
		}
	}
	return p, nil
}
