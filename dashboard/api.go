package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rot.example/rot/runs"
)

// answer makes a handler that sends what f returns as JSON.
func answer(f func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		status := http.StatusOK
		var text []byte
		if err == nil {
			text, err = json.Marshal(v)
		}
		if err != nil {
			status = http.StatusInternalServerError
			switch {
			case errors.Is(err, errRequest):
				status = http.StatusBadRequest
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, runs.ErrNotRun), errors.Is(err, errHidden), errors.Is(err, errIrregular):
				status = http.StatusNotFound
			}
			text, _ = json.Marshal(map[string]string{"error": err.Error()})
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(text, '\n')) // a client that is gone hears nothing
	}
}

var errRequest = errors.New("not a sensible request")

type runList struct {
	Runs     []*runs.Summary `json:"runs"`
	Problems []string        `json:"problems"` // runs that cannot be shown, and why
}

func (s *Server) listRuns(*http.Request) (any, error) {
	seen := s.current()
	return seen.list, seen.err
}

// folders are the names of the folders that may be runs. A link to a folder
// counts where it stays inside.
func (s *Server) folders() ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if s.find(e.Name()) == nil {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// A runPage is all that the page of a run shows besides curves and weights.
type runPage struct {
	*runs.Summary
	Samples []sample `json:"samples"` // by step
	Files   []file   `json:"files"`   // of the folder itself
	Weights bool     `json:"weights"` // there is a weights.csv
}

type sample struct {
	Name    string    `json:"name"`
	Step    int       `json:"step"`
	Changed time.Time `json:"changed"`
}

type file struct {
	Name    string    `json:"name"`
	Size    int64     `json:"size"`
	Changed time.Time `json:"changed"`
}

func (s *Server) showRun(r *http.Request) (any, error) {
	name := r.PathValue("name")
	sum, err := s.summarize(name)
	if err != nil {
		return nil, err
	}
	out := &runPage{Summary: sum, Samples: []sample{}, Files: s.files(name)}
	for _, f := range s.files(path.Join(name, "samples")) {
		if step, ok := sampleStep(f.Name); ok {
			out.Samples = append(out.Samples, sample{f.Name, step, f.Changed})
		}
	}
	slices.SortStableFunc(out.Samples, func(a, b sample) int { return a.Step - b.Step })
	out.Weights = slices.ContainsFunc(out.Files, func(f file) bool { return f.Name == "weights.csv" })
	return out, nil
}

// find says whether there is a folder of that name, inside and not hidden.
func (s *Server) find(name string) error {
	if shownName(name) {
		if info, err := s.root.Stat(name); err == nil && info.IsDir() {
			return nil
		}
	}
	return fmt.Errorf("dashboard: run %q: %w", name, fs.ErrNotExist)
}

func (s *Server) summarize(name string) (*runs.Summary, error) {
	if err := s.find(name); err != nil {
		return nil, err
	}
	return runs.Summarize(s.root.FS(), name, time.Now())
}

// files are the regular files in a folder that are shown; none when there is
// no such folder.
func (s *Server) files(dir string) []file {
	out := []file{}
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !shown(name) {
			continue
		}
		if info, err := fs.Stat(s.root.FS(), name); err == nil && info.Mode().IsRegular() {
			out = append(out, file{e.Name(), info.Size(), info.ModTime()})
		}
	}
	return out
}

var sampleFile = regexp.MustCompile(`(\d{1,15})\.(png|svg|jpg|gif)$`)

// sampleStep finds the step in the name of a picture of samples.
func sampleStep(name string) (step int, ok bool) {
	m := sampleFile.FindStringSubmatch(strings.ToLower(name))
	if m == nil {
		return 0, false
	}
	step, err := strconv.Atoi(m[1])
	return step, err == nil
}

func (s *Server) showMetrics(r *http.Request) (any, error) {
	name := r.PathValue("name")
	if err := s.find(name); err != nil {
		return nil, err
	}
	from := 0
	if v := r.FormValue("from"); v != "" {
		var err error
		if from, err = strconv.Atoi(v); err != nil || from < 0 {
			return nil, fmt.Errorf("%w: from=%s", errRequest, v)
		}
	}
	f, info, err := s.open(name + "/metrics.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return newSeries().since("", 0), nil // it has not begun
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := s.curves.get(name, newSeries)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.update(f, info.Size()); err != nil {
		return nil, err
	}
	return c.since(r.FormValue("version"), from), nil
}

func (s *Server) showWeights(r *http.Request) (any, error) {
	name := r.PathValue("name")
	if err := s.find(name); err != nil {
		return nil, err
	}
	f, info, err := s.open(name + "/weights.csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return s.weights.get(name, func() *weighed { return &weighed{} }).read(f, info)
}

// A comparison shows runs side by side.
type comparison struct {
	Runs        []*runs.Summary   `json:"runs"`
	Differences []runs.Difference `json:"differences"`
}

const mostCompared = 12

func (s *Server) compareRuns(r *http.Request) (any, error) {
	names := r.URL.Query()["run"]
	if len(names) == 0 || len(names) > mostCompared {
		return nil, fmt.Errorf("%w: %d runs to compare, want 1 to %d", errRequest, len(names), mostCompared)
	}
	out := &comparison{}
	var configs []json.RawMessage
	for _, name := range names {
		sum, err := s.summarize(name)
		if err != nil {
			return nil, err
		}
		out.Runs = append(out.Runs, sum)
		configs = append(configs, sum.Config)
	}
	var err error
	out.Differences, err = runs.Differences(configs)
	return out, err
}
