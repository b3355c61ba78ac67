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

// TestGenerate trains two tiny GANs on made-up digits, judges them, and finds
// the cells again.
func TestGenerate(t *testing.T) {
	o := options(t)
	g, err := openGrid(o.Out, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	c, err := g.ganConfig("dcgan")
	if err != nil {
		t.Fatal(err)
	}
	c.Data, c.Steps, c.Size = "synth:digits,n=300", 20, 28
	s := setting{name: "digits with 10 % shapes", config: c, gamma: 0.1, outliers: "synth:shapes,n=100"}
	ms := []model{{name: "plain", change: func(c *gan.Config) { c.Rho = 0 }}, {name: "robust", change: func(c *gan.Config) { c.Rho = 0.1 }}}
	made := g.judgeOf(t.Context(), "synth:digits,n=300", "synth:shapes,n=100")
	cells, err := g.generate(t.Context(), []setting{s}, ms, made)
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := os.Stat(filepath.Join(o.Out, c.Picture)); err != nil {
			t.Error(err)
		}
	}
	again, err := g.generate(t.Context(), []setting{s}, ms, nil)
	if err != nil || again[1].Distance != cells[1].Distance {
		t.Errorf("the cells were not found again: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Out, "run-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	// What a GPU made is shown without one, and what nobody made is not made.
	c.Rho, c.DType = 0.2, bf16
	k, err := g.ganKey(s.name+", by GPU, seed 0", &s, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.keep(k, "a GPU", "", generated{Setting: s.name, Model: "by GPU"}); err != nil {
		t.Fatal(err)
	}
	g.Show = true
	shown, err := g.generate(t.Context(), []setting{s}, []model{
		{name: "by GPU", change: func(c *gan.Config) { c.Rho = 0.2 }}, {name: "by nobody", change: func(c *gan.Config) { c.Rho = 0.3 }},
	}, nil)
	if err != nil || len(shown) != 1 || shown[0].Model != "by GPU" || g.lacking != 1 {
		t.Errorf("shown %+v, %d lacking, %v", shown, g.lacking, err)
	}

	// Another experiment in the same folder takes them over, under its names.
	beside := filepath.Join(filepath.Dir(o.Out), "beside")
	if err := os.Mkdir(beside, 0o777); err != nil {
		t.Fatal(err)
	}
	other, err := openGrid(beside, o)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	ms[1].name = "ρ = 0.1"
	taken, err := other.generate(t.Context(), []setting{s}, ms[1:], nil) // without a judge nothing can be trained
	if err != nil || len(taken) != 1 || taken[0].Distance != cells[1].Distance || taken[0].Model != "ρ = 0.1" {
		t.Fatalf("taken over: %v, %v", taken, err)
	}
	for _, picture := range []string{taken[0].Picture, taken[0].Sorted} {
		if info, err := os.Stat(filepath.Join(beside, picture)); err != nil || info.IsDir() {
			t.Errorf("picture %q: %v", picture, err)
		}
	}
}

// TestMatching: a radius that matches the outliers is one that they need, and
// where there are none there is nothing to match.
func TestMatching(t *testing.T) {
	m := matching("robust")
	if _, ok := m.on(&setting{}); ok {
		t.Error("a model for no outliers")
	}
	c, ok := m.on(&setting{gamma: 0.05})
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
	g, err := openGrid(o.Out, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	ctx := context.Background()
	j, err := g.judge(ctx, 28, 1, "synth:digits,n=300", "synth:shapes,n=100")
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
	k, err := g.judge(ctx, 28, 1, "synth:digits,n=300", "synth:shapes,n=100")
	if err != nil || k.net.Hash() != j.net.Hash() || k.about != j.about {
		t.Errorf("another judge: %v", err)
	}
	if !strings.Contains(j.about, j.net.Hash()) || !strings.Contains(j.about, "300 images of synth:digits,n=300 (") {
		t.Errorf("about the judge: %s", j.about)
	}
	if kept, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Out), "judges", "*")); len(kept) != 1 {
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
