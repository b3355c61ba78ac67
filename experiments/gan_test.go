package experiments

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/figure"
	"rot.example/rot/gan"
)

// trained runs a study of GANs, or looks what there is of it, and returns its
// cells and how many are lacking.
func trained(t *testing.T, b *bench, settings []setting, models []model, judge *judgeMaker) (cells []generated, lacking int) {
	t.Helper()
	st := &study{}
	if err := st.train(b.lab.Options, settings, models, judge, func(_ *section, c []generated) { cells = c }); err != nil {
		t.Fatal(err)
	}
	if err := b.schedule(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	f := &finder{lab: b.lab, store: b.store}
	if _, err := st.show(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	return cells, f.undone
}

// withID returns a judge that is like j and has another hash.
func withID(j *judge, id string) *judge {
	return &judge{net: j.net, clean: j.clean, outlier: j.outlier, about: j.about, id: id}
}

// TestTrain trains two tiny GANs on made-up digits, judges them, and finds the
// cells again.
func TestTrain(t *testing.T) {
	o := options(t)
	dir := filepath.Join(o.Out, "first")
	b := testBench(t, o, dir)
	c, err := ganConfig(&o, "dcgan")
	if err != nil {
		t.Fatal(err)
	}
	c.Data, c.Steps, c.Size = "synth:digits,n=300", 20, 28
	s := setting{name: "digits with 10 % shapes", config: c, gamma: 0.1, outliers: "synth:shapes,n=100"}
	ms := []model{{name: "plain", change: func(c *gan.Config) { c.Rho = 0 }}, {name: "robust", change: func(c *gan.Config) { c.Rho = 0.1 }}}
	judge := newJudge("synth:digits,n=300", "synth:shapes,n=100")
	cells, _ := trained(t, b, []setting{s}, ms, judge)
	if len(cells) != 2 || cells[0].AUROC != -1 || cells[1].AUROC < 0 || len(cells[1].Weights) < 300 {
		t.Fatalf("cells %+v", cells)
	}
	for _, c := range cells {
		sum := 0.0
		for _, s := range c.Shares {
			sum += s
		}
		if !(c.Distance > 0) || !(c.Score >= 1-1e-6) || c.Outliers < 0 || math.Abs(sum-1) > 1e-9 || c.Stopped != "" || len(c.Losses[0].Step) == 0 {
			t.Errorf("cell %+v", c)
		}
		if _, err := os.Stat(filepath.Join(dir, c.Picture)); err != nil {
			t.Error(err)
		}
		if m := c.made; c.old != "" || m.Algorithm != string(ganAlgorithm) || len(m.Data) != 16 || m.Judge != judge.made.id || m.Revision == "" || m.Device != b.lab.device() || m.Date == "" {
			t.Errorf("made by %+v, %q", m, c.old)
		}
	}
	again, _ := trained(t, b, []setting{s}, ms, judge)
	if b.sched.done != 2 || again[1].Distance != cells[1].Distance {
		t.Errorf("the cells were not found again: %d were run", b.sched.done)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "run-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	// Another experiment in the same folder takes them over, under its names.
	other := testBench(t, o, filepath.Join(o.Out, "beside"))
	renamed := []model{ms[1]}
	renamed[0].name = "ρ = 0.1"
	taken, _ := trained(t, other, []setting{s}, renamed, judge)
	if len(taken) != 1 || taken[0].Distance != cells[1].Distance || taken[0].Model != "ρ = 0.1" || taken[0].made != cells[1].made {
		t.Fatalf("taken over: %+v", taken)
	}
	for _, picture := range []string{taken[0].Picture, taken[0].Sorted} {
		if info, err := os.Stat(filepath.Join(other.lab.dir, picture)); err != nil || info.IsDir() {
			t.Errorf("picture %q: %v", picture, err)
		}
	}

	// With another judge they are trained again.
	before := b.sched.done
	rejudged, _ := trained(t, b, []setting{s}, ms[:1], &judgeMaker{made: withID(judge.made, "another")})
	if b.sched.done != before+1 || rejudged[0].made.Judge == cells[0].made.Judge || rejudged[0].old != "" {
		t.Errorf("with another judge: %+v, %d were run", rejudged[0].made, b.sched.done-before)
	}

	// What a GPU made is shown without one, and what nobody made is not made.
	c.Rho, c.DType = 0.2, bf16
	k, err := ganKey(&o, s.name+", by GPU, seed 0", &s, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.store.append(k, Provenance{Device: "a GPU"}, generated{Setting: s.name, Model: "by GPU"}); err != nil {
		t.Fatal(err)
	}
	o.Show = true
	shown, lacking := trained(t, testBench(t, o, dir), []setting{s}, []model{
		{name: "by GPU", change: func(c *gan.Config) { c.Rho = 0.2 }}, {name: "by nobody", change: func(c *gan.Config) { c.Rho = 0.3 }},
	}, nil)
	if len(shown) != 1 || shown[0].Model != "by GPU" || lacking != 1 || shown[0].old != beforeProvenance {
		t.Errorf("shown %+v, %d lacking", shown, lacking)
	}
}

// TestMatching: a radius that matches the outliers is one that they need, and
// where there are none there is nothing to match.
func TestMatching(t *testing.T) {
	m := matching("robust")
	if _, ok := m.configOn(&setting{}); ok {
		t.Error("a model for no outliers")
	}
	c, ok := m.configOn(&setting{gamma: 0.05})
	if !ok || math.Abs(c.Rho-0.05/1.9) > 1e-12 {
		t.Errorf("ρ = %v for γ = 0.05", c.Rho)
	}
}

// TestModels: they come in their order, also where the first setting lacks one.
func TestModels(t *testing.T) {
	var cells []generated
	for _, of := range []struct{ setting, models string }{{"clean", "ac"}, {"dirty", "abc"}, {"odd", "d"}} {
		for _, m := range of.models {
			cells = append(cells, generated{Setting: of.setting, Model: string(m)})
		}
	}
	if got := strings.Join(models(cells), ""); got != "abcd" {
		t.Errorf("models in the order %s", got)
	}
}

// TestJudge: clean images are at a distance of almost nothing from themselves
// and hold no outliers; outliers are far and are told.
func TestJudge(t *testing.T) {
	o := options(t)
	l := testBench(t, o, filepath.Join(o.Out, "judged")).lab
	ctx := context.Background()
	j, err := makeJudge(ctx, l, 28, 1, "synth:digits,n=300", "synth:shapes,n=100")
	if err != nil {
		t.Fatal(err)
	}
	good, err := dataset.LoadImages("synth:digits,n=200,seed=5", &dataset.ImageOptions{Size: 28})
	if err != nil {
		t.Fatal(err)
	}
	bad, err := dataset.LoadImages("synth:shapes,n=200,seed=5", &dataset.ImageOptions{Size: 28})
	if err != nil {
		t.Fatal(err)
	}
	v, err := j.score(ctx, good, 1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := j.score(ctx, bad, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v.Outliers > 0.05 || w.Outliers < 0.9 || !(w.Distance > 3*v.Distance) || !(w.KID > 3*v.KID) || v.Score < 4 {
		t.Errorf("clean: %+v\noutliers: %+v", v, w)
	}
	// The second time it is read, and says the same.
	k, err := makeJudge(ctx, l, 28, 1, "synth:digits,n=300", "synth:shapes,n=100")
	if err != nil || k.net.Hash() != j.net.Hash() || k.about != j.about {
		t.Errorf("another judge: %v", err)
	}
	if !strings.Contains(j.about, j.net.Hash()) || !strings.Contains(j.about, "300 images of synth:digits,n=300 (") {
		t.Errorf("about the judge: %s", j.about)
	}
	if kept, _ := filepath.Glob(filepath.Join(o.Out, "judges", "*")); len(kept) != 1 {
		t.Errorf("judges kept: %v", kept)
	}
}

// TestGANTables works tables out by hand.
func TestGANTables(t *testing.T) {
	cells := []generated{
		{Setting: "s", Model: "a", Seed: 0, verdict: verdict{Distance: 2, KID: 0.001, Score: 3, Outliers: 0.02}, weighing: weighing{AUROC: -1}},
		{Setting: "s", Model: "a", Seed: 1, verdict: verdict{Distance: 4, KID: 0.003, Score: 5, Outliers: 0.04}, weighing: weighing{AUROC: -1}},
		{Setting: "s", Model: "b", Seed: 0, verdict: verdict{Distance: 1, KID: 0, Score: 6, Outliers: 0}, weighing: weighing{AUROC: 0.99, MeanIn: 1.05, MeanOut: 0.01}},
		{Setting: "s", Model: "b", Seed: 1, Stopped: "a loss is NaN"},
	}
	got := ganTable(cells)
	for _, want := range []string{
		"| s | a | 3.00 ± 1.41 | 2.00 ± 1.41 | 4.00 ± 1.41 | 3.00 ± 1.41 % | – | – |\n",
		"| s | b (1 of 2 runs stopped) | 1.00 | 0.00 | 6.00 | 0.00 % | 0.9900 | 1.05 / 0.01 |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := rareTable(cells); !strings.Contains(got, "| s | 3.00 ± 1.41 % | 0.00 % |\n") {
		t.Errorf("rare classes:\n%s", got)
	}
	f := againstGamma(cells)
	if len(f.Panels) != 2 || len(f.Panels[0].Series) != 2 || f.Panels[0].Series[0].Value[0] != 3 || f.Panels[1].Series[0].Value[0] != 3 {
		t.Errorf("panels %+v", f.Panels)
	}
	var _ figure.Figure = f

	// What scored is named, and a second judge is a warning.
	cells[0].Judge, cells[1].Judge = "one", "one"
	fid := 12.5
	cells[2].FID, cells[2].FIDBy = &fid, "inception-v3 (abc)"
	got = ganTable(cells)
	for _, want := range []string{"Scored by one.", "FID with the features of inception-v3 (abc)", "| 1.05 / 0.01 | 12.50 |\n", "| – | – | – |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	rho := 0.025
	cells[0].Radius = &rho
	if got = ganTable(cells); !strings.Contains(got, "| s | a (at the end 0.025) | 3.00") {
		t.Errorf("a radius that was chosen:\n%s", got)
	}
	cells[2].FIDBy = "mobilenetv2 (abc)"
	if got = ganTable(cells); strings.Contains(got, "FID") || !strings.Contains(got, "| Distance by mobilenetv2 |\n") {
		t.Errorf("a distance that is no FID:\n%s", got)
	}
	cells[1].Judge = "two"
	if got = ganTable(cells); !strings.Contains(got, "several classifiers") || !strings.Contains(got, "one; two") {
		t.Errorf("two judges:\n%s", got)
	}
}

// TestHistogramNames: every cell has a file of weights of its own, also beside
// those of another part of the experiment, and Markdown shows that file.
func TestHistogramNames(t *testing.T) {
	part := func(hash string) []generated {
		return []generated{{Setting: "clean", Model: "robust", Picture: "samples-" + hash + ".png", weighing: weighing{AUROC: -1, Weights: []float64{1, 1}}}}
	}
	files := map[string]bool{}
	for _, hash := range []string{"aa", "bb"} {
		cells := part(hash)
		pictures := histograms(cells)
		if len(pictures) != 1 {
			t.Fatalf("%d histograms, want 1", len(pictures))
		}
		files[pictures[0].name] = true
		if text := ganPictures(cells); !strings.Contains(text, "("+pictures[0].name+")") {
			t.Errorf("no %s in\n%s", pictures[0].name, text)
		}
		if h := pictures[0].fig.(*figure.Histogram); h.Note != "clean" {
			t.Errorf("note %q of data without outliers", h.Note)
		}
	}
	if len(files) != 2 {
		t.Errorf("files %v, want one for each part", files)
	}
}
