package dashboard

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rot.example/rot/report"
)

// TestReportCharts looks at the charts of a report in a browser, from disk and
// as the dashboard serves it: they are drawn, tell about the point that one
// points at or steps to, follow the scheme and the width, and give way to
// pictures on paper.
func TestReportCharts(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	const id = `</script><img src=x onerror=alert(1)>`
	still := []byte("no picture: it is not looked at")
	f, err := os.Create(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	err = report.Write(f, &report.Page{
		Title: "charts", Body: "![rows](rows.png)\n\n![bars](bars.png)\n\n![curve](curve.png)\n\n| n | word |\n|---|---|\n| 2 | b |\n| 10 | a |\n| 1 | c |\n",
		Files: report.Pictures{"rows.png": still, "bars.png": still, "curve.png": still},
		Charts: map[string]*report.Chart{
			"rows.png": {Kind: report.Scatter, XLabel: "x", YLabel: "y", Series: []report.Series{
				{Name: "kept", X: []float64{0, 1, 0.2}, Y: []float64{0, 0.1, 1}, IDs: []string{"a", "b", "c"}},
				{Name: "dropped", Look: report.Flagged, X: []float64{5}, Y: []float64{5}, IDs: []string{id}, Facts: []report.Fact{{Name: "score", Numbers: []float64{7.25}}}},
			}},
			"bars.png":  {Kind: report.Bars, Series: []report.Series{{Name: "kept", X: []float64{0.5, 1.5}, Y: []float64{3, 9}, IDs: []string{"low", "high"}}, {Name: "dropped", Look: report.Flagged, X: []float64{0.5, 1.5}, Y: []float64{4, 0}}}},
			"curve.png": {Kind: report.Lines, XLabel: "rho", Series: []report.Series{{Name: "V", X: []float64{0, 0.1, 0.2}, Y: []float64{3, 2, 1.9}}}, Marks: []report.Mark{{X: 0.1, Name: "elbow"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	web := start(t, dir)
	for _, url := range []string{"file://" + f.Name(), web.URL + "/reports/report.html"} {
		b.size(1000, 800, false)
		b.scheme("light")
		b.open(url)
		b.until(drawn)
		b.until(`document.querySelectorAll("figure.live canvas").length === 3`)

		// Point at the dropped row, at the top right of its chart.
		var at struct{ X, Y float64 }
		b.evalInto(`(() => { scrollTo(0, 0); const r = document.querySelector(".u-over").getBoundingClientRect(); return { X: r.right - 0.034 * r.width, Y: r.top + 0.043 * r.height }; })()`, &at)
		b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at.X, "y": at.Y}, nil)
		tip := `document.querySelector(".tip:not([hidden])")?.innerText`
		b.until(fmt.Sprintf(`%s === %q + "\ndropped\nscore: 7.25"`, tip, id))
		if b.eval(`document.images.length`) != 3.0 {
			t.Error("an id became a picture")
		}
		b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 5, "y": 5}, nil)
		b.until(`document.querySelector(".tip:not([hidden])") === null`)

		// Step through bars and a curve by keyboard.
		for _, k := range []struct {
			chart int
			want  string
		}{{1, "low\nkept: 3\ndropped: 4"}, {2, "rho: 0\nV: 3"}} {
			over := fmt.Sprintf(`document.querySelectorAll(".u-over")[%d]`, k.chart)
			b.eval(over + `.focus(); ` + over + `.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}))`)
			b.until(fmt.Sprintf(`%s === %q`, tip, k.want))
		}

		// Tables sort by number.
		b.eval(`document.querySelector("th button").click()`)
		b.until(`document.querySelector("main > .scroll td").textContent === "10"`)

		// Dark and narrow: another colour, and nothing wider than the screen.
		colour := `document.querySelector(".u-legend .u-marker").style.background`
		before := b.eval(colour)
		b.scheme("dark")
		b.until(fmt.Sprintf(`%s !== %q`, colour, before))
		b.size(390, 800, true)
		b.until(`document.querySelector("canvas").getBoundingClientRect().width < 390 && document.documentElement.scrollWidth <= 390`)
		b.until(drawn)

		// On paper the pictures stand for the charts.
		b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
		b.until(`[...document.querySelectorAll(".still")].every((e) => getComputedStyle(e).display === "block") &&
			[...document.querySelectorAll(".plot")].every((e) => getComputedStyle(e).display === "none")`)
		b.call("Emulation.setEmulatedMedia", map[string]any{"media": ""}, nil)
		b.sound()
	}

	// Without JavaScript too.
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.open("file://" + f.Name())
	b.until(`document.querySelectorAll(".still").length === 3 && document.querySelector(".plot") === null &&
		[...document.querySelectorAll(".still")].every((e) => getComputedStyle(e).display === "block")`)
}

// evalInto is eval for an object.
func (b *browser) evalInto(expression string, v any) {
	b.t.Helper()
	r := struct{ Result struct{ Value any } }{struct{ Value any }{v}}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &r)
}
