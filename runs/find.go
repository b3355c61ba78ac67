package runs

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Find returns the run called name in the folder dir, or the run in the folder
// name where that is a path. The second result is where it was looked for.
func Find(dir, name string) (r *Run, path string, err error) {
	path = name
	if filepath.Base(name) == name && name != "." && name != ".." {
		path = filepath.Join(dir, name)
	}
	r, err = Open(path)
	return r, path, err
}

// Summary returns what a run is doing now.
func (r *Run) Summary() (*Summary, error) {
	full, err := filepath.Abs(r.Path())
	if err != nil {
		return nil, err
	}
	return Summarize(os.DirFS(filepath.Dir(full)), r.Name(), time.Now())
}

// SortByTime sorts summaries by when the runs last changed, the oldest first.
func SortByTime(all []*Summary) {
	slices.SortStableFunc(all, func(a, b *Summary) int { return a.Updated.Compare(b.Updated) })
}
