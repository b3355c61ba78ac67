package runs

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

type config struct {
	Steps int     `json:"steps"`
	Rho   float64 `json:"rho"`
}

// newRun is a fresh run in a folder that goes with the test.
func newRun(t testing.TB) *Run {
	t.Helper()
	r, err := Create(t.TempDir(), "test", "", config{Steps: 10, Rho: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCreateAndOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	want := config{Steps: 7, Rho: 0.25}
	made, err := Create(dir, "first", "", want)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{made.Path(), made.Path() + "/", filepath.Join(dir, "x", "..", "first")} {
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var got config
		if err := r.Config(&got); err != nil {
			t.Fatal(err)
		}
		if got != want || r.Name() != "first" || r.Path() != filepath.Join(dir, "first") {
			t.Errorf("%s: run %q in %q with %+v", path, r.Name(), r.Path(), got)
		}
	}
	t.Chdir(made.Path())
	if r, err := Open("."); err != nil || r.Name() != "first" {
		t.Errorf("here: %v, %v", r, err)
	}
	if _, err := Create(dir, "first", "", want); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "first") {
		t.Errorf("second time: error %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, "empty", "", want); !errors.Is(err, fs.ErrExist) {
		t.Errorf("empty folder: error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCreateFreshNames(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[string]bool{}
	for range 8 { // at the same time, so that names collide
		wg.Go(func() {
			r, err := Create(dir, "", "gan", config{})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if seen[r.Name()] || !regexp.MustCompile(`^gan-\d{8}-\d{6}(-\d+)?$`).MatchString(r.Name()) {
				t.Errorf("name %q", r.Name())
			}
			seen[r.Name()] = true
		})
	}
	wg.Wait()
	if r, err := Create(dir, "", "", config{}); err != nil || !strings.HasPrefix(r.Name(), "run-") {
		t.Errorf("no prefix: %v, %v", r, err)
	}
	list, err := ListRuns(dir)
	if err != nil || len(list) != 9 {
		t.Errorf("%d runs, %v", len(list), err)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"a", "GAN_2", "ρ=0.1,b=64", "x+y@z", "a..b", strings.Repeat("n", 100)} {
		if err := checkName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", ".", "..", ".hidden", "-flag", "a/b", `a\b`, "../up", "a\x00", "a b", "a\n", "C:", "a*", "a.",
		"\xff", strings.Repeat("n", 101), "a\u200b", "~", "$x", "#1",
	} {
		if err := checkName(name); !errors.Is(err, ErrName) {
			t.Errorf("%q: error %v", name, err)
		}
		if name == "" {
			continue // asks for a fresh one
		}
		dir := t.TempDir()
		if _, err := Create(filepath.Join(dir, "runs"), name, "", config{}); !errors.Is(err, ErrName) {
			t.Errorf("create %q: error %v", name, err)
		}
		if _, err := Create(filepath.Join(dir, "runs"), "", name+"/", config{}); !errors.Is(err, ErrName) {
			t.Errorf("create with prefix %q: error %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%q left %v", name, left)
		}
	}
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	for _, bad := range []any{nil, 3, []int{1}, "text", config{Rho: math.NaN()}, func() {}} {
		if _, err := Create(dir, "x", "", bad); !errors.Is(err, ErrConfig) || !strings.HasPrefix(err.Error(), "runs: ") {
			t.Errorf("config %T: error %v", bad, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(file, "x", "", config{}); err == nil {
		t.Error("a run inside a file")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "odd", configFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		err  error
		text string
	}{
		{"missing", fs.ErrNotExist, "no such folder"},
		{"file", ErrNotRun, "is a file"},
		{".", ErrNotRun, "no config.json"},
		{"odd", ErrNotRun, "config.json is not a file"},
	} {
		path := filepath.Join(dir, tt.path)
		_, err := Open(path)
		if !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", tt.path, err, tt.text)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	r := newRun(t)
	for _, tt := range []struct{ name, text, want string }{
		{"unknown field", `{"steps": 1, "learning_rate": 2}`, "learning_rate"},
		{"wrong type", `{"steps": "many"}`, "steps"},
		{"cut short", `{"steps": 1`, "EOF"},
		{"two objects", `{"steps": 1} {"steps": 2}`, "more than one"},
		{"empty", ``, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(r.Path(), configFile), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			err := r.Config(new(config))
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), configFile) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestListRuns(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if _, err := Create(dir, name, "", config{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".c.123.tmp"), 0o755); err != nil { // killed while it was made
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(mustCreate(t, dir, "c"), configFile), filepath.Join(dir, "stray.json")); err != nil {
		t.Fatal(err)
	}
	list, err := ListRuns(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range list {
		names = append(names, r.Name())
	}
	if got := strings.Join(names, " "); got != "a b" {
		t.Errorf("runs %q", got)
	}
	// What is old enough to be left by a kill goes with the next run.
	unborn := filepath.Join(dir, ".c.123.tmp")
	if _, err := os.Stat(unborn); err != nil {
		t.Errorf("a run in the making is gone: %v", err)
	}
	old := time.Now().Add(-2 * unbornTime)
	if err := os.Chtimes(unborn, old, old); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, t.TempDir(), "elsewhere")
	os.RemoveAll(mustCreate(t, dir, "d"))
	if _, err := os.Stat(unborn); err == nil {
		t.Error("what a kill left is still there")
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Skip("no links here: ", err)
	}
	good, bad, err := List(dir)
	if err != nil || len(good) != 2 || len(bad) != 1 || !strings.Contains(bad[0].Error(), "loop") {
		t.Errorf("with a link to itself: %d good, bad %v, %v", len(good), bad, err)
	}
	if _, err := ListRuns(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: error %v", err)
	}
}

func mustCreate(t *testing.T, dir, name string) string {
	t.Helper()
	r, err := Create(dir, name, "", config{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Path()
}
