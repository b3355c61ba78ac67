package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

const hostile = `</script><img src=x onerror=alert(1)> & "q" <!--`

// chartPage is a page with one chart of each kind, and names that try to break out.
func chartPage() *Page {
	still := []byte("\x89PNG")
	return &Page{
		Title: "charts", Body: "# Charts\n\n![the rows](rows.png)\n\n![weights](bars.png)\n\n![curve](curve.png)\n\n| a |\n|---|\n| 1 |\n",
		Files: Pictures{"rows.png": still, "bars.png": still, "curve.png": still},
		Charts: map[string]*Chart{
			"rows.png": {Kind: Scatter, Title: "Rows " + hostile, Note: hostile, XLabel: hostile, YLabel: "y", Series: []Series{
				{Name: "kept", X: []float64{0, 1, 2}, Y: []float64{0, 1, 0.5}, IDs: []string{"a", "b", "c"}, Facts: []Fact{
					{Name: "score", Numbers: []float64{0.123456789, 2, math.Inf(1)}}, {Name: "label", Words: []string{"x", "y", hostile}}}},
				{Name: "dropped", Look: Flagged, X: []float64{9}, Y: []float64{9}, IDs: []string{hostile}, Facts: []Fact{
					{Name: "score", Numbers: []float64{7}}, {Name: "label", Words: []string{"z"}}}},
			}},
			"bars.png":  {Kind: Bars, XLabel: "weight", Series: []Series{{Name: "kept", X: []float64{0.5, 1.5}, Y: []float64{3, 9}}, {Name: "dropped", Look: Flagged, X: []float64{0.5, 1.5}, Y: []float64{4, 0}}}},
			"curve.png": {Kind: Lines, XLabel: "rho", Series: []Series{{Name: "V", X: []float64{0, 0.1, 0.2}, Y: []float64{3, 2, 1.9}}}, Marks: []Mark{{0.1, "elbow"}}},
		},
	}
}

func TestCharts(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, chartPage()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	found := regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(found) != 3 {
		t.Fatalf("%d charts", len(found))
	}
	var chart struct {
		Kind, X, Y string
		Series     []struct {
			Name, Look string
			X, Y       []float64
			IDs        []string
			Facts      []struct {
				Name   string
				Values []any
			}
		}
		Marks []struct {
			X    float64
			Name string
		}
	}
	if err := json.Unmarshal([]byte(found[0][1]), &chart); err != nil {
		t.Fatal(err)
	}
	kept, gone := chart.Series[0], chart.Series[1]
	if chart.Kind != "scatter" || chart.X != hostile || kept.Look != "data" || gone.Look != "flagged" || gone.X[0] != 9 || gone.IDs[0] != hostile ||
		kept.Facts[0].Values[0] != 0.123457 || kept.Facts[0].Values[2] != nil || kept.Facts[1].Values[2] != hostile {
		t.Errorf("%+v", chart)
	}
	chart.Series, chart.Marks = nil, nil
	if err := json.Unmarshal([]byte(found[2][1]), &chart); err != nil || chart.Series[0].Y[2] != 1.9 || len(chart.Marks) != 1 || chart.Marks[0].X != 0.1 {
		t.Errorf("%v: %+v", err, chart)
	}
	for _, want := range []string{`<figcaption><b>Rows &lt;/script&gt;`, `<img class="still" src="data:image/png;base64,iVBORw==" alt="the rows">`, "var uPlot=", ".u-legend"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// Without the library, which names its home in a comment, nothing points
	// anywhere, and nothing that came from the data is markup.
	library, err := fs.ReadFile(UPlot(), "uPlot.iife.min.js")
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.Replace(page, string(library), "", 1)
	for _, bad := range []string{"http://", "https://", "<img src=x", "onerror=alert(1)>", "<!--"} {
		if strings.Contains(rest, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if strings.Contains(string(library), "</script") {
		t.Error("the library ends its own script")
	}
}

// TestChartErrors: what cannot be drawn is refused, by name.
func TestChartErrors(t *testing.T) {
	one := []float64{1}
	for name, c := range map[string]*Chart{
		`kind "pie"`:     {Kind: "pie", Series: []Series{{}}},
		"no series":      {Kind: Lines},
		"2 y":            {Kind: Lines, Series: []Series{{X: one, Y: []float64{1, 2}}}},
		"0 names":        {Kind: Lines, Series: []Series{{X: one, Y: one, IDs: []string{}}}},
		"NaN":            {Kind: Lines, Series: []Series{{X: one, Y: []float64{math.NaN()}}}},
		"+Inf":           {Kind: Lines, Series: []Series{{X: one, Y: one}}, Marks: []Mark{{math.Inf(1), "m"}}},
		`of "f"`:         {Kind: Lines, Series: []Series{{X: one, Y: one, Facts: []Fact{{Name: "f"}}}}},
		"2 bars on top":  {Kind: Bars, Series: []Series{{X: one, Y: one}, {X: []float64{1, 2}, Y: []float64{1, 2}}}},
		"1 words of \"f": {Kind: Lines, Series: []Series{{X: one, Y: one, Facts: []Fact{{"f", one, []string{"w"}}}}}},
	} {
		err := Write(&bytes.Buffer{}, &Page{Body: "![x](a.png)", Files: Pictures{"a.png": nil}, Charts: map[string]*Chart{"a.png": c}})
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "chart a.png") {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := &Chart{Kind: Lines, Series: []Series{{X: one, Y: one}}}
	for _, body := range []string{"nothing", "text ![x](a.png)", "- ![x](a.png)"} {
		if err := Write(&bytes.Buffer{}, &Page{Body: body, Files: Pictures{"a.png": nil}, Charts: map[string]*Chart{"a.png": good}}); err == nil || !strings.Contains(err.Error(), "no paragraph of its own") {
			t.Errorf("%s: %v", body, err)
		}
	}
	if err := Write(&bytes.Buffer{}, &Page{Body: "![x](a.png)", Charts: map[string]*Chart{"a.png": good}}); err == nil {
		t.Error("a chart without its picture was taken")
	}
}

// TestUPlot: what was taken from elsewhere is what the README says.
func TestUPlot(t *testing.T) {
	readme, err := os.ReadFile("uplot/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uPlot.iife.min.js", "uPlot.min.css"} {
		text, err := fs.ReadFile(UPlot(), name)
		sum := sha256.Sum256(text)
		if err != nil || !strings.Contains(string(readme), hex.EncodeToString(sum[:])) {
			t.Errorf("%s: %v: not the file of the README", name, err)
		}
	}
	if _, err := fs.Stat(UPlot(), "LICENSE"); err != nil {
		t.Error(err)
	}
}

func ExampleWrite() {
	page := &Page{
		Title: "Scores", Body: "# Scores\n\n![scores by rank](scores.png)\n", Files: Pictures{"scores.png": nil /* a picture */},
		Charts: map[string]*Chart{"scores.png": {Kind: Lines, XLabel: "rank", YLabel: "score", Series: []Series{
			{Name: "score", X: []float64{1, 2, 3}, Y: []float64{9, 1.2, 1}, IDs: []string{"row 7", "row 3", "row 5"}},
		}}},
	}
	var html bytes.Buffer
	if err := Write(&html, page); err != nil {
		panic(err)
	}
}
