package dataset

import (
	"encoding/csv"
	"io"
	"strconv"

	"rot.example/rot/table"
)

// MarkColumn is the name of the column of outlier marks, 0 and 1, in the files
// that WriteMarked and WriteMarks write.
const MarkColumn = "outlier"

// WriteMarked writes the rows of t as CSV: ids where there are any, the columns
// of the file that t was read from, or coordinates where they were scaled, and
// the marks of t.Outlier in the last column.
func (t *Table) WriteMarked(w io.Writer) error {
	p := &t.Points
	if e := t.Encoding; e != nil && e.Named && e.Scale == table.ScaleNone {
		return t.writeDecoded(w)
	}
	var head []string
	if p.IDs != nil {
		head = append(head, "id")
	}
	for j := range p.Dim {
		name := "x" + strconv.Itoa(j)
		if t.Columns != nil {
			name = t.Columns[j]
		}
		head = append(head, name)
	}
	return writeRecords(w, append(head, MarkColumn), p.Len(), func(row []string, i int) []string {
		if p.IDs != nil {
			row = append(row, p.IDs[i])
		}
		for _, v := range p.Row(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return append(row, mark(t.Outlier, i))
	})
}

// writeDecoded is WriteMarked for columns of any kind.
func (t *Table) writeDecoded(w io.Writer) error {
	n := t.Points.Len()
	d := t.Encoding.Decode(t.Points.Coords)
	if t.Points.IDs != nil {
		id := table.Column{Name: "id", Kind: table.Text, Codes: make([]int32, n), Levels: t.Points.IDs, Width: 1}
		for i := range n {
			id.Codes[i] = int32(i)
		}
		d.Columns = append([]table.Column{id}, d.Columns...)
	}
	marks := table.Column{Name: MarkColumn, Numbers: make([]float64, n), Width: 1}
	for i := range n {
		if t.Outlier != nil && t.Outlier[i] {
			marks.Numbers[i] = 1
		}
	}
	d.Columns = append(d.Columns, marks)
	return d.WriteCSV(w)
}

// WriteLabels writes the labels of t as CSV with one column.
func (t *Table) WriteLabels(w io.Writer) error {
	return writeRecords(w, []string{"label"}, len(t.Labels), func(row []string, i int) []string { return append(row, t.Labels[i]) })
}

// WriteMarks writes which images are outliers as CSV: index, id and the mark.
func (im *Images) WriteMarks(w io.Writer) error {
	return writeRecords(w, []string{"index", "id", MarkColumn}, im.Len(), func(row []string, i int) []string {
		return append(row, strconv.Itoa(i), im.ID(i), mark(im.Outlier, i))
	})
}

// writeRecords writes n records below a header; record appends the fields of
// one to an empty row.
func writeRecords(w io.Writer, head []string, n int, record func(row []string, i int) []string) error {
	c := csv.NewWriter(w)
	if err := c.Write(head); err != nil {
		return err
	}
	var row []string
	for i := range n {
		row = record(row[:0], i)
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// mark is the mark of sample i; without marks none is an outlier.
func mark(outlier []bool, i int) string {
	if outlier != nil && outlier[i] {
		return "1"
	}
	return "0"
}
