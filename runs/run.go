package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rot.example/rot/internal/atomicfile"
	"rot.example/rot/internal/openfile"
)

const (
	configFile     = "config.json"
	metricsFile    = "metrics.jsonl"
	weightsFile    = "weights.csv"
	lockFile       = "lock"
	checkpointsDir = "checkpoints"
	samplesDir     = "samples"
	failureDir     = "failure"
)

// A Run is one folder of a training run.
type Run struct {
	path     string
	name     string
	metrics  *MetricsLog // open, or nil
	warnings []error     // of the last call of Latest
	skipped  []error     // records that the last look at the log passed over
	locked   bool        // by this process: what is damaged may be renamed
	afresh   bool        // StartOver was called
}

// Create makes the run DIR/NAME, and dir where that is missing. config becomes
// config.json. An empty name picks a fresh one from the prefix, or "run", and
// the time. The error wraps fs.ErrExist when the name is taken, and ErrName
// when it is not fit for a folder.
//
// The folder appears complete or not at all.
func Create(dir, name, prefix string, config any) (*Run, error) {
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("runs: create: %w: %w", ErrConfig, err)
	}
	if text[0] != '{' {
		return nil, fmt.Errorf("runs: create: %w: %T is not an object", ErrConfig, config)
	}
	given := name != ""
	if !given {
		if prefix == "" {
			prefix = "run"
		}
		name = prefix + time.Now().Format("-20060102-150405")
	}
	if err := checkName(name); err != nil {
		return nil, fmt.Errorf("runs: create: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("runs: create %s: %w", name, err)
	}
	r := &Run{name: name, path: filepath.Join(dir, name)}
	for k := 2; ; k++ {
		err := makeRun(dir, r.name, append(text, '\n'))
		if err == nil {
			return r, nil
		}
		if given || !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("runs: create %s: %w", r.path, err)
		}
		r.name = fmt.Sprintf("%s-%d", name, k)
		r.path = filepath.Join(dir, r.name)
	}
}

// makeRun builds the folder under a hidden name and puts it in place: a kill
// in between must not leave a run without its configuration.
func makeRun(dir, name string, config []byte) (err error) {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	removeUnborn(dir)
	tmp, err := os.MkdirTemp(dir, "."+name+".*"+".tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp)
		}
	}()
	if err := os.Chmod(tmp, 0o755); err != nil { // MkdirTemp hides its folder from others.
		return err
	}
	for _, sub := range []string{checkpointsDir, samplesDir} {
		if err := os.Mkdir(filepath.Join(tmp, sub), 0o777); err != nil {
			return err
		}
	}
	err = WriteFile(filepath.Join(tmp, configFile), func(w io.Writer) error {
		_, err := w.Write(config)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		// Renaming onto a folder that is not empty fails, so of two processes
		// that create the same run one gets here.
		if _, taken := os.Lstat(path); taken == nil {
			return fs.ErrExist
		}
		return err
	}
	return atomicfile.SyncDir(dir)
}

// unbornTime is how long making the folder of a run never takes.
const unbornTime = time.Hour

// removeUnborn removes what killed processes left of runs that they were
// making, long enough ago that nobody is at it any more.
func removeUnborn(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // making the run reports it
	}
	for _, e := range entries {
		if !e.IsDir() || !atomicfile.IsTemporary(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unbornTime {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// checkName accepts what is the same on every file system and needs no quotes
// in a shell.
func checkName(name string) error {
	const most = 100
	switch {
	case name == "":
		return fmt.Errorf("%w: it is empty", ErrName)
	case len(name) > most:
		return fmt.Errorf("%w: it has %d bytes, more than %d", ErrName, len(name), most)
	case !utf8.ValidString(name):
		return fmt.Errorf("%w: %q is not UTF-8", ErrName, name)
	case name[0] == '.' || name[0] == '-':
		return fmt.Errorf("%w: %q starts with %q", ErrName, name, name[0])
	case name[len(name)-1] == '.': // Windows drops it
		return fmt.Errorf("%w: %q ends with a dot", ErrName, name)
	}
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._-+=,@", c) {
			return fmt.Errorf("%w: %q has %q; letters, digits and ._-+=,@ are fine", ErrName, name, c)
		}
	}
	return nil
}

// noFolder is fs.ErrNotExist in words that fit.
type noFolder struct{}

func (noFolder) Error() string        { return "no such folder" }
func (noFolder) Is(target error) bool { return target == fs.ErrNotExist }

// Open finds the run in the folder path. The error wraps fs.ErrNotExist when
// there is nothing, and ErrNotRun when it is something else.
func Open(path string) (*Run, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("runs: open %s: %w", path, noFolder{})
	case err != nil:
		return nil, fmt.Errorf("runs: open: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("runs: open %s: %w: it is a file, a run is a folder", path, ErrNotRun)
	}
	info, err = os.Stat(filepath.Join(path, configFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("runs: open %s: %w: it has no %s", path, ErrNotRun, configFile)
	case err != nil:
		return nil, fmt.Errorf("runs: open: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("runs: open %s: %w: its %s is not a file", path, ErrNotRun, configFile)
	}
	full, err := filepath.Abs(path) // "." has a name, too
	if err != nil {
		return nil, fmt.Errorf("runs: open %s: %w", path, err)
	}
	return &Run{path: filepath.Clean(path), name: filepath.Base(full)}, nil
}

// ListRuns opens every run in dir, sorted by name, and passes over all else.
func ListRuns(dir string) ([]*Run, error) {
	good, _, err := List(dir)
	return good, err
}

// List opens every run in dir, sorted by name. What may be a run and cannot be
// looked at, such as one of somebody else or a link to itself, is among bad and
// keeps none of the others from being listed.
func List(dir string) (good []*Run, bad []error, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("runs: list: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // a run in the making, or none of ours
		}
		r, err := Open(filepath.Join(dir, e.Name()))
		switch {
		case err == nil:
			good = append(good, r)
		case !errors.Is(err, ErrNotRun) && !errors.Is(err, fs.ErrNotExist):
			bad = append(bad, err)
		}
	}
	return good, bad, nil
}

// Path returns the run's folder, as it was given.
func (r *Run) Path() string { return r.path }

// Name returns the name of the run's folder.
func (r *Run) Name() string { return r.name }

// Config decodes config.json into v. A field that v does not know is an error:
// it would change nothing, and whoever wrote it thinks otherwise.
func (r *Run) Config(v any) error {
	path := filepath.Join(r.path, configFile)
	text, err := openfile.Read(path, mostConfig)
	if err != nil {
		return fmt.Errorf("runs: config: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("runs: %s: %w: %w", path, ErrConfig, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("runs: %s: %w: there is more than one object", path, ErrConfig)
	}
	return nil
}
