package experiments

import (
	"crypto/sha256"
	"encoding/hex"
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

// fileHashes remembers the hashes of files, so that each is read once.
type fileHashes struct {
	roots []string // folders that data files lie below

	mu   sync.Mutex
	sums map[string][]byte
}

func newFileHashes(o *Options) *fileHashes {
	h := &fileHashes{sums: map[string][]byte{}}
	for _, root := range []string{o.Data, o.VisDA, o.CelebA} {
		if root != "" {
			h.roots = append(h.roots, filepath.Clean(root))
		}
	}
	return h
}

// of returns a hash of the content of all files that data specifications name.
// Data without files count by their specification. Which rows of a file are
// taken is not part of it: that is the code's choice.
func (h *fileHashes) of(specs []string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sum := sha256.New()
	for _, spec := range specs {
		paths := h.paths(spec)
		if len(paths) == 0 {
			fmt.Fprintf(sum, "%s\n", spec)
		}
		for _, path := range paths {
			if err := h.addTo(sum, path); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// paths returns the files, patterns and folders below the roots that a
// specification names, and for images the usual file of labels beside them.
func (h *fileHashes) paths(spec string) (out []string) {
	for _, root := range h.roots {
		for rest := spec; ; {
			i := strings.Index(rest, root)
			if i < 0 {
				break
			}
			below := rest[i+len(root):]
			begins := i == 0 || strings.ContainsRune(":,", rune(rest[i-1]))
			if ends := below == "" || strings.ContainsRune("/,[:@", rune(below[0])); !begins || !ends {
				rest = below // it is part of another name
				continue
			}
			if end := strings.IndexAny(below, ",[:@"); end >= 0 {
				rest, below = below[end:], below[:end]
			} else {
				rest = ""
			}
			out = append(out, root+below)
			if labels := strings.Replace(root+below, "images-idx3", "labels-idx1", 1); labels != root+below {
				out = append(out, labels)
			}
		}
	}
	return out
}

// names returns what tells the data of specifications from other data: the files
// that they name, whatever is taken of them.
func (h *fileHashes) names(specs []string) string {
	var names []string
	for _, spec := range specs {
		paths := h.paths(spec)
		if len(paths) == 0 {
			paths = []string{spec}
		}
		names = append(names, paths...)
	}
	return strings.Join(names, " ")
}

// addTo adds the content of a file, of the files that match a pattern, or of all
// files below a folder.
func (h *fileHashes) addTo(sum io.Writer, path string) error {
	files := []string{path}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		files = files[:0]
		err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				files = append(files, name)
			}
			return err
		})
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(filepath.Base(path), "*"):
		if files, err = filepath.Glob(path); err == nil && len(files) == 0 {
			err = &NoFileError{path}
		}
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "labels-idx1"):
		return nil // images without labels
	}
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, f := range files {
		s, ok := h.sums[f]
		if !ok {
			if s, err = hashFile(f); err != nil {
				return err
			}
			h.sums[f] = s
		}
		name, err := filepath.Rel(filepath.Dir(path), f)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %x\n", filepath.ToSlash(name), s)
	}
	return nil
}

// hashFile returns the SHA-256 of a file.
func hashFile(path string) ([]byte, error) {
	f, _, err := openfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
}

// weightsHash tells files of weights apart by what is in them.
func weightsHash(path string) (string, error) {
	sum, err := hashFile(path)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:8]), nil
}
