package experiments

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A grid keeps the results of cells in a file, one line each, so that none is
// run twice.
type grid struct {
	Options
	dir string

	mu      sync.Mutex
	cells   map[string]line
	others  map[string]borrowed // cells of other experiments, by hash
	devices []string            // that the cells of this result ran on
	file    *os.File
	done    int
	total   int
	lacking int // cells that are not there, when nothing is run

	tuning sync.Mutex
	tuned  bool
}

// A line is a cell on disk. The hash is of what determines it.
type line struct {
	Cell   string          `json:"cell"`
	Hash   string          `json:"hash"`
	Device string          `json:"device,omitempty"`
	Result json.RawMessage `json:"result"`
}

// A borrowed cell was made by the experiment whose folder is dir.
type borrowed struct {
	line
	dir string
}

func openGrid(dir string, opts Options) (*grid, error) {
	g := &grid{Options: opts, dir: dir, cells: map[string]line{}, others: map[string]borrowed{}}
	path := filepath.Join(dir, "cells.jsonl")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if end := bytes.LastIndexByte(text, '\n') + 1; end < len(text) {
		// The line that a kill cut off.
		if err := os.Truncate(path, int64(end)); err != nil {
			return nil, err
		}
		text = text[:end]
	}
	own, err := readLines(path, text)
	if err != nil {
		return nil, err
	}
	for _, l := range own {
		g.cells[l.Cell+" "+l.Hash] = l
	}
	if err := g.readOthers(); err != nil {
		return nil, err
	}
	g.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	return g, err
}

// readOthers reads the cells of the experiments beside this one.
func (g *grid) readOthers() error {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(g.dir), "*", "cells.jsonl"))
	if err != nil {
		return err
	}
	for _, path := range files {
		dir := filepath.Dir(path)
		if dir == g.dir {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines, err := readLines(path, text[:bytes.LastIndexByte(text, '\n')+1])
		if err != nil {
			return err
		}
		for _, l := range lines {
			g.others[l.Hash] = borrowed{l, dir}
		}
	}
	return nil
}

func readLines(path string, text []byte) (out []line, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		out = append(out, l)
	}
	return out, lines.Err()
}

func (g *grid) close() { g.file.Close() }

// remove takes away what an experiment without any cell would leave.
func (g *grid) remove() {
	if len(g.cells) > 0 {
		return
	}
	os.Remove(g.file.Name())
	os.Remove(g.dir) // these are empty, or not ours
	os.Remove(g.Out)
}

// key names a cell by its name and a hash of all that determines it.
func key(name string, config any) (string, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return name + " " + hex.EncodeToString(sum[:8]), nil
}

// find reads the result of a cell that was run earlier.
func (g *grid) find(key string, result any) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, ok := g.cells[key]
	if ok = ok && json.Unmarshal(l.Result, result) == nil; ok {
		g.ranOn(l.Device)
	}
	return ok
}

// borrow reads the result of a cell that another experiment ran, whatever it
// called it, and returns that experiment's folder.
func (g *grid) borrow(key string, result any) (dir, device string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b, ok := g.others[key[len(key)-16:]]
	return b.dir, b.Device, ok && json.Unmarshal(b.Result, result) == nil
}

// errLacking is the error of a part of which there is nothing to show.
var errLacking = errors.New("none of its cells is there")

// lack notes a cell that is not run because nothing is.
func (g *grid) lack() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lacking++
}

// ranOn notes a device that a cell ran on. The lock is held.
func (g *grid) ranOn(device string) {
	if device != "" && !slices.Contains(g.devices, device) {
		g.devices = append(g.devices, device)
	}
}

// device is what cells are run on now.
func (g *grid) device() string {
	return fmt.Sprintf("%s (backend %s)", g.Backend.Device, g.Backend.Kind)
}

// keep writes down the result of a cell that ran on a device.
func (g *grid) keep(key, device, said string, result any) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return err
	}
	cut := len(key) - 17
	l := line{Cell: key[:cut], Hash: key[cut+1:], Device: device, Result: raw}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, err := g.file.Write(append(text, '\n')); err != nil {
		return err
	}
	g.cells[key] = l
	g.ranOn(device)
	g.done++
	if g.Done != nil {
		g.Done(said, g.done, g.total)
	}
	return nil
}

// alone lets the first run on a GPU begin by itself, until it calls begun: the
// kernels that are chosen for it, by timing them, serve the others, which would
// disturb the timing.
func (g *grid) alone() (begun func()) {
	if g.Backend.Kind != "xla" {
		return func() {}
	}
	g.tuning.Lock()
	if g.tuned {
		g.tuning.Unlock()
		return func() {}
	}
	return sync.OnceFunc(func() {
		g.tuned = true
		g.tuning.Unlock()
	})
}

// expect adds to the number of cells that are to be run.
func (g *grid) expect(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total += n
}

// each runs the jobs, Workers of them at a time, and returns the first error.
func (g *grid) each(ctx context.Context, jobs []func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	free := make(chan bool, max(1, g.Workers))
	for _, job := range jobs {
		free <- true
		if ctx.Err() != nil {
			break
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() { <-free }()
			if err := job(ctx); err != nil {
				cancel(err)
			}
		}()
	}
	wait.Wait()
	return context.Cause(ctx)
}
