package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/internal/text"
)

// A pageChart is a chart as a page holds it.
type pageChart struct {
	Kind   string
	X, Y   string
	Series []struct {
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

// readPage reads a page and its charts, and checks that it needs nothing else.
func readPage(t *testing.T, path string) (string, []pageChart) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if bad := regexp.MustCompile(`(?:src|href)="(?:[^d]|d[^a])[^"]*"|url\(|@import|<link`).FindString(page); bad != "" {
		t.Errorf("the page loads %s", bad)
	}
	var charts []pageChart
	for _, found := range regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindAllStringSubmatch(page, -1) {
		var c pageChart
		if err := json.Unmarshal([]byte(found[1]), &c); err != nil {
			t.Fatal(err)
		}
		charts = append(charts, c)
	}
	return page, charts
}

func mustHave(t *testing.T, page string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page lacks %q", w)
		}
	}
}

const hostileID = `</script><img src=x onerror=alert(1)>`

// dirtyRows is 60 rows on a grid, three of a rare class far away, and one with
// a hostile id that is farther still, and like r34 but for column c.
func dirtyRows() string {
	var rows strings.Builder
	rows.WriteString("name,a,b,c,kind\n")
	for i := range 60 {
		fmt.Fprintf(&rows, "r%d,%d,%d,%d,common\n", i, i%7, i%5, i%3)
	}
	for i := range 3 {
		fmt.Fprintf(&rows, "rare%d,%d,-80,70,rare\n", i, 60+i)
	}
	fmt.Fprintf(&rows, "%q,6,4,900,common\n", hostileID)
	return rows.String()
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCleanPageCharts: the numbers of the charts are those of the answer, ids
// stay text, and a class that goes as a whole raises the alarm.
func TestCleanPageCharts(t *testing.T) {
	path := writeFile(t, "rows.csv", dirtyRows())
	dir, _, stderr, code := runIn(t.Context(), t, "clean", path, "--id-column", "name", "--label-column", "kind", "--gamma", "0.07")
	if code != 0 {
		t.Fatal(stderr)
	}
	page, charts := readPage(t, filepath.Join(dir, "clean", "report.html"))
	if len(charts) != 3 {
		t.Fatalf("%d charts", len(charts))
	}
	bars, rows, cut := charts[0], charts[1], charts[2]
	var kept, gone float64
	for k := range bars.Series[0].Y {
		kept, gone = kept+bars.Series[0].Y[k], gone+bars.Series[1].Y[k]
	}
	if bars.Kind != "bars" || kept != 60 || gone != 4 {
		t.Errorf("%s of %v kept and %v dropped", bars.Kind, kept, gone)
	}
	dropped := rows.Series[len(rows.Series)-1]
	if rows.Kind != "scatter" || len(rows.Series[0].X) != 60 || len(dropped.X) != 4 || !slices.Contains(dropped.IDs, hostileID) || !strings.HasPrefix(rows.X, "PC 1 of 3") {
		t.Errorf("%+v", rows)
	}
	if f := dropped.Facts; f[0].Name != "score" || f[1].Name != "weight" || f[1].Values[0] != 0.0 || f[2].Values[0] != 1.0 || f[3].Name != "because of" || f[4].Name != "label" {
		t.Errorf("facts %+v", f)
	}
	if cut.Kind != "lines" || len(cut.Series[0].X) != 64 || cut.Marks[0].X != 4.5 || cut.Series[0].IDs[0] != dropped.IDs[0] {
		t.Errorf("%+v", cut)
	}
	mustHave(t, page, "<blockquote>", "3 of the 3 rows of class &quot;rare&quot; are suspects", "⚠ nearly all of it", "<td>r34</td>\n<td>common</td>\n<td>c: 900 vs 1</td>", "How certain it is", "&lt;/script&gt;&lt;img src=x")
	if strings.Contains(page, "<img src=x") {
		t.Error("an id became markup")
	}
	again, _, _, _ := runIn(t.Context(), t, "clean", path, "--id-column", "name", "--label-column", "kind", "--gamma", "0.07")
	if twin, _ := readPage(t, filepath.Join(again, "clean", "report.html")); twin != page {
		t.Error("the same data and seed gave another page")
	}
}

// TestCleanPageReference: both clouds, and the curve with the radius in use.
func TestCleanPageReference(t *testing.T) {
	dir, stdout, stderr, code := runIn(t.Context(), t, "clean", "synth:outliers,n=3000,d=5", "--against", "synth:gauss,n=2500,d=5,seed=1", "--gamma", "0.05", "--json")
	var got text.CleanJSON
	if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
		t.Fatal(stderr, err)
	}
	page, charts := readPage(t, filepath.Join(dir, "clean", "report.html"))
	rows, curve := charts[1], charts[2]
	n := 0
	for _, s := range rows.Series {
		n += len(s.X)
	}
	if rows.Series[0].Name != "reference" || rows.Series[0].Look != "other" || rows.Series[2].Name != "suspects" || len(rows.Series[2].X) != 150 || n < 2000 || n > 2002 {
		t.Errorf("%d points, %d of them dropped, of %s", n, len(rows.Series[2].X), rows.Series[0].Name)
	}
	if curve.Kind != "lines" || curve.Series[0].X[0] != 0 || math.Abs(curve.Marks[0].X-got.Rho) > 1e-6 || !slices.IsSortedFunc(curve.Series[0].Y, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("%+v", curve)
	}
	mustHave(t, page, "a random 986 of the 2850 kept, a random 865 of the 2500 reference")
}

