package page

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

const hostile = "</script><img src=x onerror=alert(1)>"

func html(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<img src=x") {
		t.Error("a name became markup")
	}
	return b.String()
}

func solved(t *testing.T, x, y *ot.Points, opts *ot.SolveOptions) *ot.Solution {
	t.Helper()
	p, err := ot.NewProblem(x, y, ot.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ot.Solve(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDistance: a page takes any options, and none.
func TestDistance(t *testing.T) {
	x := &ot.Points{Dim: 1, Coords: []float64{0, 1, 2, 3, 90}}
	y := &ot.Points{Dim: 1, Coords: []float64{0, 1, 2, 3}}
	s := solved(t, x, y, &ot.SolveOptions{Rho: 0.2})
	c, err := Compare(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		opts   *DistanceOptions
		want   []string
		charts int
	}{
		"nothing": {nil, []string{"<h1>From source to target</h1>", "from the 5 sources to the 4 targets", "1 of 5 source rows lose most of their weight"}, 1},
		"names": {&DistanceOptions{Command: "rot dist 'a b' --rho 0.2", Comparison: c, Source: &Sample{Name: hostile, Points: x, Labels: []string{"a", "a", "a", "a", "b"}}, Target: &Sample{Name: "t", Points: y}},
			[]string{"&lt;/script&gt;&lt;img", "rot dist 'a b' --rho 0.2", "plain transport", "What the radius does", "Source by class"}, 3},
		"costs": {&DistanceOptions{Costs: hostile}, []string{"the 5 sources of &lt;/script&gt;"}, 1},
	} {
		page := html(t, Distance(s, tt.opts))
		for _, want := range tt.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		if n := strings.Count(page, `type="application/json"`); n != tt.charts {
			t.Errorf("%s: %d charts, want %d", name, n, tt.charts)
		}
	}
	if strings.Contains(html(t, Distance(solved(t, x, y, nil), nil)), "lose weight, within") {
		t.Error("plain transport is said to take weight away")
	}
}

// TestMismatch: rows that are not those of the result are an error, not a panic.
func TestMismatch(t *testing.T) {
	x, y := &ot.Points{Dim: 1, Coords: []float64{0, 1}}, &ot.Points{Dim: 1, Coords: []float64{0, 1, 2}}
	wrong := &Sample{Name: "other", Points: y}
	for name, p := range map[string]*Page{
		"distance": Distance(solved(t, x, y, nil), &DistanceOptions{Source: wrong, Target: wrong}),
		"clean":    Clean(&clean.Result{Score: []float64{1, 2}}, &CleanOptions{Data: wrong}),
		"demo":     Demo(&DemoResult{}),
	} {
		path := filepath.Join(t.TempDir(), "page.html")
		if err := p.WriteFile(path); err == nil || !strings.Contains(err.Error(), "page: ") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: half a page was left", name)
		}
	}
}

// TestCurve: a slope that is infinite does no harm.
func TestCurve(t *testing.T) {
	x, y := &ot.Points{Dim: 1, Coords: []float64{0, 1, 2, 3, 90}}, &ot.Points{Dim: 1, Coords: []float64{0, 1, 2, 3}}
	p, err := ot.NewProblem(x, y, ot.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ot.Curve(t.Context(), p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Points[0].Lambda = math.Inf(1)
	bound, err := ot.Theorem2(t.Context(), p, []bool{false, false, false, false, true})
	if err != nil {
		t.Fatal(err)
	}
	page := html(t, Curve(c, nil)) + html(t, Curve(c, &CurveOptions{Source: hostile, Target: "t", Theorem: bound, Seconds: 1, Command: "rot curve"}))
	for _, want := range []string{"Which radius, from the source to the target?", "← elbow", "The elbow is at ρ = ", "<code>rot curve</code>", "Without the 20 % of the source"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
