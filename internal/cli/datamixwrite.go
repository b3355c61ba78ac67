package cli

import (
	"encoding/csv"
	"io"
	"strconv"
)

// markColumn is what mix calls the column of outlier marks.
const markColumn = "outlier"

// writeRows writes ids, coordinates and marks.
func (m *mixed) writeRows(w io.Writer) error {
	p := &m.rows.Points
	var head []string
	if p.IDs != nil {
		head = append(head, "id")
	}
	for j := range p.Dim {
		name := "x" + strconv.Itoa(j)
		if m.rows.Columns != nil {
			name = m.rows.Columns[j]
		}
		head = append(head, name)
	}
	return writeCSV(w, append(head, markColumn), p.Len(), func(row []string, i int) []string {
		if p.IDs != nil {
			row = append(row, p.IDs[i])
		}
		for _, v := range p.Row(i) {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return append(row, mark(m.rows.Outlier, i))
	})
}

func (m *mixed) writeRowLabels(w io.Writer) error {
	return writeCSV(w, []string{"label"}, m.N, func(row []string, i int) []string { return append(row, m.rows.Labels[i]) })
}

// writeMarks says which images are outliers.
func (m *mixed) writeMarks(w io.Writer) error {
	return writeCSV(w, []string{"index", "id", markColumn}, m.N, func(row []string, i int) []string {
		return append(row, strconv.Itoa(i), m.images.ID(i), mark(m.images.Outlier, i))
	})
}

// writeCSV writes n records below a header; record appends the fields of one
// to an empty row.
func writeCSV(w io.Writer, head []string, n int, record func(row []string, i int) []string) error {
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
