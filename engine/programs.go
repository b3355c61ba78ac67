package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rot.example/rot/internal/atomicfile"
	"rot.example/rot/internal/openfile"
)

// A programStore keeps compiled programs in a folder between runs. What cannot
// be read back whole is compiled again, so errors of the disk cost time only.
type programStore struct {
	dir  string
	salt string // what programs depend on besides their code and options
}

// keptPrograms is how many files a folder holds at most; the least recently
// used make room.
const keptPrograms = 256

// largestProgram bounds what is read back: a few megabytes are usual.
const largestProgram = 1 << 30

// path returns the file of a program, given by everything that its compilation
// depends on.
func (s *programStore) path(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range append(parts, []byte(s.salt)) {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
	return filepath.Join(s.dir, fmt.Sprintf("%x.xla", h.Sum(nil)[:16]))
}

// load returns a program that was saved, nil if there is none or it is damaged.
func (s *programStore) load(path string) []byte {
	data, err := openfile.Read(path, largestProgram)
	if err != nil || len(data) < sha256.Size {
		return nil
	}
	code := data[sha256.Size:]
	if sum := sha256.Sum256(code); !slices.Equal(sum[:], data[:sha256.Size]) {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it was used
	return code
}

// save writes a program for load, behind the hash that shows damage.
func (s *programStore) save(path string, code []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	err := atomicfile.Write(path, func(w io.Writer) error {
		sum := sha256.Sum256(code)
		if _, err := w.Write(sum[:]); err != nil {
			return err
		}
		_, err := w.Write(code)
		return err
	})
	if err != nil {
		return err
	}
	return s.makeRoom()
}

// makeRoom removes the least recently used files beyond keptPrograms. Another
// process may do the same at the same time.
func (s *programStore) makeRoom() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "*.xla"))
	if err != nil || len(files) <= keptPrograms {
		return err
	}
	used := map[string]time.Time{}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			used[f] = info.ModTime()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return used[a].Compare(used[b]) })
	for _, f := range files[:len(files)-keptPrograms] {
		if err := os.Remove(f); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
