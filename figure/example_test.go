package figure_test

import (
	"bytes"
	"fmt"
	"image/png"
	"log"

	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

// The same plan as plain transport draws it, and with the far point left out.
func ExampleCouplings() {
	x := &ot.Points{Dim: 2, Coords: []float64{0, 0, 1, 0, 9, 9}} // The last point is an outlier.
	y := &ot.Points{Dim: 2, Coords: []float64{0, 1, 1, 1}}
	plain := &ot.Plan{I: []int32{0, 1, 2, 2}, J: []int32{0, 1, 0, 1}, Mass: []float64{1. / 3, 1. / 3, 1. / 6, 1. / 6}}
	robust := &ot.Plan{I: []int32{0, 1}, J: []int32{0, 1}, Mass: []float64{0.5, 0.5}}

	fig := &figure.Couplings{Panels: []*figure.Coupling{
		{Title: "(a) plain", Note: "distance 4.57", X: x, Y: y, Plan: plain},
		{Title: "(b) robust", Note: "distance 1", X: x, Y: y, Plan: robust, A: []float64{1.5, 1.5, 0}},
	}}
	var buf bytes.Buffer
	if err := figure.WriteTo(&buf, fig, "png", &figure.Options{Width: 1200, Height: 700}); err != nil {
		log.Fatal(err)
	}
	img, err := png.DecodeConfig(&buf)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Width, img.Height)
	// Output: 1200 700
}

func ExampleCurve() {
	fig := &figure.Curve{
		Title: "Elbow",
		Rho:   []float64{0, 0.01, 0.03, 0.1},
		Value: []float64{1.6, 0.8, 0.45, 0.4},
		Elbow: 0.03,
	}
	var buf bytes.Buffer
	if err := figure.WriteTo(&buf, fig, "svg", nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Contains(buf.Bytes(), []byte("elbow ρ = 0.03, V = 0.45")))
	// Output: true
}

// What a generator makes, with the samples framed that a classifier takes for
// outliers.
func ExampleImageGrid() {
	fig := &figure.ImageGrid{H: 2, W: 2, C: 1, Cols: 2, Scale: 10}
	for i := range 4 {
		fig.Images = append(fig.Images, []uint8{0, 85, 170, uint8(60 * i)})
		fig.Mark = append(fig.Mark, i == 3)
	}
	img, err := fig.Image()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Bounds().Size())
	// Output: (74,74)
}

func ExampleScatter() {
	data := &ot.Points{Dim: 2, Coords: []float64{0, 0, 1, 0, 9, 9}} // The last point is an outlier.
	outlier := []bool{false, false, true}
	fig := &figure.Scatter{Panels: []*figure.ScatterPanel{
		{Title: "(a) plain GAN", Data: data, Outlier: outlier, Generated: &ot.Points{Dim: 2, Coords: []float64{0.4, 0.1, 8.7, 9.2}}},
		{Title: "(b) robust GAN", Data: data, Outlier: outlier, Generated: &ot.Points{Dim: 2, Coords: []float64{0.4, 0.1, 0.9, 0}}},
	}}
	var buf bytes.Buffer
	if err := figure.WriteTo(&buf, fig, "svg", nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Contains(buf.Bytes(), []byte("(b) robust GAN")))
	// Output: true
}
