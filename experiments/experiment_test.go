package experiments

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rot.example/rot/engine"
)

var cpuBackend = sync.OnceValues(func() (*engine.Backend, error) { return engine.Open("cpu", nil) })

func options(t *testing.T) Options {
	t.Helper()
	b, err := cpuBackend()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Data: t.TempDir(), Out: t.TempDir(), Seeds: 1, Quick: true, Backend: b}
}

// testBench opens the folder dir for cells of an experiment of its name.
func testBench(t *testing.T, o Options, dir string) *bench {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	b, err := openBench(&lab{Options: &o, name: filepath.Base(dir), dir: dir, hashes: newFileHashes(&o)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

// archive writes four domains of ten classes in the form of the features of
// Office-Caltech10: clusters, moved a little from domain to domain.
func archive(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const n, dim, classes = 400, 12, 10
	features, domain, label := make([]float32, 0, n*dim), make([]uint8, n), make([]uint8, n)
	for i := range n {
		domain[i], label[i] = uint8(i/100), uint8(i%classes)
		for j := range dim {
			v := 0.3 * rng.NormFloat64()
			if j == int(label[i]) {
				v += 3
			}
			features = append(features, float32(v+0.3*float64(domain[i])))
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, a := range []struct {
		name, descr, shape string
		data               any
	}{{"features", "<f4", fmt.Sprintf("(%d, %d)", n, dim), features}, {"domain", "|u1", fmt.Sprintf("(%d,)", n), domain}, {"label", "|u1", fmt.Sprintf("(%d,)", n), label}} {
		w, err := z.Create(a.name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", a.descr, a.shape)
		header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
		var b bytes.Buffer
		b.WriteString("\x93NUMPY\x01\x00")
		binary.Write(&b, binary.LittleEndian, uint16(len(header)))
		b.WriteString(header)
		binary.Write(&b, binary.LittleEndian, a.data)
		if _, err := w.Write(b.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestTable2 runs the quick form on made-up features, stops it in the middle,
// goes on, and runs it a third time, when there is nothing left to do.
func TestTable2(t *testing.T) {
	o := options(t)
	archive(t, filepath.Join(o.Data, "office-caltech10", "efficientnet_lite4_f16.npz"))
	o.Parts = []string{"efficientnet", "pacs"}
	ran := 0
	ctx, stop := context.WithCancel(context.Background())
	o.Done = func(line string, done, total int) {
		ran++
		if total != 21 {
			t.Errorf("%d cells in all, want 21", total)
		}
		if done == 3 {
			stop()
		}
	}
	if _, err := table2.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want it to be stopped", err)
	}
	first := ran
	if _, err := os.Stat(filepath.Join(o.Out, "table2", "results.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a stopped experiment left results: %v", err)
	}
	// What there is can be shown, and nothing is run for it, nor needed.
	show := o
	show.Show, show.Data, show.Done = true, t.TempDir(), func(line string, _, _ int) { t.Errorf("was run: %s", line) }
	part, err := table2.Run(context.Background(), show)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf("**Not complete:** %d runs are still to be done.", 21-first), "| amazon → caltech10 |", "## PACS, MobileNetV2 features\n\nnot run: none of its runs has been done yet"} {
		if !strings.Contains(part.Markdown, want) {
			t.Errorf("what there is lacks %q:\n%s", want, part.Markdown)
		}
	}
	if err := os.Remove(filepath.Join(o.Out, "table2", "results.md")); err != nil {
		t.Error(err)
	}
	show.Out = t.TempDir()
	if _, err := table2.Run(context.Background(), show); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing to show: %v", err)
	}

	// A kill in the middle of a line.
	path := filepath.Join(o.Out, "table2", "cells.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, `{"cell":"half`...), 0o666); err != nil {
		t.Fatal(err)
	}

	o.Done = func(string, int, int) { ran++ }
	res, err := table2.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if first < 3 || ran != 21 {
		t.Errorf("%d cells, then %d in all; want at least 3, then 21", first, ran)
	}
	for _, want := range []string{
		"## Office-Caltech10, EfficientNet-Lite4 features", "| amazon → caltech10 |", "**Contaminated**", "**Open set**", "AUROC of the weights",
		"A quick run", "## PACS, MobileNetV2 features\n\nnot run: ",
	} {
		if !strings.Contains(res.Markdown, want) {
			t.Errorf("the tables lack %q:\n%s", want, res.Markdown)
		}
	}
	again, err := table2.Run(context.Background(), o)
	if err != nil || ran != 21 || again.Markdown != res.Markdown {
		t.Errorf("a third run ran %d cells, %v", ran-21, err)
	}
	left, err := filepath.Glob(filepath.Join(o.Out, "table2", "cell-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestNothingToRun(t *testing.T) {
	o := options(t)
	o.Out = filepath.Join(o.Out, "new")
	if _, err := table2.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("without data: %v", err)
	}
	if _, err := os.Stat(o.Out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an experiment without data left its folder: %v", err)
	}
	o = options(t)
	o.Parts = []string{"imagenet"}
	if _, err := table2.Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), `no part "imagenet"`) {
		t.Errorf("unknown part: %v", err)
	}
	if _, err := Find("table9"); err == nil || !strings.Contains(err.Error(), "choose fig1") {
		t.Errorf("unknown experiment: %v", err)
	}
}

// TestTables works out a table by hand.
func TestTables(t *testing.T) {
	cell := func(column string, seed int, accuracy, auroc float64) adapted {
		return adapted{From: "a", To: "b", Form: clean, Column: column, Seed: seed, Accuracy: accuracy, Oracle: 0.9, AUROC: auroc}
	}
	cells := []adapted{
		cell("adversarial", 0, 0.5, -1), cell("adversarial", 1, 0.7, -1),
		cell("robust", 0, 0.6, 0.75), cell("robust", 1, 0.7, 0.85),
	}
	d := paired(cells, "adversarial", "robust")
	if d.n != 2 || math.Abs(d.mean-0.05) > 1e-12 || math.Abs(d.se-0.05) > 1e-12 {
		t.Errorf("difference %+v, want 0.05 ± 0.05 of 2", d)
	}
	got := adaptTables(cells, []column{{name: "adversarial"}, {name: "robust"}})
	for _, want := range []string{
		"| a → b | 60.0 ± 14.1 | 65.0 ± 7.1 |\n", "| **mean** | **60.0** | **65.0** |\n", "| best by labels (oracle) | 90.0 | 90.0 |\n",
		"| AUROC of the weights | – | 0.800 ± 0.071 |\n", "Robust − adversarial: +5.00 ± 5.00 points (mean and standard error over 2 pairs of runs).",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestTablesMixed: old numbers have a mark, and there is no mean of old and
// current ones.
func TestTablesMixed(t *testing.T) {
	cells := []adapted{
		{From: "a", To: "b", Form: clean, Column: "adversarial", Accuracy: 0.5, AUROC: -1},
		{From: "a", To: "b", Form: clean, Column: "robust", Accuracy: 0.6, AUROC: 0.7},
		{From: "b", To: "a", Form: clean, Column: "adversarial", Accuracy: 0.5, AUROC: -1},
		{From: "b", To: "a", Form: clean, Column: "robust", Accuracy: 0.6, AUROC: 0.7, origin: origin{old: otherData}},
	}
	cols := []column{{name: "adversarial"}, {name: "robust"}}
	got := adaptTables(cells, cols)
	for _, want := range []string{"| a → b | 50.0 | 60.0 |\n", "| b → a | 50.0 | 60.0 † |\n", "| **mean** | **50.0** | – |\n", "| AUROC of the weights | – | – |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "points") {
		t.Errorf("a difference between old and current:\n%s", got)
	}
	for i := range cells {
		cells[i].old = otherData
	}
	if got := adaptTables(cells, cols); strings.Contains(got, oldMark) || !strings.Contains(got, "| **mean** | **50.0** | **60.0** |\n") || !strings.Contains(got, "points") {
		t.Errorf("all are old:\n%s", got)
	}
}

// TestTablesIncomplete: a mean over some of the runs is left out.
func TestTablesIncomplete(t *testing.T) {
	cells := []adapted{
		{From: "a", To: "b", Form: clean, Column: "all", Accuracy: 0.9, AUROC: -1}, {From: "b", To: "a", Form: clean, Column: "all", Accuracy: 0.5, AUROC: -1},
		{From: "a", To: "b", Form: clean, Column: "some", Accuracy: 0.9, AUROC: -1},
	}
	got := adaptTables(cells, []column{{name: "all"}, {name: "some"}, {name: "none"}})
	for _, want := range []string{"| b → a | 50.0 | – | – |\n", "| **mean** | **70.0** | – | – |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestKey: a cell is another one when its configuration is.
func TestKey(t *testing.T) {
	a, err := newKey("cell", map[string]int{"steps": 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := newKey("cell", map[string]int{"steps": 2})
	if err != nil {
		t.Fatal(err)
	}
	if a == b || a.name != "cell" || len(a.hash) != 16 || a.id() == b.id() {
		t.Errorf("keys %q and %q", a, b)
	}
}

// TestQuick runs the quick form of every experiment on real data.
func TestQuick(t *testing.T) {
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("slow: set ROT_SLOW=1 to run it")
	}
	const data = "../../shared/data"
	if _, err := os.Stat(data); err != nil {
		t.Skipf("real data are not there: %v", err)
	}
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			o := options(t)
			o.Data = data
			res, err := e.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range res.Sections {
				if s.Markdown == "" {
					t.Errorf("%s did not run: %v", s.Part, s.Notes)
				}
			}
		})
	}
}

// TestGPUTurn: on a GPU the second run waits until the first has begun, the
// third does not wait, and on a processor none does.
func TestGPUTurn(t *testing.T) {
	var turn gpuTurn
	begun := turn.wait("xla")
	second := make(chan bool)
	go func() {
		turn.wait("xla")
		close(second)
	}()
	select {
	case <-second:
		t.Fatal("the second did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	begun()
	begun() // as often as there are records
	<-second
	turn.wait("xla")
	var cpu gpuTurn
	cpu.wait("cpu")
	cpu.wait("cpu")
}

// TestOwnSeeds: the head of a page says how many seeds there are only where
// all parts have as many.
func TestOwnSeeds(t *testing.T) {
	r := &Result{Name: "x", Seeds: 3, Ran: []string{"CPU"}, Sections: []*section{{Title: "A", Markdown: "a\n"}, {Title: "B", Markdown: "b\n"}, {Title: "C"}}}
	if text := r.markdown(); !strings.Contains(text, "`rot reproduce x` with 3 seeds on CPU") || strings.Contains(text, "Seeds:") {
		t.Errorf("alike:\n%s", text)
	}
	r.Sections[1].Seeds = 10
	if text := r.markdown(); strings.Contains(text, "with 3 seeds") || !strings.Contains(text, "## A\n\nSeeds: 3.\n") || !strings.Contains(text, "## B\n\nSeeds: 10.\n") || strings.Count(text, "Seeds:") != 2 {
		t.Errorf("one with ten:\n%s", text)
	}
}
