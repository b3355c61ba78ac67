package dashboard

import (
	"image/color"
	"slices"
	"strings"
	"testing"
)

// drawn is true when every chart of the page has ink on it.
const drawn = `(() => {
	const all = [...document.querySelectorAll(".chart canvas")];
	return all.length > 0 && all.every((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v !== 0));
})()`

// TestPages looks at the pages in a browser: they load, charts are drawn, what
// a run adds arrives by itself, and nothing is reported on the console.
func TestPages(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	live := makeRun(t, dir, "live", config{Data: "synth:eight", Preset: "mlp", Rho: 0.1, Steps: 100000}, 100)
	live.paint(t, "samples/step-00000500.png", color.RGBA{200, 0, 0, 255})
	live.paint(t, "samples/step-00001000.png", color.RGBA{0, 0, 200, 255})
	if err := live.WriteWeights(nil, []float64{1.2, 1.2, 1.2, 0.2, 1.2}, []bool{false, false, false, true, false}, nil); err != nil {
		t.Fatal(err)
	}
	makeRun(t, dir, "done", config{Data: "synth:eight", Preset: "mlp", Steps: 500, Seed: 3}, 50)
	makeRun(t, dir, "long", config{Data: "synth:eight", Preset: "mlp", Steps: 500000}, 3*mostPoints)
	strange := `<img src=x onerror=alert(1)> & "ü" %2e#?`
	write(t, `{"preset": "<b>", "steps": 3}`, dir, strange, "config.json")
	write(t, `not a configuration`, dir, "broken", "config.json")
	write(t, "# Results\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>document.title='bad'</script>\n\n![p](live.png)\n", dir, "table", "results.md")
	live.paint(t, "../table/live.png", color.Black)
	write(t, `<!doctype html><title>r</title><style>p{color:red}</style><p>hi</p><script>document.title="sorted "+self.origin</script>`, dir, "table", "deep", "report.html")
	web := start(t, dir)

	// Without the look that the page takes now and then: word must come from
	// the server.
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `{ const real = setInterval; setInterval = (f, t) => (t >= 10000 ? 0 : real(f, t)); }`}, nil)
	b.size(1200, 900, false)
	b.open(web.URL)
	b.until(`document.querySelectorAll("table.runs tbody tr").length === 4 && document.getElementById("live").textContent === "live"`)
	b.until(`document.body.innerText.includes("broken") && !document.querySelector("main img")`)
	b.sound()

	// A run that comes into being is on the list by itself.
	makeRun(t, dir, "new", config{Preset: "mlp", Steps: 10}, 1)
	b.until(`[...document.querySelectorAll("table.runs a")].some((a) => a.textContent === "new")`)

	// Who stands on a row stays there when the list is made anew.
	b.eval(`document.querySelector("input[data-run=done]").focus()`)
	makeRun(t, dir, "newer", config{Preset: "mlp", Steps: 10}, 1)
	b.until(`document.querySelector("input[data-run=newer]") !== null && document.activeElement.dataset.run === "done"`)

	// Filter, sort and compare by keyboard and mouse.
	b.eval(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))`)
	b.until(`document.activeElement.id === "filter"`)
	b.eval(`(() => { const f = document.getElementById("filter"); f.value = "done"; f.dispatchEvent(new Event("input")); })()`)
	b.until(`document.querySelectorAll("table.runs tbody tr").length === 1`)
	b.eval(`(() => { const f = document.getElementById("filter"); f.value = ""; f.dispatchEvent(new Event("input")); })()`)
	b.eval(`document.querySelector("th button").click()`) // by name
	b.until(`document.querySelector("table.runs tbody a").textContent.startsWith("<img")`)
	for _, name := range []string{"done", "live"} {
		b.eval(`document.querySelector("input[data-run=` + name + `]").click()`)
	}
	b.eval(`document.querySelector("button.main").click()`)
	b.until(`location.hash === "#/compare/done/live"`)
	b.until(drawn)
	b.until(`["rho", "steps", "seed"].every((k) => [...document.querySelectorAll(".pairs th")].some((e) => e.textContent === k)) &&
		![...document.querySelectorAll(".pairs th")].some((e) => e.textContent === "data")`)
	b.sound()

	// A run's page: curves, samples, weights, and what comes while one looks.
	b.open(web.URL + "/#/run/live")
	b.until(drawn)
	b.until(`["Losses", "Divergence of the weights", "Throughput", "Weights of the samples"].every((t) => [...document.querySelectorAll("figcaption")].some((c) => c.textContent.startsWith(t)))`)
	b.until(`document.querySelector(".samples img").naturalWidth === 64 && document.querySelector(".samples img").src.includes("step-00001000")`)
	b.eval(`document.querySelector("button[aria-label='Earlier samples']").click()`)
	b.until(`document.querySelector(".samples img").src.includes("step-00000500")`)
	b.eval(`document.querySelector("button[aria-label='Later samples']").click()`)
	step := `document.querySelector(".tile dd").textContent`
	b.until(step + ` === "1000 of 100\u202f000"`)
	label := `document.querySelector(".u-wrap").getAttribute("aria-label").includes("at step `
	b.until(label + `1000 ")`)
	// A curve is hidden and shown by keyboard.
	legend := `document.querySelector(".u-legend .u-series:nth-child(2) th")`
	for _, pressed := range []string{"false", "true"} {
		b.eval(legend + `.focus(); ` + legend + `.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}))`)
		b.until(legend + `.getAttribute("aria-pressed") === "` + pressed + `"`)
	}
	live.train(t, 5)
	b.until(step + ` === "1050 of 100\u202f000"`)
	b.until(label + `1050 ")`)
	live.paint(t, "samples/step-00001050.png", color.RGBA{0, 200, 0, 255})
	b.until(`document.querySelector(".samples img").src.includes("step-00001050")`)

	// A log that is cut back, as when a run goes on after a kill, is drawn anew.
	log, err := live.OpenMetrics(500)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	b.until(label + `500 ")`)
	b.sound()

	// Long logs are thinned, and drawn with their range.
	b.open(web.URL + "/#/run/long")
	b.until(drawn)
	b.until(`document.body.innerText.includes("mean of 4 records")`)

	// Names are text, wherever they come from.
	b.eval(`location.hash = "#/"`)
	b.until(`document.querySelector("table.runs a") !== null`)
	b.eval(`[...document.querySelectorAll("table.runs a")].find((a) => a.textContent.startsWith("<img")).click()`)
	b.until(`document.querySelector("h1")?.textContent.startsWith("<img src=x") && document.body.innerText.includes("No records yet")`)
	b.open(web.URL + "/#/run/%2e%2e")
	b.until(`document.querySelector("h1")?.textContent === "That did not work"`)
	b.mu.Lock()
	b.faults = nil // the browser reports the 404 that this is about
	b.mu.Unlock()

	// Reports have an origin of their own, their script and their pictures.
	b.open(web.URL + "/#/reports")
	b.until(`document.querySelectorAll(".reports a").length === 2`)
	b.eval(`[...document.querySelectorAll(".reports a")].find((a) => a.textContent.endsWith(".md")).click()`)
	b.until(`document.querySelector("td")?.textContent === "1" && document.querySelector("img")?.naturalWidth === 64 && document.title !== "bad"`)
	b.open(web.URL + "/reports/table/deep/report.html")
	b.until(`document.title === "sorted null"`)
	b.until(`fetch("/api/runs").then(() => false, () => true)`)
	b.mu.Lock()
	b.faults = slices.DeleteFunc(b.faults, func(f string) bool { return strings.Contains(f, "/api/runs") }) // as they should
	b.mu.Unlock()
	b.sound()
}

