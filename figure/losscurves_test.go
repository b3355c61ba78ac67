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

func TestLossCurvesStack(t *testing.T) {
	s, err := ganCurves(20).stack()
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []struct {
		label  string
		traces int
		legend string
	}{
		{"loss", 2, "critic; generator"},
		{"χ²", 1, "χ² of the weights"},
		{"ESS", 1, ""}, // named by its only series
	} {
		p := s.panels[k]
		var names []string
		for _, key := range p.legend {
			names = append(names, key.text)
		}
		if p.yLabel != want.label || len(p.traces) != want.traces || strings.Join(names, "; ") != want.legend {
			t.Errorf("panel %d: axis %q, %d lines, legend %q", k, p.yLabel, len(p.traces), names)
		}
		for i, trace := range p.traces {
			for n, at := range trace.at {
				series := ganCurves(20).Panels[k].Series[i]
				if at.x != float64(series.Step[n]) || at.y != series.Value[n] {
					t.Fatalf("panel %d, line %d: point %d is %v", k, i, n, at)
				}
				if at.x < s.x.min || at.x > s.x.max || at.y < p.y.min || at.y > p.y.max {
					t.Fatalf("panel %d: point %v is off the axes", k, at)
				}
			}
		}
	}
}

// TestLossCurvesOneLegend: panels of the same series share the first's legend.
func TestLossCurvesOneLegend(t *testing.T) {
	series := []Series{{Name: "plain", Step: []int{0, 1}, Value: []float64{1, 2}}, {Name: "robust", Step: []int{0, 1}, Value: []float64{1, 1}}}
	s, err := (&LossCurves{Panels: []LossPanel{{Label: "distance", Series: series}, {Label: "outliers", Series: series}, {Label: "other", Series: series[:1]}}}).stack()
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []int{2, 0, 1} {
		if got := len(s.panels[k].legend); got != want {
			t.Errorf("panel %d has %d keys, want %d", k, got, want)
		}
	}
}

// TestStackLinesUp: the frames are where they should be, whatever labels their
// axes have.
func TestStackLinesUp(t *testing.T) {
	s, err := ganCurves(20).stack()
	if err != nil {
		t.Fatal(err)
	}
	frame := draw.NewCanvas(&recorder.Canvas{}, 300, 400)
	frame.Rectangle = vg.Rectangle{Min: vg.Point{X: 60, Y: 100}, Max: vg.Point{X: 280, Y: 190}}
	for k := range s.panels {
		plt := s.plot(k, frame)
		got := plt.DataCanvas(around(plt, frame)).Rectangle
		for _, d := range []vg.Point{got.Min.Sub(frame.Min), got.Max.Sub(frame.Max)} {
			if math.Abs(float64(d.X)) > 0.01 || math.Abs(float64(d.Y)) > 0.01 {
				t.Errorf("panel %d: frame %v, want %v", k, got, frame.Rectangle)
			}
		}
	}
}

// TestSeriesThinned keeps every spike of a long series, in order.
func TestSeriesThinned(t *testing.T) {
	const n = 100_003
	s := &Series{Step: make([]int, n), Value: make([]float64, n)}
	for k := range n {
		s.Step[k] = k
	}
	spikes := map[float64]float64{0: 3, 1234: 5, 50_000: -7, n - 1: 2}
	for k, v := range spikes {
		s.Value[int(k)] = v
	}
	got, err := s.thinned()
	if err != nil || len(got) > maxTrace {
		t.Fatalf("%d points, %v", len(got), err)
	}
	last := -1.0
	for _, q := range got {
		if q.x < last || q.y != s.Value[int(q.x)] {
			t.Fatalf("point %v after step %v", q, last)
		}
		last = q.x
		delete(spikes, q.x)
	}
	if len(spikes) > 0 {
		t.Errorf("lost %v", spikes)
	}
}

func TestLossCurvesErrors(t *testing.T) {
	one := func(s Series) *LossCurves { return &LossCurves{Panels: []LossPanel{{"loss", []Series{s}}}} }
	for _, tt := range []struct {
		name string
		fig  *LossCurves
		err  error
		text string
	}{
		{"nil", nil, ot.ErrShape, "no panels"},
		{"no panels", &LossCurves{}, ot.ErrShape, "no panels"},
		{"no series", &LossCurves{Panels: []LossPanel{{Label: "χ²"}}}, ot.ErrShape, `panel "χ²" has no series`},
		{"no points", one(Series{Name: "critic"}), ot.ErrShape, `series "critic": 0 steps and 0 values`},
		{"lengths", one(Series{"critic", []int{1}, []float64{1, 2}}), ot.ErrShape, "1 steps and 2 values"},
		{"order", one(Series{"critic", []int{2, 1}, []float64{1, 2}}), ot.ErrValue, "step 1 after step 2"},
		{"not a number", one(Series{"critic", []int{1, 2}, []float64{1, math.NaN()}}), ot.ErrValue, "value 1 is NaN"},
		{"infinite", one(Series{"critic", []int{1}, []float64{math.Inf(1)}}), ot.ErrValue, "value 0 is +Inf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.fig.prepare()
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: loss curves: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
}

// TestLossCurvesUnit: steps are drawn in the unit of the axis.
func TestLossCurvesUnit(t *testing.T) {
	lc := &LossCurves{XUnit: 0.1, Panels: []LossPanel{{Label: "y", Series: []Series{{Name: "s", Step: []int{0, 50}, Value: []float64{1, 2}}}}}}
	s, err := lc.stack()
	if err != nil {
		t.Fatal(err)
	}
	if at := s.panels[0].traces[0].at; at[1].x != 5 || at[1].y != 2 {
		t.Errorf("points %v", at)
	}
}
