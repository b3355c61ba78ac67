package page

import (
	"bytes"
	"io"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/report"
	"rot.example/rot/runs"
)

// A Page is an HTML page that has not been written yet. Write and WriteFile
// draw its pictures and charts.
type Page struct {
	make func() (*report.Page, error)
}

// Write writes the page to w. It writes nothing when the page cannot be made.
func (p *Page) Write(w io.Writer) error {
	made, err := p.make()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.Write(&b, made); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// WriteFile writes the page to the file path, which appears whole or not at
// all.
func (p *Page) WriteFile(path string) error { return runs.WriteFile(path, p.Write) }

// A builder collects the pictures and charts of a page, and the Markdown that
// names them.
type builder struct {
	pictures report.Pictures
	charts   map[string]*report.Chart
}

func newBuilder() *builder {
	return &builder{pictures: report.Pictures{}, charts: map[string]*report.Chart{}}
}

// add draws fig as the picture name, which chart replaces where it is not nil
// and the reader has JavaScript.
func (b *builder) add(name string, chart *report.Chart, fig figure.Figure) error {
	var picture strings.Builder
	if err := figure.WriteTo(&picture, fig, "png", nil); err != nil {
		return err
	}
	b.pictures[name] = []byte(picture.String())
	if chart != nil {
		b.charts[name] = chart
	}
	return nil
}

// page is the page with these parts.
func (b *builder) page(title, body, footer string) *report.Page {
	return &report.Page{Title: title, Body: body, Footer: footer, Files: b.pictures, Charts: b.charts}
}
