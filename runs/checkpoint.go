package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/internal/atomicfile"
)

// A Checkpoint is the state of a run after a step.
type Checkpoint struct {
	Step    int
	Meta    map[string]string // what is not an array; step, format and sha256 are taken
	Tensors []Tensor          // in the order in which they were saved
}

const (
	keptCheckpoints  = 2
	checkpointFormat = "rot-1"
)

var checkpointName = regexp.MustCompile(`^step-([0-9]{8,18})\.safetensors$`)

func (r *Run) checkpointPath(step int) string {
	return filepath.Join(r.path, checkpointsDir, fmt.Sprintf("step-%08d.safetensors", step))
}

// damagedSuffix ends the name of a checkpoint that Latest has rejected. It does
// not count as one any more.
const damagedSuffix = ".damaged"

// Save writes c to disk and, once it is there, deletes all checkpoints before
// it but one, and all of later steps. Damaged ones that Latest has set aside
// stay and do not count.
func (r *Run) Save(c *Checkpoint) error {
	if c.Step < 0 {
		return fmt.Errorf("runs: save: %w: step %d is negative", ErrCheckpoint, c.Step)
	}
	meta := [][2]string{{"format", checkpointFormat}, {"step", strconv.Itoa(c.Step)}}
	for _, key := range slices.Sorted(maps.Keys(c.Meta)) {
		if key == "format" || key == "step" || key == hashKey {
			return fmt.Errorf("runs: save: %w: the meta entry %q has a meaning of its own", ErrCheckpoint, key)
		}
		meta = append(meta, [2]string{key, c.Meta[key]})
	}
	if err := r.metrics.sync(); err != nil {
		return fmt.Errorf("runs: save: metrics: %w", err)
	}
	dir := filepath.Join(r.path, checkpointsDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("runs: save: %w", err)
	}
	// Before the new file, which may need the room.
	if err := removeTemporaries(dir); err != nil {
		return fmt.Errorf("runs: save: %w", err)
	}
	err := WriteFile(r.checkpointPath(c.Step), func(w io.Writer) error {
		return writeSafetensors(w, c.Tensors, meta)
	})
	if err != nil {
		return err
	}
	return r.prune(c.Step)
}

func removeTemporaries(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if atomicfile.IsTemporary(e.Name()) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// prune deletes checkpoints of later steps, and all of earlier ones but one.
func (r *Run) prune(step int) error {
	steps, err := r.List()
	if err != nil {
		return err
	}
	upTo := len(steps)
	for upTo > 0 && steps[upTo-1] > step {
		upTo--
	}
	for k, s := range steps {
		if k < upTo && k >= upTo-keptCheckpoints {
			continue
		}
		if err := os.Remove(r.checkpointPath(s)); err != nil {
			return fmt.Errorf("runs: save: %w", err)
		}
	}
	return nil
}

// List returns the steps that have a checkpoint, good or not, increasing.
func (r *Run) List() ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(r.path, checkpointsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("runs: list checkpoints: %w", err)
	}
	var steps []int
	for _, e := range entries {
		m := checkpointName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		step, err := strconv.Atoi(m[1])
		if err != nil || filepath.Base(r.checkpointPath(step)) != e.Name() {
			continue // with more zeros than we write
		}
		steps = append(steps, step)
	}
	slices.Sort(steps)
	return steps, nil
}

// StartOver lets a run whose checkpoints are all damaged begin at step 0: Latest
// then says that it has none.
func (r *Run) StartOver() { r.afresh = true }

// Latest reads the newest good checkpoint; Warnings then lists the newer ones
// that are damaged. The process that has locked the run also renames those to
// NAME.damaged, so that Save does not keep them in the place of good ones. The
// error wraps ErrNoCheckpoint when there never was one, and ErrAllDamaged when
// there are damaged ones only.
func (r *Run) Latest() (*Checkpoint, error) {
	// A run that is being trained may drop what List has just found, though
	// only after it has made something newer.
	const tries = 5
	for range tries {
		steps, err := r.List()
		if err != nil {
			return nil, err
		}
		r.warnings = nil
		c, err := r.newest(steps)
		if !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
	}
	return nil, fmt.Errorf("runs: %s: checkpoints vanish while they are read", r.path)
}

// newest reads the last good one of steps.
func (r *Run) newest(steps []int) (*Checkpoint, error) {
	for _, step := range slices.Backward(steps) {
		c, err := readCheckpoint(r.checkpointPath(step), step)
		if !errors.Is(err, ErrBroken) {
			return c, err // A file that cannot be opened may be good: older ones do not replace it.
		}
		if r.locked {
			path := r.checkpointPath(step)
			if failed := os.Rename(path, path+damagedSuffix); failed != nil {
				return nil, fmt.Errorf("runs: set a damaged checkpoint aside: %w", failed)
			}
			err = fmt.Errorf("%w (it is now called %s)", err, filepath.Base(path)+damagedSuffix)
		}
		r.warnings = append(r.warnings, err)
	}
	if r.afresh {
		return nil, fmt.Errorf("runs: %s: %w", r.path, ErrNoCheckpoint)
	}
	if len(r.warnings) > 0 {
		return nil, fmt.Errorf("runs: %s: %w: %w", r.path, ErrAllDamaged, errors.Join(r.warnings...))
	}
	entries, err := os.ReadDir(filepath.Join(r.path, checkpointsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("runs: list checkpoints: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if name, ok := strings.CutSuffix(e.Name(), damagedSuffix); ok && checkpointName.MatchString(name) {
			return nil, fmt.Errorf("runs: %s: %w: %s was set aside before", r.path, ErrAllDamaged, e.Name())
		}
	}
	return nil, fmt.Errorf("runs: %s: %w", r.path, ErrNoCheckpoint)
}

// Warnings lists the checkpoints that the last call of Latest passed over, the
// newest first, then what Warn added, and the lines of metrics.jsonl that the
// last look at it passed over. But for those of Warn, each wraps ErrBroken or
// ErrMetrics.
func (r *Run) Warnings() []error { return slices.Concat(r.warnings, r.skipped) }

// Warn adds what is to be known about the checkpoint that Latest returned to
// Warnings, until the next call of Latest.
func (r *Run) Warn(err error) { r.warnings = append(r.warnings, err) }

// readCheckpoint reads a file that Save has written for step.
func readCheckpoint(path string, step int) (*Checkpoint, error) {
	tensors, meta, err := ReadSafetensors(path)
	if err != nil {
		return nil, err
	}
	if meta["format"] != checkpointFormat {
		return nil, fmt.Errorf("runs: %s: %w: its format is %q, not %s", path, ErrBroken, meta["format"], checkpointFormat)
	}
	if meta["step"] != strconv.Itoa(step) {
		return nil, fmt.Errorf("runs: %s: %w: it holds step %q", path, ErrBroken, meta["step"])
	}
	for _, key := range []string{"format", "step", hashKey} {
		delete(meta, key)
	}
	return &Checkpoint{Step: step, Meta: meta, Tensors: tensors}, nil
}
