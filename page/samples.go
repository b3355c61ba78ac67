package page

import (
	"path/filepath"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/ot"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// WriteSamples writes the samples of a generator to the file path: a CSV file of
// points where it ends in .csv, and otherwise a picture, a grid of images or a
// cloud of points over the data, which may be nil.
func WriteSamples(path string, data *train.Data, s *gan.Samples, title string) error {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return runs.WriteFile(path, s.WriteCSV)
	}
	return figure.Save(path, samplesFigure(data, s, title), nil)
}

// samplesFigure is a grid of images or a cloud of points over the data.
func samplesFigure(data *train.Data, s *gan.Samples, title string) figure.Figure {
	if s.Images != nil {
		grid := &figure.ImageGrid{H: s.Images.H, W: s.Images.W, C: s.Images.C}
		for i := range s.Images.Len() {
			grid.Images = append(grid.Images, s.Images.At(i))
		}
		return grid
	}
	panel := &figure.ScatterPanel{Title: title, Generated: &ot.Points{Dim: s.Dim, Coords: s.Points}}
	if data != nil {
		panel.Data, panel.Outlier = &ot.Points{Dim: s.Dim, Coords: data.Points()}, data.Outlier
	}
	return &figure.Scatter{Panels: []*figure.ScatterPanel{panel}}
}
