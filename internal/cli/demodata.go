package cli

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"rot/ot"
)

// The data of the demo: a blob, two moons, and a far cluster that belongs to
// neither. The fraction of outliers is that of the paper's figure 1.
const (
	demoGood     = 285
	demoOutliers = 15
	demoMoons    = 300
	demoSeed     = 2020 // the year of the paper; any other looks the same
)

// demoData is a source with and without outliers, and a target.
type demoData struct {
	clean, dirty, target *ot.Points
	outlier              []bool // of the rows of dirty
}

func newDemoData() *demoData {
	rng := rand.New(rand.NewPCG(demoSeed, 0))
	point := func(x, y float64) []float64 {
		// The files hold four decimals, and are the same data.
		return []float64{math.Round(x*1e4) / 1e4, math.Round(y*1e4) / 1e4}
	}
	d := &demoData{clean: &ot.Points{Dim: 2}, dirty: &ot.Points{Dim: 2}, target: &ot.Points{Dim: 2}}
	for range demoGood {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		r := math.Sqrt(rng.Float64()) // even over a disk
		d.clean.Coords = append(d.clean.Coords, point(0.5+1.7*r*cos, 0.25+0.95*r*sin)...)
	}
	d.dirty.Coords = append(d.dirty.Coords, d.clean.Coords...)
	for range demoOutliers {
		d.dirty.Coords = append(d.dirty.Coords, point(4.2+0.25*rng.NormFloat64(), 3+0.25*rng.NormFloat64())...)
	}
	for i := range demoMoons {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		if i%2 == 1 {
			sin, cos = 0.5-sin, 1-cos
		}
		d.target.Coords = append(d.target.Coords, point(cos+0.06*rng.NormFloat64(), sin+0.06*rng.NormFloat64())...)
	}
	d.outlier = make([]bool, d.dirty.Len())
	for i := demoGood; i < len(d.outlier); i++ {
		d.outlier[i] = true
	}
	return d
}

// gamma is the fraction of outliers.
func (d *demoData) gamma() float64 { return float64(d.outliers()) / float64(len(d.outlier)) }

// outliers is their number.
func (d *demoData) outliers() (n int) {
	for _, o := range d.outlier {
		if o {
			n++
		}
	}
	return n
}

func (d *demoData) writeClean(w io.Writer) error  { return writePoints(w, d.clean, nil) }
func (d *demoData) writeDirty(w io.Writer) error  { return writePoints(w, d.dirty, d.outlier) }
func (d *demoData) writeTarget(w io.Writer) error { return writePoints(w, d.target, nil) }

// writePoints writes x,y, and the marks where there are any.
func writePoints(w io.Writer, p *ot.Points, outlier []bool) error {
	head := "x,y"
	if outlier != nil {
		head += ",outlier"
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for i := range p.Len() {
		row := p.Row(i)
		line := strconv.FormatFloat(row[0], 'f', -1, 64) + "," + strconv.FormatFloat(row[1], 'f', -1, 64)
		if outlier != nil {
			mark := "0"
			if outlier[i] {
				mark = "1"
			}
			line += "," + mark
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
