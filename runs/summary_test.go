package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestSummarize(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	at := func(text string, ago time.Duration) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), ModTime: now.Add(-ago)}
	}
	const gan = `{"preset": "mlp", "data": "d.csv", "steps": 100}`
	const da = `{"source": "a", "target": "b", "steps": 100}`
	long := strings.Repeat(`{"step": 1, "name": "some record of usual length"}`+"\n", 2000)
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"fresh", fstest.MapFS{"r/config.json": at(gan, time.Second)}, "gan stopped 0/100 d.csv 1s"},
		{"training", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 40, "a": 1}`+"\n", 20*time.Second)}, "gan training 40/100 d.csv 20s"},
		{"stopped", fstest.MapFS{"r/config.json": at(da, time.Hour), "r/metrics.jsonl": at(`{"step": 40}`+"\n", 40*time.Second)}, "da stopped 40/100 a → b 40s"},
		{"slow", fstest.MapFS{"r/config.json": at(gan, time.Hour), // a record in 20 seconds
			"r/metrics.jsonl": at(`{"step": 1, "seconds": 10}`+"\n"+`{"step": 2, "seconds": 30}`+"\n", 90*time.Second)}, "gan training 2/100 d.csv 1m30s"},
		{"slow and stopped", fstest.MapFS{"r/config.json": at(gan, time.Hour),
			"r/metrics.jsonl": at(`{"step": 1, "seconds": 10}`+"\n"+`{"step": 2, "seconds": 30}`+"\n", 101*time.Second)}, "gan stopped 2/100 d.csv 1m41s"},
		{"finished", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 100}`+"\n", time.Second)}, "gan finished 100/100 d.csv 1s"},
		{"failed", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 9}`+"\n", 3*time.Second),
			"r/failure": {Mode: os.ModeDir, ModTime: now.Add(-2 * time.Second)}}, "gan failed 9/100 d.csv 3s"},
		{"resumed after a failure", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 9}`+"\n", 3*time.Second),
			"r/failure": {Mode: os.ModeDir, ModTime: now.Add(-time.Minute)}}, "gan training 9/100 d.csv 3s"},
		{"checkpoint is newer", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 9}`+"\n", time.Minute),
			"r/checkpoints": {Mode: os.ModeDir, ModTime: now.Add(-time.Second)}}, "gan training 9/100 d.csv 1s"},
		{"half a line", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 40}`+"\n"+`{"step": 5`, time.Second)}, "gan training 40/100 d.csv 1s"},
		{"damaged line", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(`{"step": 40}`+"\nrubbish\n", time.Second)}, "gan training 40/100 d.csv 1s"},
		{"long", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": at(long+`{"step": 41}`+"\n", time.Second)}, "gan training 41/100 d.csv 1s"},
		{"another program's", fstest.MapFS{"r/config.json": at(`{"steps": "many", "x": [1]}`, time.Hour)}, " stopped 0/0  1h0m0s"},
		{"metrics is a pipe", fstest.MapFS{"r/config.json": at(gan, time.Hour), "r/metrics.jsonl": {Mode: os.ModeNamedPipe}}, "gan stopped 0/100 d.csv 1h0m0s"},
	} {
		s, err := Summarize(tt.files, "r", now)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := fmt.Sprintf("%s %s %d/%d %s %v", s.Kind, s.State, s.Step, s.Steps, s.Data, now.Sub(s.Updated))
		if got != tt.want || s.Name != "r" || !json.Valid(s.Config) || (s.Last == nil) != (s.Step == 0) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		name  string
		files fstest.MapFS
		want  error
	}{
		{"nothing", fstest.MapFS{}, ErrNotRun},
		{"no configuration", fstest.MapFS{"r/metrics.jsonl": at("", 0)}, ErrNotRun},
		{"a folder", fstest.MapFS{"r/config.json/x": at("", 0)}, ErrNotRun},
		{"a pipe", fstest.MapFS{"r/config.json": {Mode: os.ModeNamedPipe}}, ErrNotRun},
		{"empty", fstest.MapFS{"r/config.json": at("", 0)}, ErrConfig},
		{"a list", fstest.MapFS{"r/config.json": at("[1]", 0)}, ErrConfig},
		{"not JSON", fstest.MapFS{"r/config.json": at("{", 0)}, ErrConfig},
		{"huge", fstest.MapFS{"r/config.json": at(`{"a": "`+strings.Repeat("x", mostConfig)+`"}`, 0)}, ErrConfig},
	} {
		if _, err := Summarize(tt.files, "r", now); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestSummarizeWhileTraining: looking does not take the lock.
func TestSummarizeWhileTraining(t *testing.T) {
	dir := t.TempDir()
	r, err := Create(dir, "r", "", map[string]any{"steps": 3})
	if err != nil {
		t.Fatal(err)
	}
	log, err := r.OpenMetrics(0)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Append(map[string]any{"step": 1}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		unlock, err := r.Lock()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Summarize(os.DirFS(dir), "r", time.Now())
		if err != nil || s.State != Training || s.Step != 1 {
			t.Errorf("got %+v, %v", s, err)
		}
		unlock()
	}
	before, err := os.ReadDir(filepath.Join(dir, "r"))
	if err != nil || len(before) != 5 { // config, metrics, lock and two folders
		t.Errorf("%v, %v", before, err)
	}
}

func TestDifferences(t *testing.T) {
	raw := func(texts ...string) (out []json.RawMessage) {
		for _, s := range texts {
			out = append(out, json.RawMessage(s))
		}
		return out
	}
	for _, tt := range []struct {
		configs []json.RawMessage
		want    string
	}{
		{nil, "[]"},
		{raw(`{"a": 1}`), "[]"},
		{raw(`{"a": 1, "b": [1, 2]}`, `{"b":[1,2],"a":1}`), "[]"},
		{raw(`{"z": 1, "a": 1, "b": [1, 2]}`, `{"b": [1, 3], "z": 2, "a": 1}`), `[{"key":"z","values":[1,2]},{"key":"b","values":[[1,2],[1,3]]}]`},
		{raw(`{"a": 1}`, `{}`, `{"a": 1, "c": null}`), `[{"key":"a","values":[1,null,1]},{"key":"c","values":[null,null,null]}]`},
	} {
		got, err := Differences(tt.configs)
		text, _ := json.Marshal(got)
		if err != nil || string(text) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.configs, text, err, tt.want)
		}
	}
	for _, bad := range []string{``, `[]`, `1`, `{"a"`, `{"a": }`, `{"a": 1`} {
		if _, err := Differences(raw(`{}`, bad)); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}