// TestLooks draws the pages light, dark and on a phone; -screenshots DIR keeps
// the pictures. No page is wider than the screen.
func TestLooks(t *testing.T) {
	b := openBrowser(t)
	dir, first, second := *folder, "robust", "plain"
	if dir == "" {
		dir = t.TempDir()
		makeRun(t, dir, first, config{Data: "synth:eight,n=4000", Preset: "mlp", Rho: 0.1, Steps: 5000}, 300).
			paint(t, "samples/step-00001000.png", color.RGBA{0, 0, 200, 255})
		makeRun(t, dir, second, config{Data: "synth:eight,n=4000", Preset: "mlp", Steps: 2000}, 200)
	}
	web := start(t, dir)
	for _, look := range []struct {
		name, scheme  string
		width, height int
		phone         bool
	}{{"light", "light", 1280, 900, false}, {"dark", "dark", 1280, 900, false}, {"phone", "light", 390, 844, true}} {
		b.size(look.width, look.height, look.phone)
		b.scheme(look.scheme)
		for _, page := range []struct{ name, hash, ready string }{
			{"list", "#/", `document.querySelectorAll("table.runs tbody tr").length > 1`},
			{"run", "#/run/" + first, drawn},
			{"compare", "#/compare/" + first + "/" + second, drawn},
			{"reports", "#/reports", `document.querySelector("h1")?.textContent === "Pages"`},
		} {
			b.open("about:blank")
			b.open(web.URL + "/" + page.hash)
			b.until(page.ready)
			b.until(`document.getElementById("live").textContent === "live"`)
			if wide := b.eval(`document.documentElement.scrollWidth`); wide.(float64) > float64(look.width) {
				t.Errorf("%s, %s: the page is %v wide", page.name, look.name, wide)
			}
			b.shot(page.name + "-" + look.name)
		}
		back := b.eval(`getComputedStyle(document.body).backgroundColor`)
		if want := map[string]string{"light": "rgb(246, 247, 249)", "dark": "rgb(18, 22, 28)"}[look.scheme]; back != want {
			t.Errorf("%s: the background is %v, want %s", look.name, back, want)
		}
	}
	b.sound()
}
