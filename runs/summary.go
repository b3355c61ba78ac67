package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// A State is what a run is doing, as far as its files tell.
type State string

// The states of a run.
const (
	Training State = "training" // its files were written to a moment ago
	Finished State = "finished" // it has done all of its steps
	Failed   State = "failed"   // it went wrong, and left a batch in failure/
	Stopped  State = "stopped"  // none of these: interrupted, killed or not begun
)

// A Summary describes a run by its configuration, its last record and the times
// of its files. Reading all of the log takes Metrics.
type Summary struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"` // gan or da; empty: neither
	State   State           `json:"state"`
	Step    int             `json:"step"`  // of the last record
	Steps   int             `json:"steps"` // that it is to do; 0: not known
	Data    string          `json:"data"`  // what it learns from
	Updated time.Time       `json:"updated"`
	Config  json.RawMessage `json:"config,omitempty"`
	Last    map[string]any  `json:"last"` // record; null when there is none
}

const (
	// mostConfig is far above what a configuration needs, and what one look
	// reads into memory at most.
	mostConfig = 1 << 20
	// tailBytes are read for the last records; a record has some 300.
	tailBytes = 1 << 14
	// A run that records rarely is given five times its usual pause.
	leastQuiet, quietPauses = 30 * time.Second, 5
)

// Summarize looks at the run in the folder name of fsys. It reads but never
// locks, so that looking does not get in the way of training; whether a run is
// training is told by when its files changed. The error wraps ErrNotRun where
// there is no config.json, and ErrConfig where that is not an object.
func Summarize(fsys fs.FS, name string, now time.Time) (*Summary, error) {
	s := &Summary{Name: name}
	info, err := s.readConfig(fsys)
	if err != nil {
		return nil, fmt.Errorf("runs: %s: %w", name, err)
	}
	s.Updated = info.ModTime()
	for _, sub := range []string{checkpointsDir, samplesDir, metricsFile} {
		if info, err := fs.Stat(fsys, path.Join(name, sub)); err == nil && info.ModTime().After(s.Updated) {
			s.Updated = info.ModTime()
		}
	}
	pause, err := s.readTail(fsys)
	if err != nil {
		return nil, fmt.Errorf("runs: %s: %w", name, err)
	}
	quiet := max(leastQuiet, quietPauses*pause)
	failure, err := fs.Stat(fsys, path.Join(name, failureDir))
	switch {
	case s.Steps > 0 && s.Step >= s.Steps:
		s.State = Finished
	case err == nil && failure.IsDir() && !s.Updated.After(failure.ModTime().Add(time.Second)):
		s.State = Failed
	case s.Last != nil && now.Sub(s.Updated) < quiet:
		s.State = Training
	default:
		s.State = Stopped
	}
	return s, nil
}

// readConfig fills in what config.json says.
func (s *Summary) readConfig(fsys fs.FS) (fs.FileInfo, error) {
	f, info, err := openRegular(fsys, path.Join(s.Name, configFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		return nil, fmt.Errorf("%w: it has no %s", ErrNotRun, configFile)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostConfig+1))
	if err != nil {
		return nil, err
	}
	var config struct {
		Steps  int    `json:"steps"`
		Preset string `json:"preset"`
		Source string `json:"source"`
		Target string `json:"target"`
		Data   string `json:"data"`
	}
	if len(text) > mostConfig {
		return nil, fmt.Errorf("%s: %w: it is larger than %d bytes", configFile, ErrConfig, mostConfig)
	}
	if text = bytes.TrimSpace(text); !json.Valid(text) || text[0] != '{' {
		return nil, fmt.Errorf("%s: %w: it is not a JSON object", configFile, ErrConfig)
	}
	_ = json.Unmarshal(text, &config) // one of another program may use the names otherwise
	s.Steps, s.Config = config.Steps, text
	switch {
	case config.Preset != "":
		s.Kind, s.Data = "gan", config.Data
	case config.Source != "":
		s.Kind, s.Data = "da", config.Source+" → "+config.Target
	}
	return info, nil
}

// readTail fills in the last record, and returns the time between the last
// two as they tell it.
func (s *Summary) readTail(fsys fs.FS) (pause time.Duration, err error) {
	f, info, err := openRegular(fsys, path.Join(s.Name, metricsFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	skip := max(0, info.Size()-tailBytes)
	if seeker, ok := f.(io.Seeker); ok {
		_, err = seeker.Seek(skip, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, f, skip)
	}
	if err != nil {
		return 0, err
	}
	tail, err := io.ReadAll(io.LimitReader(f, tailBytes))
	if err != nil {
		return 0, err
	}
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1] // whole lines
	lines := bytes.Split(bytes.TrimSuffix(tail, []byte("\n")), []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		step, err := stepOf(lines[i])
		if err != nil {
			continue // the first line is half a one, the last may be damaged
		}
		var record map[string]any
		if err := json.Unmarshal(lines[i], &record); err != nil {
			continue
		}
		if s.Last == nil {
			UpgradeRecord(record)
			s.Step, s.Last = step, record
			continue
		}
		a, ok := record["seconds"].(float64)
		b, ok2 := s.Last["seconds"].(float64)
		if ok && ok2 && b > a && b-a < 1e6 {
			pause = time.Duration((b - a) * float64(time.Second))
		}
		break
	}
	return pause, nil
}

var errIrregular = errors.New("not a regular file")

// openRegular opens a file and nothing else: opening a pipe would wait.
func openRegular(fsys fs.FS, name string) (fs.File, fs.FileInfo, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w", name, errIrregular)
	}
	f, err := fsys.Open(name)
	return f, info, err
}
