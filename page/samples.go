package page

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/ot"
	"rot.example/rot/runs"
	"rot.example/rot/table"
	"rot.example/rot/train"
)

// WriteSamples writes the samples of a generator to the file path: a CSV file of
// points where it ends in .csv, a NumPy archive where it ends in .npz, a new
// folder of PNG files where it has no ending, and otherwise a picture, a grid of
// images or a cloud of points over the data, which may be nil.
func WriteSamples(path string, data *train.Data, s *gan.Samples, title string) error {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return runs.WriteFile(path, s.WriteCSV)
	case ".npz":
		return runs.WriteFile(path, func(w io.Writer) error { return table.WriteArrays(w, sampleArrays(s)) })
	case "":
		return writePictures(path, s)
	}
	return figure.Save(path, samplesFigure(data, s, title), nil)
}

// sampleArrays are the images as bytes (n, height, width, channels), or the
// points (n, dimension).
func sampleArrays(s *gan.Samples) []table.Array {
	if im := s.Images; im != nil {
		return []table.Array{{Name: "images", Shape: []int{im.Len(), im.H, im.W, im.C}, Bytes: im.Pix}}
	}
	return []table.Array{{Name: "points", Shape: []int{len(s.Points) / s.Dim, s.Dim}, Floats: s.Points}}
}

// writePictures writes each image into a new folder.
func writePictures(dir string, s *gan.Samples) error {
	if s.Images == nil {
		return errors.New("page: points are no pictures")
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	digits := len(strconv.Itoa(s.Images.Len() - 1))
	for i := range s.Images.Len() {
		name := filepath.Join(dir, fmt.Sprintf("%0*d.png", digits, i))
		if err := runs.WriteFile(name, func(w io.Writer) error { return png.Encode(w, s.Images.Picture(i)) }); err != nil {
			return err
		}
	}
	return nil
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
