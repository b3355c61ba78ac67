package figure

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"rot.example/rot/ot"
)

func TestScatterClouds(t *testing.T) {
	p := &ScatterPanel{
		Data:      &ot.Points{Dim: 2, Coords: []float64{0, 1, 2, 3, 9, 9}},
		Outlier:   []bool{false, false, true},
		Generated: &ot.Points{Dim: 2, Coords: []float64{5, 6}},
	}
	g, err := (&Scatter{Panels: []*ScatterPanel{p}}).grid()
	if err != nil {
		t.Fatal(err)
	}
	clouds := g.tiles[0].(*scatterTile).clouds
	for k, want := range [][]xy{dataDots: {{0, 1}, {2, 3}}, outlierDots: {{9, 9}}, generatedDots: {{5, 6}}} {
		if got := clouds[k].at; len(got) != len(want) || got[0] != want[0] || clouds[k].drawn() != len(want) {
			t.Errorf("%s: %v, want %v", dotKinds[k].name, got, want)
		}
	}
	for k, want := range []string{"data (2)", "outliers in the data (1)", "generated (1)"} {
		if g.legend[k].text != want {
			t.Errorf("legend says %q, want %q", g.legend[k].text, want)
		}
	}
}

// TestScatterEqualAxes: the panels compare, and no point is cut off.
func TestScatterEqualAxes(t *testing.T) {
	wide := &ot.Points{Dim: 2, Coords: []float64{-40, 0, 60, 1}}
	for name, s := range map[string]*Scatter{
		"gan":      ganScatter(100),
		"one wide": {Panels: append(ganScatter(40).Panels, &ScatterPanel{Generated: wide})},
		"16 dimensions": {Panels: []*ScatterPanel{
			{Data: gaussian(40, 16, 0, 1), Generated: gaussian(30, 16, 2, 2)}, {Generated: gaussian(20, 16, 0, 3)}}},
	} {
		g, err := s.grid()
		if err != nil {
			t.Fatal(err)
		}
		c := draw.NewCanvas(&recorder.Canvas{}, 230, 220)
		first := g.plot(g.tiles[0], c, false)
		for k, tile := range g.tiles {
			plt := g.plot(tile, c, false)
			if plt.X.Min != first.X.Min || plt.X.Max != first.X.Max || plt.Y.Min != first.Y.Min || plt.Y.Max != first.Y.Max {
				t.Errorf("%s: panel %d has other ranges than the first", name, k)
			}
			d := plt.DataCanvas(c)
			x, y := plt.Transforms(&d)
			if unit := plt.X.Max - plt.X.Min; math.Abs(float64((x(unit)-x(0))/(y(unit)-y(0)))-1) > 1e-6 {
				t.Errorf("%s: units differ", name)
			}
			for _, cloud := range tile.(*scatterTile).clouds {
				for _, at := range cloud.at {
					if !d.Contains(vg.Point{X: x(at.x), Y: y(at.y)}) {
						t.Fatalf("%s: point %v is outside the plot", name, at)
					}
				}
			}
		}
	}
}

func TestScatterMarks(t *testing.T) {
	g, err := ganScatter(40).grid()
	if err != nil {
		t.Fatal(err)
	}
	var rec recorder.Canvas
	c := draw.NewCanvas(&rec, 200, 200)
	plt := g.plot(g.tiles[0], c, false)
	rec.Reset()
	g.tiles[0].Plot(c, plt)
	fills := 0
	for _, a := range rec.Actions {
		if _, ok := a.(*recorder.Fill); ok {
			fills++
		}
	}
	if fills != 80 || g.tiles[0].marks() != 80 {
		t.Errorf("%d fills, marks is %d, want 80", fills, g.tiles[0].marks())
	}
}

// TestLargeScatter stays small as SVG and says what it leaves out.
func TestLargeScatter(t *testing.T) {
	s := &Scatter{Panels: ganScatter(60000).Panels[1:]}
	var buf bytes.Buffer
	if err := WriteTo(&buf, s, "svg", nil); err != nil {
		t.Fatal(err)
	}
	if buf.Len() > 1_000_000 {
		t.Errorf("%d bytes", buf.Len())
	}
	text := parseSVG(t, buf.Bytes())
	for _, want := range []string{"50 000 of 60 000 points", "generated (60 000)", "outliers in the data (3 000)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from %q", want, text)
		}
	}
}

func TestScatterErrors(t *testing.T) {
	two, one := gaussian(3, 2, 0, 1), gaussian(3, 1, 0, 1)
	panel := func(p *ScatterPanel) *Scatter { return &Scatter{Panels: []*ScatterPanel{{Data: two}, p}} }
	for _, tt := range []struct {
		name string
		fig  *Scatter
		err  error
		text string
	}{
		{"nil", nil, ot.ErrShape, "no panels"},
		{"no panels", &Scatter{}, ot.ErrShape, "no panels"},
		{"columns", &Scatter{Panels: []*ScatterPanel{{Data: two}}, Columns: -1}, ot.ErrOption, "-1 columns"},
		{"nil panel", panel(nil), ot.ErrShape, "panel 1: no points"},
		{"empty panel", panel(&ScatterPanel{}), ot.ErrShape, "panel 1: no points"},
		{"empty cloud", panel(&ScatterPanel{Generated: &ot.Points{Dim: 2}}), ot.ErrShape, "generated has no points"},
		{"on a line", panel(&ScatterPanel{Data: one}), ot.ErrShape, "data has one column"},
		{"dimensions", panel(&ScatterPanel{Data: two, Generated: gaussian(3, 4, 0, 1)}), ot.ErrShape, "data has 2 columns, generated has 4"},
		{"panels", panel(&ScatterPanel{Data: gaussian(3, 4, 0, 1)}), ot.ErrShape, "panel 1: dimension 4, the first panel has 2"},
		{"marks", panel(&ScatterPanel{Data: two, Outlier: []bool{true}}), ot.ErrShape, "1 outlier marks"},
		{"marks of nothing", panel(&ScatterPanel{Generated: two, Outlier: make([]bool, 3)}), ot.ErrShape, "3 outlier marks"},
		{"not a number", panel(&ScatterPanel{Generated: &ot.Points{Dim: 2, Coords: []float64{0, math.NaN()}}}), ot.ErrValue, "generated row 0 column 1 is NaN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.fig.prepare()
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: scatter: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
}
