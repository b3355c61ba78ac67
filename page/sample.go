package page

import (
	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// A Sample is the rows or images of one side, with their names and labels.
type Sample struct {
	Name    string     // of the file, say
	Points  *ot.Points // the rows; of images, vectors that stand for them
	Total   int        // rows that Points were drawn from; 0: Points are all
	Places  []int      // which of these Points are; nil: all, in their order
	Columns []string   // names of the columns; nil: they are numbered
	Levels  []bool     // which columns are components of categories, called name=word; nil: none
	Labels  []string   // one for each row; nil: there are none
	Marks   bool       // Labels mark outliers and do not name classes

	Images   *dataset.Images // nil for rows
	Features string          // what made vectors of images; "" for rows
}

// thing is what one of the sample is called.
func (s *Sample) thing() string {
	if s.Features != "" {
		return "image"
	}
	return "row"
}

// Things returns a number of rows or images in words, such as "3 rows".
func (s *Sample) Things(n int) string { return words.Plural(n, s.thing()) }

// Rows returns how many rows there are, also where Points are only some of them.
func (s *Sample) Rows() int { return max(s.Total, s.Points.Len()) }

// Place returns which row of the file row i of Points is, from 0 on.
func (s *Sample) Place(i int) int {
	if s.Places == nil {
		return i
	}
	return s.Places[i]
}

// Column returns the name of a column, or its number.
func (s *Sample) Column(j int) string { return words.Column(s.Columns, j) }

// named reports whether the rows have names of their own.
func (s *Sample) named() bool { return s != nil && s.Points.IDs != nil }

// labelled reports whether the rows have labels.
func (s *Sample) labelled() bool { return s != nil && s.Labels != nil }

// encodingSentence tells how columns became numbers, after a blank; "" for
// nothing to tell.
func encodingSentence(encoding string) string {
	if encoding == "" {
		return ""
	}
	return " Columns: " + codeSpan(encoding) + "."
}
