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

func TestPanelsEqualAxes(t *testing.T) {
	flat := &ot.Points{Dim: 2, Coords: []float64{1000, 0, 1000, 3e-4}} // a constant column
	for _, tt := range []struct {
		name string
		fig  *Couplings
	}{
		{"figure one", figureOne(60)},
		{"16 dimensions", &Couplings{Panels: []*Coupling{
			{X: gaussian(40, 16, 0, 1), Y: gaussian(30, 16, 2, 2)}, {X: gaussian(20, 16, 0, 3), Y: gaussian(30, 16, 2, 2)}}}},
		{"flat", &Couplings{Panels: []*Coupling{{X: flat, Y: flat}}}},
		{"one point", &Couplings{Panels: []*Coupling{{X: &ot.Points{Dim: 2, Coords: []float64{5, 5}}, Y: &ot.Points{Dim: 2, Coords: []float64{5, 5}}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := tt.fig.grid()
			if err != nil {
				t.Fatal(err)
			}
			for _, height := range []vg.Length{150, 220, 400} {
				c := draw.NewCanvas(&recorder.Canvas{}, 230, height)
				first := g.plot(g.tiles[0], c, false)
				for k, p := range g.tiles {
					plt := g.plot(p, c, false)
					if plt.X.Min != first.X.Min || plt.X.Max != first.X.Max || plt.Y.Min != first.Y.Min || plt.Y.Max != first.Y.Max {
						t.Errorf("panel %d has other ranges than the first", k)
					}
					d := plt.DataCanvas(c)
					x, y := plt.Transforms(&d)
					unit := plt.X.Max - plt.X.Min
					dx, dy := float64(x(unit)-x(0)), float64(y(unit)-y(0))
					if math.Abs(dx/dy-1) > 1e-6 {
						t.Errorf("height %v: a unit is %v long on x and %v on y", height, dx, dy)
					}
					for _, at := range append(p.(*panel).source.at, p.(*panel).target.at...) {
						if !d.Contains(vg.Point{X: x(at.x), Y: y(at.y)}) {
							t.Fatalf("point %v is outside the plot", at)
						}
					}
				}
			}
		})
	}
}

// TestPanelMarks counts what is drawn: a fill for a solid point, a fill and a
// stroke for a hollow one, a stroke for a link.
func TestPanelMarks(t *testing.T) {
	g, err := figureOne(40).grid() // 2 outliers
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []struct{ fills, strokes int }{{80, 40}, {80, 40}, {80, 38 + 2}} {
		var rec recorder.Canvas
		c := draw.NewCanvas(&rec, 200, 200)
		plt := g.plot(g.tiles[k], c, false)
		rec.Reset()
		g.tiles[k].Plot(c, plt)
		var fills, strokes int
		for _, a := range rec.Actions {
			switch a.(type) {
			case *recorder.Fill:
				fills++
			case *recorder.Stroke:
				strokes++
			}
		}
		if fills != want.fills || strokes != want.strokes {
			t.Errorf("panel %d: %d fills and %d strokes, want %d and %d", k, fills, strokes, want.fills, want.strokes)
		}
		if got := g.tiles[k].marks(); got != fills+strokes {
			t.Errorf("panel %d: marks is %d, want %d", k, got, fills+strokes)
		}
	}
}

func TestPanelsOnALine(t *testing.T) {
	g, err := (&Couplings{Panels: []*Coupling{{X: gaussian(5, 1, 0, 1), Y: gaussian(7, 1, 0, 2)}}}).grid()
	if err != nil {
		t.Fatal(err)
	}
	p := g.tiles[0].(*panel)
	for _, at := range p.source.at {
		if at.y != 0 {
			t.Errorf("source at height %v", at.y)
		}
	}
	for _, at := range p.target.at {
		if at.y != 1 {
			t.Errorf("target at height %v", at.y)
		}
	}
	plt := g.plot(p, draw.NewCanvas(&recorder.Canvas{}, 300, 200), false)
	ticks := plt.Y.Tick.Marker.Ticks(plt.Y.Min, plt.Y.Max)
	if len(ticks) != 2 || ticks[0].Label != "source" || ticks[1].Label != "target" {
		t.Errorf("ticks %v", ticks)
	}
}

func TestCouplingLegend(t *testing.T) {
	texts := func(fig *Couplings) string {
		g, err := fig.grid()
		if err != nil {
			t.Fatal(err)
		}
		var s []string
		for _, k := range g.legend {
			s = append(s, k.text)
		}
		return strings.Join(s, "; ")
	}
	fig := figureOne(40)
	if got, want := texts(fig), "source; target; source, weight < 0.5; link, wider for more mass"; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
	alone := &Couplings{Panels: []*Coupling{{X: fig.Panels[0].X, Y: fig.Panels[0].Y, B: dropLast(40, 3)}}}
	if got, want := texts(alone), "source (40); target (40); target, weight < 0.5"; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
}

func TestGridShape(t *testing.T) {
	for _, tt := range []struct{ panels, columns, cols, rows int }{
		{1, 0, 1, 1}, {3, 0, 3, 1}, {4, 0, 4, 1}, {5, 0, 3, 2}, {9, 0, 3, 3}, {3, 2, 2, 2}, {2, 5, 2, 1},
	} {
		g := &grid{tiles: make([]tile, tt.panels), columns: tt.columns}
		if g.cols() != tt.cols || g.rows() != tt.rows {
			t.Errorf("%d panels in %d columns: %d×%d, want %d×%d", tt.panels, tt.columns, g.cols(), g.rows(), tt.cols, tt.rows)
		}
	}
}

func TestCouplingsErrors(t *testing.T) {
	ok := func(d int) *Coupling { return &Coupling{X: gaussian(3, d, 0, 1), Y: gaussian(3, d, 0, 2)} }
	for _, tt := range []struct {
		name string
		fig  *Couplings
		err  error
		text string
	}{
		{"nil", nil, ot.ErrShape, "no panels"},
		{"no panels", &Couplings{}, ot.ErrShape, "no panels"},
		{"nil panel", &Couplings{Panels: []*Coupling{ok(2), nil}}, ot.ErrShape, "panel 1: no coupling"},
		{"bad panel", &Couplings{Panels: []*Coupling{ok(2), {}}}, ot.ErrShape, "panel 1: source has no points"},
		{"mixed dimensions", &Couplings{Panels: []*Coupling{ok(2), ok(1)}}, ot.ErrShape, "panel 1: dimension 1, the first panel has 2"},
		{"columns", &Couplings{Panels: []*Coupling{ok(2)}, Columns: -1}, ot.ErrOption, "-1 columns"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.fig.prepare()
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
}
