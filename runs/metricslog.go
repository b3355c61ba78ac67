package runs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"rot.example/rot/internal/openfile"
)

// A MetricsLog is an open metrics.jsonl.
type MetricsLog struct {
	f    *os.File
	step int   // of the last record; −1 when there is none
	end  int64 // of the last record
}

// OpenMetrics opens the log for a run that goes on after the given step; 0
// starts one. Records of later steps are cut off, and so is what a kill left
// of a last line.
func (r *Run) OpenMetrics(step int) (*MetricsLog, error) {
	if info, err := os.Stat(r.metricsPath()); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("runs: metrics: %s is %s, not a file", r.metricsPath(), openfile.Kind(info.Mode()))
	}
	f, err := os.OpenFile(r.metricsPath(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("runs: metrics: %w", err)
	}
	m := &MetricsLog{f: f, step: -1}
	if r.skipped, err = m.cut(step); err != nil {
		f.Close()
		return nil, err
	}
	r.metrics = m
	return m, nil
}

func (r *Run) metricsPath() string { return filepath.Join(r.path, metricsFile) }

// cut ends the file after the last record of the given step. Damaged lines
// before that stay as they are.
func (m *MetricsLog) cut(step int) (skipped []error, err error) {
	skipped, err = readRecords(m.f, func(line []byte, at int64) (bool, error) {
		s, err := stepOf(line)
		if err != nil || s > step {
			return false, err
		}
		m.step, m.end = s, at+int64(len(line))
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("runs: %s: %w", m.f.Name(), err)
	}
	if err := m.f.Truncate(m.end); err != nil {
		return nil, fmt.Errorf("runs: metrics: %w", err)
	}
	return named(m.f.Name(), skipped), nil
}

// Append writes record, a struct or map, as one line. It needs a whole number
// called "step" that is not below that of the record before it: steps only
// grow, or cutting the log at a step would lose records.
func (m *MetricsLog) Append(record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("runs: append: %w: %w", ErrMetrics, err)
	}
	step, err := stepOf(line)
	if err != nil {
		return fmt.Errorf("runs: append: %w", err)
	}
	if step < m.step {
		return fmt.Errorf("runs: append: %w: step %d after step %d", ErrMetrics, step, m.step)
	}
	// At its place rather than at the end: after a full disk that would be
	// behind half a line.
	n, err := m.f.WriteAt(append(line, '\n'), m.end)
	if err != nil {
		return fmt.Errorf("runs: append: %w", err)
	}
	m.step, m.end = step, m.end+int64(n)
	return nil
}

// Close brings the log to disk and closes it. Closing it twice does nothing.
func (m *MetricsLog) Close() error {
	if m.f == nil {
		return nil
	}
	err := errors.Join(m.f.Sync(), m.f.Close())
	m.f = nil
	if err != nil {
		return fmt.Errorf("runs: close metrics: %w", err)
	}
	return nil
}

// sync brings the log to disk, if it is open.
func (m *MetricsLog) sync() error {
	if m == nil || m.f == nil {
		return nil
	}
	return m.f.Sync()
}

// Metrics returns the records of the log, none when there is no log yet. What
// is left of a last line, or not yet there, is passed over; so are damaged
// lines, which Warnings then lists.
func (r *Run) Metrics() ([]map[string]any, error) {
	r.skipped = nil
	f, _, err := openfile.Open(r.metricsPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("runs: metrics: %w", err)
	}
	defer f.Close()
	var out []map[string]any
	skipped, err := readRecords(f, func(line []byte, _ int64) (bool, error) {
		var record map[string]any
		if _, err := stepOf(line); err != nil {
			return false, err
		}
		if err := json.Unmarshal(line, &record); err != nil {
			return false, fmt.Errorf("%w: %w", ErrMetrics, err)
		}
		UpgradeRecord(record)
		out = append(out, record)
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("runs: %s: %w", f.Name(), err)
	}
	r.skipped = named(f.Name(), skipped)
	return out, nil
}

// named puts the name of the file before errors about its lines.
func named(file string, errs []error) []error {
	for k, err := range errs {
		errs[k] = fmt.Errorf("runs: %s: %w", file, err)
	}
	return errs
}

// mostSkipped is how many damaged lines are named one by one.
const mostSkipped = 10

// readRecords calls take with each line, its line break included, and with
// where it starts, until take returns false. A bad last line is what a kill or
// a power cut leaves; bad lines before it are skipped, and returned as errors.
func readRecords(r io.Reader, take func(line []byte, at int64) (bool, error)) (skipped []error, err error) {
	in := bufio.NewReader(r)
	var at int64
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return skipped, nil // with a line that has no end, or with none
		}
		if err != nil {
			return nil, err
		}
		more, err := take(line, at)
		if err != nil {
			if _, end := in.Peek(1); end == io.EOF {
				return skipped, nil
			}
			if len(skipped) < mostSkipped {
				skipped = append(skipped, fmt.Errorf("line %d is left out: %w", n, err))
			}
		} else if !more {
			return skipped, nil
		}
		at += int64(len(line))
	}
}

// stepOf checks that line is an object and returns its step.
func stepOf(line []byte) (int, error) {
	var record map[string]json.RawMessage // not a struct: its fields match in any case
	if err := json.Unmarshal(line, &record); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrMetrics, err)
	}
	text, ok := record["step"]
	if !ok {
		return 0, fmt.Errorf("%w: there is no \"step\"", ErrMetrics)
	}
	var step int
	if err := json.Unmarshal(text, &step); err != nil || step < 0 || bytes.Equal(text, []byte("null")) {
		return 0, fmt.Errorf("%w: step %s is not a whole number from 0 up", ErrMetrics, text)
	}
	return step, nil
}
