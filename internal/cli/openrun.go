package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rot.example/rot/runs"
)

// openRun opens the run in the folder path, which is of the kind gan or da.
func openRun(path, kind string) (*runs.Run, error) {
	run, err := runs.Open(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Clean(path)
	s, err := runs.Summarize(os.DirFS(filepath.Dir(folder)), filepath.Base(folder), time.Now())
	if err == nil && s.Kind != "" && s.Kind != kind {
		return nil, fmt.Errorf("%s is a run of rot %s, not of rot %s", path, s.Kind, kind)
	}
	return run, nil // whoever reads the configuration says what is wrong with it
}