// TestCleanPageHuge: numbers that no axis can hold do not keep the page away.
func TestCleanPageHuge(t *testing.T) {
	for _, text := range []string{"a\n1e300\n1\n2\n3\n4\n", "a,b\n1e300,1\n1,-1e308\n2,5\n3,1e308\n4,2\n", "a,b,c\n1,1e300,1\n1,-1e308,2\n2,5,2\n3,1,2\n4,2,4\n"} {
		path := writeFile(t, "rows.csv", text)
		dir, _, stderr, code := runIn(t.Context(), t, "clean", path, "--gamma", "0.2")
		if code != 0 {
			t.Fatalf("%q: %s", text, stderr)
		}
		if _, charts := readPage(t, filepath.Join(dir, "clean", "report.html")); len(charts) != 3 {
			t.Errorf("%q: %d charts", text, len(charts))
		}
	}
}

// TestCleanPageImages: each suspect beside its nearest kept neighbour.
func TestCleanPageImages(t *testing.T) {
	dir, _, stderr, code := runIn(t.Context(), t, "clean", "synth:digits,n=40", "--gamma", "0.1")
	if code != 0 {
		t.Fatal(stderr)
	}
	page, _ := readPage(t, filepath.Join(dir, "clean", "report.html"))
	if n := strings.Count(page, "<td><img "); n != 60 {
		t.Errorf("%d thumbnails, want 2 for each of 30 rows", n)
	}
}

// TestDistPage: the numbers of the page are those of the answer.
func TestDistPage(t *testing.T) {
	source := writeFile(t, "source.csv", dirtyRows())
	var clean strings.Builder
	clean.WriteString("name,a,b,c\n")
	for i := range 60 {
		fmt.Fprintf(&clean, "t%d,%d,%d,%d\n", i, i%7, i%5, i%3)
	}
	target := writeFile(t, "target.csv", clean.String())
	args := []string{"dist", source, target, "--id-column", "name", "--label-column", "kind", "--gamma", "0.0625"}
	dir, stdout, stderr, code := runIn(t.Context(), t, append(args, "--report", "page.html", "--json")...)
	var got text.DistanceJSON
	if err := json.Unmarshal([]byte(stdout), &got); code != 0 || err != nil {
		t.Fatal(stderr, err)
	}
	page, charts := readPage(t, filepath.Join(dir, "page.html"))
	if len(charts) != 3 {
		t.Fatalf("%d charts", len(charts))
	}
	rows, bars, curve := charts[0], charts[1], charts[2]
	if len(rows.Series) != 3 || rows.Series[0].Name != "target" || len(rows.Series[0].X) != 60 || len(rows.Series[1].X) != 60 || len(rows.Series[2].X) != got.Low || got.Low != 4 ||
		!slices.Contains(rows.Series[2].IDs, hostileID) || rows.Series[2].Facts[1].Values[0] == nil {
		t.Errorf("%+v", rows)
	}
	low := 0.0
	for _, v := range bars.Series[1].Y {
		low += v
	}
	if low != 4 || math.Abs(curve.Marks[0].X-got.Rho) > 1e-6 {
		t.Errorf("%v rows of low weight, marks %+v", low, curve.Marks)
	}
	mustHave(t, page, "Robust transport costs "+digits(float64(got.Value), 6)+", plain transport "+digits(curve.Series[0].Y[0], 6), "4 of 64 source rows lose most of their weight",
		"<blockquote>", "3 of the 3 source rows of class &quot;rare&quot;", "⚠ nearly all of it", "certified lower bound", "c: 900 vs 2", "Who goes where", "&lt;/script&gt;&lt;img src=x", "--gamma 0.0625")
	if strings.Contains(page, "<img src=x") {
		t.Error("an id became markup")
	}
	if _, stdout, _, _ = runIn(t.Context(), t, args...); !strings.Contains(stdout, `Warning: 3 of the 3 source rows of class "rare" lose most of their weight`) {
		t.Errorf("no alarm: %s", stdout)
	}
}

