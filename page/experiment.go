package page

import (
	"io/fs"

	"rot.example/rot/report"
)

// An ExperimentResult is the text of an experiment, with its pictures.
type ExperimentResult struct {
	Title    string
	Markdown string // of the whole page, with its heading
	Pictures fs.FS  // where the pictures are that Markdown names; nil without any
	Footer   string // a line at the end
}

// Experiment returns the page of an experiment.
func Experiment(r *ExperimentResult) *Page {
	return &Page{make: func() (*report.Page, error) {
		return &report.Page{Title: r.Title, Body: r.Markdown, Files: r.Pictures, Footer: r.Footer}, nil
	}}
}
