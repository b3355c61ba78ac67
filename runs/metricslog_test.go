package runs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestMetricsCut(t *testing.T) {
	const log = `{"step":1,"loss":0.5}` + "\n" + `{"step":2,"loss":0.25}` + "\n" + `{"step":2,"fid":30}` + "\n" + `{"step":4,"loss":0.1}` + "\n"
	line := func(n int) string { return strings.Join(strings.SplitAfter(log, "\n")[:n], "") }
	for _, tt := range []struct {
		name, text string
		step       int
		want       string
	}{
		{"nothing to cut", log, 4, log},
		{"nothing to cut, later", log, 9, log},
		{"last record", log, 3, line(3)},
		{"records of the step stay", log, 2, line(3)},
		{"several", log, 1, line(1)},
		{"all", log, 0, ""},
		{"empty", "", 5, ""},
		{"torn", log + `{"step":5,"lo`, 9, log},
		{"torn before its line break", log + `{"step":5}`, 9, log},
		{"torn and later", log + `{"step":5,"lo`, 2, line(3)},
		{"only a torn line", `{"st`, 2, ""},
		{"zeros after a power cut", log + "\x00\x00\x00", 9, log},
		{"bad last line", log + "\x00\x00\n", 9, log},
		{"last line without a step", log + "{}\n", 9, log},
		{"damage after the cut", line(3) + "{\"step\":3}\nrubbish\n{}\n", 2, line(3)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t)
			if err := os.WriteFile(r.metricsPath(), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			m, err := r.OpenMetrics(tt.step)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Append(map[string]any{"step": 10}); err != nil {
				t.Fatal(err)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if got := readText(t, r); got != tt.want+"{\"step\":10}\n" {
				t.Errorf("log is %q, want %q and a line", got, tt.want)
			}
		})
	}
}

func readText(t *testing.T, r *Run) string {
	t.Helper()
	text, err := os.ReadFile(r.metricsPath())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMetricsResume kills a run at every byte of its log: what a resumed run
// leaves is what an unbroken one leaves.
func TestMetricsResume(t *testing.T) {
	const steps, saved = 6, 3
	train := func(r *Run, from int) {
		t.Helper()
		m, err := r.OpenMetrics(from)
		if err != nil {
			t.Fatal(err)
		}
		for step := from + 1; step <= steps; step++ {
			if err := m.Append(map[string]any{"step": step, "loss": 1 / float64(step)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := newRun(t)
	train(r, 0)
	want := readText(t, r)
	kept := strings.Index(want, fmt.Sprintf(`{"loss":%v,"step":%d}`, 1/float64(saved+1), saved+1))
	for end := kept; end <= len(want); end++ {
		if err := os.WriteFile(r.metricsPath(), []byte(want[:end]), 0o644); err != nil {
			t.Fatal(err)
		}
		train(r, saved)
		if got := readText(t, r); got != want {
			t.Fatalf("killed at byte %d: log is %q", end, got)
		}
	}
}

func TestMetricsRead(t *testing.T) {
	r := newRun(t)
	if got, err := r.Metrics(); err != nil || got != nil {
		t.Errorf("no log: %v, %v", got, err)
	}
	m, err := r.OpenMetrics(0)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for step := range 3 {
		if err := m.Append(struct {
			Step int     `json:"step"`
			Loss float64 `json:"loss"`
		}{step, float64(step) / 2}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.f.WriteAt([]byte(`{"step":3,"lo`), m.end); err != nil { // half written
		t.Fatal(err)
	}
	got, err := r.Metrics()
	if err != nil || len(got) != 3 || got[2]["step"] != 2.0 || got[2]["loss"] != 1.0 {
		t.Errorf("records %v, %v", got, err)
	}
	if err := m.Append(map[string]int{"step": 3}); err != nil { // over what a full disk left
		t.Fatal(err)
	}
}

func TestMetricsErrors(t *testing.T) {
	r := newRun(t)
	m, err := r.OpenMetrics(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Append(map[string]int{"step": 5}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		record any
		text   string
	}{
		{"no step", map[string]int{"loss": 1}, "no \"step\""},
		{"other case", map[string]int{"Step": 7}, "no \"step\""},
		{"null", map[string]any{"step": nil}, "null"},
		{"half", map[string]float64{"step": 6.5}, "6.5"},
		{"negative", map[string]int{"step": -1}, "-1"},
		{"backwards", map[string]int{"step": 4}, "step 4 after step 5"},
		{"not a number", map[string]float64{"step": 6, "loss": math.NaN()}, "NaN"},
		{"not an object", []int{1}, "array"},
		{"nothing", nil, "no \"step\""},
	} {
		if err := m.Append(tt.record); !errors.Is(err, ErrMetrics) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.text)
		}
	}
	if got := readText(t, r); got != "{\"step\":5}\n" {
		t.Errorf("log is %q", got)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := m.Append(map[string]int{"step": 6}); err == nil {
		t.Error("append to a closed log")
	}

	if err := os.WriteFile(r.metricsPath(), []byte("{\"step\":1}\nrubbish\n{\"step\":2}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantSkipped := func() {
		t.Helper()
		if w := r.Warnings(); len(w) != 1 || !errors.Is(w[0], ErrMetrics) || !strings.Contains(w[0].Error(), "line 2") {
			t.Errorf("damaged log: warnings %v", w)
		}
	}
	if got, err := r.Metrics(); err != nil || len(got) != 2 {
		t.Errorf("damaged log: %v, %v", got, err)
	}
	wantSkipped()
	m, err = r.OpenMetrics(5)
	if err != nil {
		t.Fatal(err)
	}
	wantSkipped()
	if err := m.Append(map[string]int{"step": 6}); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if got := readText(t, r); got != "{\"step\":1}\nrubbish\n{\"step\":2}\n{\"step\":6}\n" {
		t.Errorf("log is %q", got)
	}
}

// TestOldRecords: logs of earlier versions have χ² where there is the half of it
// now.
func TestOldRecords(t *testing.T) {
	r := newRun(t)
	if err := os.WriteFile(filepath.Join(r.Path(), metricsFile), []byte(`{"step":1,"chi2":0.25}`+"\n"+`{"step":2,"divergence":0.5}`+"\n"+`{"step":3,"chi2":0.75}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := r.Metrics()
	want := []map[string]any{{"step": 1.0, "divergence": 0.125}, {"step": 2.0, "divergence": 0.5}, {"step": 3.0, "divergence": 0.375}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	s, err := Summarize(os.DirFS(filepath.Dir(r.Path())), r.Name(), time.Now())
	if err != nil || s.Last["divergence"] != 0.375 || s.Last["chi2"] != nil {
		t.Errorf("%+v, %v", s, err)
	}
}