// TestDistPages: there is a page for every method and kind of input.
func TestDistPages(t *testing.T) {
	cost := writeFile(t, "cost.npy", string(npy("<f8", 2, 3, 1, 2, 3, 4, 0.5, 6)))
	huge := writeFile(t, "huge.csv", "x,y\n1e200,2e200\n3,1\n2,2\n5,6\n")
	line := writeFile(t, "line.csv", "x\n0\n1\n2\n3\n50\n")
	for _, tt := range []struct {
		args   string
		charts int
	}{
		{"synth:outliers,n=80 synth:gauss,n=70,seed=1", 2},
		{"synth:outliers,n=80 synth:gauss,n=70,seed=1 --rho auto", 3},
		{"synth:outliers,n=80 synth:outliers,n=70,seed=1 --rho 0.05 --target-rho 0.05", 4},
		{"synth:outliers,n=700 synth:gauss,n=70,seed=1 --gamma 0.05", 3},
		{"synth:outliers,n=80,d=6 synth:gauss,n=70,d=6,seed=1 --method entropic", 1},
		{"synth:outliers,n=80 synth:gauss,n=70,seed=1 --method partial --mass 0.9", 3},
		{"synth:outliers,n=80 synth:gauss,n=70,seed=1 --method unbalanced --penalty 0.3", 3},
		{"synth:outliers,n=80 synth:gauss,n=70,seed=1 --metric cosine --gamma 0.9", 3},
		{huge + " " + huge + " --metric cosine --gamma 0.2", 2},
		{line + " " + line + " --gamma 0.2", 3},
		{"--cost " + cost + " --gamma 0.2", 2},
		{"--cost " + cost, 1},
	} {
		dir, _, stderr, code := runIn(t.Context(), t, append(append([]string{"dist"}, strings.Fields(tt.args)...), "--report", "page.html")...)
		if code != 0 {
			t.Errorf("%s: %s", tt.args, stderr)
			continue
		}
		page, charts := readPage(t, filepath.Join(dir, "page.html"))
		if len(charts) != tt.charts || !strings.Contains(page, "How certain it is") {
			t.Errorf("%s: %d charts, want %d", tt.args, len(charts), tt.charts)
		}
		if strings.Contains(page, "Of 600 random rows") != strings.Contains(tt.args, "n=700") {
			t.Errorf("%s: wrong about which rows the curve is of", tt.args)
		}
	}
}

// TestPagesInBrowser: real pages draw their charts without a word on the
// console.
func TestPagesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not short")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium is not installed: the pages were not looked at")
	}
	for page, args := range map[string]string{
		"clean/report.html": "clean synth:outliers,n=200,d=4 --against synth:gauss,n=150,d=4,seed=1",
		"page.html":         "dist synth:outliers,n=200 synth:gauss,n=150,seed=1 --rho auto --report page.html",
	} {
		dir, _, stderr, code := runIn(t.Context(), t, strings.Fields(args)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		profile, err := os.MkdirTemp("", "pages") // not t.TempDir: written to for a moment after the end
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(profile)
		flags := []string{"--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr", "--user-data-dir=" + profile, "--timeout=20000", "--dump-dom", "file://" + filepath.Join(dir, page)}
		if os.Geteuid() == 0 {
			flags = append(flags, "--no-sandbox") // its own sandbox refuses root
		}
		var dom, log bytes.Buffer
		cmd := exec.CommandContext(t.Context(), chromium, flags...)
		cmd.Stdout, cmd.Stderr = &dom, &log
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, log.String())
		}
		if n := strings.Count(dom.String(), "<canvas "); n != 3 || strings.Count(dom.String(), `class="chart live"`) != 3 {
			t.Errorf("%s: %d charts are drawn", page, n)
		}
		if strings.Contains(log.String(), "CONSOLE") {
			t.Errorf("%s: %s", page, log.String())
		}
	}
}
