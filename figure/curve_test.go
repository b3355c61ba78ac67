package figure

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"rot.example/rot/ot"
)

func TestCurveRanges(t *testing.T) {
	for _, tt := range []struct {
		name       string
		curve      Curve
		xmax       float64
		ymin, ymax float64
	}{
		{"from zero", Curve{Rho: []float64{0, 1}, Value: []float64{10, 2}}, 1, 0, 10},
		{"zoomed in", Curve{Rho: []float64{0, 1}, Value: []float64{10, 9}}, 1, 9, 10},
		{"cut", Curve{Rho: []float64{0, 1}, Value: []float64{10, 2}, XMax: 0.5}, 0.5, 0, 10},
		{"elbow to the right", Curve{Rho: []float64{0, 1}, Value: []float64{10, 2}, Elbow: 2}, 2, 0, 10},
		{"plain above", Curve{Rho: []float64{0.5, 1}, Value: []float64{10, 2}, Plain: 12}, 1, 0, 12},
		{"high bound", Curve{Rho: []float64{0, 1}, Value: []float64{10, 2}, Bound: []float64{1000, 1000}}, 1, 0, 15},
		{"lower bound", Curve{Rho: []float64{0, 1}, Value: []float64{10, 9}, Lower: []float64{10, 8}}, 1, 8, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, y := tt.curve.ranges()
			if !(x.min <= 0) || math.Abs(x.max/tt.xmax-1.02) > 1e-9 {
				t.Errorf("x range %v for radii up to %v", x, tt.xmax)
			}
			if y.min > tt.ymin || y.min < tt.ymin-0.2 || y.max < tt.ymax || y.max > 1.1*tt.ymax {
				t.Errorf("y range %v for values in [%v, %v]", y, tt.ymin, tt.ymax)
			}
		})
	}
}

func TestCurveLegend(t *testing.T) {
	c := elbowCurve()
	c.RhoMax = 7
	var texts []string
	for _, k := range c.legend() {
		texts = append(texts, k.text)
	}
	want := "V(ρ), solved; certified range; bound of Theorem 2; ρ max = 7, off the axis; plain transport: 1.55"
	if got := strings.Join(texts, "; "); got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
	if got, want := c.elbowLabel(), "elbow ρ = 0.03, V = 0.4238"; got != want {
		t.Errorf("label %q, want %q", got, want)
	}
	c.Elbow = 0.025
	if got, want := c.elbowLabel(), "elbow ρ = 0.025"; got != want {
		t.Errorf("label of a radius that was not solved is %q, want %q", got, want)
	}
}

// TestLabelsAvoid marks radii all over the curve: no label may cover the curve,
// leave the plot or cover another label.
func TestLabelsAvoid(t *testing.T) {
	c := draw.NewCanvas(&recorder.Canvas{}, 400, 250)
	curve := []vg.Point{{X: 0, Y: 240}, {X: 60, Y: 80}, {X: 400, Y: 40}}
	for x := vg.Length(5); x < 400; x += 15 {
		l := labels{canvas: c}
		l.avoid(curve)
		l.vertical(400-x, limitLine, tickType, "ρ max = 0.1234")
		l.vertical(x, elbowLine, axisType, "elbow ρ = 0.1234, V = 0.5678")
		for k, box := range l.placed {
			if !c.Contains(box.Min) || !c.Contains(box.Max) {
				t.Errorf("x = %v: label %d leaves the plot: %v", x, k, box)
			}
			for _, p := range l.obstacles {
				onOtherLine := p.X == x || p.X == 400-x // the halo of a label may cover a vertical line
				if !onOtherLine && box.Min.X < p.X && p.X < box.Max.X && box.Min.Y < p.Y && p.Y < box.Max.Y {
					t.Fatalf("x = %v: label %d covers the curve at %v", x, k, p)
				}
			}
		}
		a, b := l.placed[0], l.placed[1]
		if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
			t.Errorf("x = %v: labels overlap", x)
		}
	}
}

func TestCurveErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*Curve)
		err  error
		text string
	}{
		{"empty", func(c *Curve) { c.Rho = nil }, ot.ErrShape, "no points"},
		{"no values", func(c *Curve) { c.Value = nil }, ot.ErrShape, "0 entries of value for 9 radii"},
		{"lower", func(c *Curve) { c.Lower = c.Lower[1:] }, ot.ErrShape, "8 entries of lower for 9 radii"},
		{"bound", func(c *Curve) { c.Bound = c.Bound[1:] }, ot.ErrShape, "150 entries of bound for 151 radii"},
		{"half a band", func(c *Curve) { c.LowerAt = nil }, ot.ErrShape, "come together"},
		{"not a number", func(c *Curve) { c.Value[2] = math.NaN() }, ot.ErrValue, "value: entry 2 is NaN"},
		{"elbow", func(c *Curve) { c.Elbow = math.Inf(1) }, ot.ErrValue, "elbow, rho max, plain, x max: entry 0 is +Inf"},
		{"not increasing", func(c *Curve) { c.Rho[3] = c.Rho[2] }, ot.ErrValue, "rho: entry 3 is 0.01"},
		{"negative radius", func(c *Curve) { c.Grid[0] = -1 }, ot.ErrValue, "grid: entry 0 is -1"},
		{"negative elbow", func(c *Curve) { c.Elbow = -1 }, ot.ErrOption, "elbow -1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := elbowCurve()
			tt.edit(c)
			_, err := c.prepare()
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: curve: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
	if _, err := (*Curve)(nil).prepare(); !errors.Is(err, ot.ErrShape) {
		t.Errorf("nil curve: error %v", err)
	}
}
