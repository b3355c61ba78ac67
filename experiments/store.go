package experiments

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rot.example/rot/internal/openfile"
)

// A cellKey names a cell: by a name for people, and by a hash of the
// configuration that determines it.
type cellKey struct {
	name, hash string
}

// newKey returns the key of the cell of that name with that configuration.
func newKey(name string, config any) (cellKey, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return cellKey{}, err
	}
	return cellKey{name, shortHash(text)}, nil
}

// id returns a name for files that belong to the cell.
func (k cellKey) id() string { return shortHash([]byte(k.name + " " + k.hash)) }

// shortHash returns the first 16 hexadecimal digits of text's SHA-256.
func shortHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// A storedCell is a line of a file of cells: one finished run.
type storedCell struct {
	Name string `json:"cell"`
	Hash string `json:"hash"`
	Provenance
	Result json.RawMessage `json:"result"`

	dir string // of the experiment that made it
}

// A store reads the cells of an experiment, and of those beside it, from files
// with one line a cell, and appends to a file of its own. The experiment in
// folder DIR has DIR/cells.jsonl, and one file for each process that runs a
// part of it; a store that was opened finds in Refresh what other processes
// have appended since.
type store struct {
	dir  string
	warn func(error)

	mu     sync.Mutex
	file   *os.File // nil where nothing is appended
	read   map[string]*readFile
	own    map[cellKey][]storedCell
	beside map[string][]storedCell // those of other experiments, by hash
}

// A readFile is how far a file of cells has been read.
type readFile struct {
	bytes   int64
	lines   int
	refused bool // it cannot be read, and that was said
}

// openStore reads all cells of the experiment in dir. Warn gets a DamagedError
// for each line that cannot be read. Name is the file that is appended to, or ""
// for none; a last line in it that a kill cut off is cut away.
func openStore(dir, name string, warn func(error)) (*store, error) {
	s := &store{dir: dir, warn: warn, read: map[string]*readFile{}, own: map[cellKey][]storedCell{}, beside: map[string][]storedCell{}}
	if name != "" {
		if err := s.openFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	if err := s.refresh(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// openFile opens the file that is appended to.
func (s *store) openFile(path string) (err error) {
	if s.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666); err != nil {
		return err
	}
	text, err := io.ReadAll(s.file)
	if end := bytes.LastIndexByte(text, '\n') + 1; err == nil && end < len(text) {
		err = s.file.Truncate(int64(end))
	}
	return err
}

func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// removeEmpty takes away what a store without any cell leaves: its file and its
// folder.
func (s *store) removeEmpty() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.own) > 0 {
		return
	}
	if s.file != nil {
		os.Remove(s.file.Name())
	}
	os.Remove(s.dir) // this and the next are empty, or not ours
	os.Remove(filepath.Dir(s.dir))
}

// refresh reads what has been appended to the files of cells since they were
// read last.
func (s *store) refresh() error {
	folders, err := os.ReadDir(filepath.Dir(s.dir))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, folder := range folders {
		dir := filepath.Join(filepath.Dir(s.dir), folder.Name())
		files, err := os.ReadDir(dir)
		if err != nil && dir == s.dir {
			return err
		}
		for _, f := range files { // none in what is no folder
			if !strings.HasPrefix(f.Name(), "cells") || filepath.Ext(f.Name()) != ".jsonl" {
				continue
			}
			if err := s.readOn(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOn reads on in one file, up to its last complete line. The lock is held.
func (s *store) readOn(path string) error {
	at := s.read[path]
	if at == nil {
		at = &readFile{}
		s.read[path] = at
	}
	text, err := tail(path, at.bytes)
	if err != nil {
		if filepath.Dir(path) == s.dir && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !at.refused {
			at.refused = true
			s.warning(&DamagedError{Path: path, Err: err})
		}
		return nil
	}
	for {
		line, rest, complete := bytes.Cut(text, []byte{'\n'})
		if !complete {
			return nil // nothing, or a line that is being written
		}
		at.lines++
		at.bytes += int64(len(line)) + 1
		text = rest
		c := storedCell{dir: filepath.Dir(path)}
		err := json.Unmarshal(line, &c)
		if err == nil && (c.Name == "" || len(c.Hash) != 16 || len(c.Result) == 0) {
			err = errors.New("it has no cell, hash or result")
		}
		if err != nil {
			s.warning(&DamagedError{Path: path, Line: at.lines, Err: err})
			continue
		}
		s.add(c)
	}
}

// tail returns what a file holds behind its first n bytes.
func tail(path string, n int64) ([]byte, error) {
	f, _, err := openfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= n {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return io.ReadAll(io.NewSectionReader(f, n, info.Size()-n))
}

func (s *store) warning(err error) {
	if s.warn != nil {
		s.warn(err)
	}
}

// add takes a cell in, in the order of dates. The lock is held.
func (s *store) add(c storedCell) {
	byDate := func(a, b storedCell) int { return cmp.Compare(a.Date, b.Date) }
	if c.dir == s.dir {
		k := cellKey{c.Name, c.Hash}
		s.own[k] = append(s.own[k], c)
		slices.SortStableFunc(s.own[k], byDate)
		return
	}
	s.beside[c.Hash] = append(s.beside[c.Hash], c)
	slices.SortStableFunc(s.beside[c.Hash], byDate)
}

// cells returns the cells of a key, the newest last.
func (s *store) cells(k cellKey) []storedCell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.own[k])
}

// othersCells returns the cells of other experiments with a configuration,
// whatever they call them, the newest last.
func (s *store) othersCells(hash string) []storedCell {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.beside[hash])
}

// append writes a cell down, and returns when it is on disk.
func (s *store) append(k cellKey, made Provenance, result any) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return err
	}
	c := storedCell{Name: k.name, Hash: k.hash, Provenance: made, Result: raw, dir: s.dir}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	return s.readOn(s.file.Name())
}
