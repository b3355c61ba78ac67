package fetch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/internal/openfile"
)

// sumsName is the list of the hashes of what was unpacked, as sha256sum writes
// and checks it. It is written when all is there.
func (s *Set) sumsName() string { return s.Name + ".sha256" }

// complete says whether everything that was unpacked is still there as it was.
func (s *Set) complete(dir string) bool {
	if s.unpack == nil {
		return false // the files themselves are checked
	}
	text, err := openfile.Read(filepath.Join(dir, s.sumsName()), 1<<20)
	if err != nil {
		return false
	}
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || !filepath.IsLocal(name) {
			return false
		}
		if got, err := sumOf(filepath.Join(dir, name)); err != nil || got != sum {
			return false
		}
		names = append(names, name)
	}
	return !slices.ContainsFunc(s.Reads, func(name string) bool { return !slices.Contains(names, name) })
}

// writeSums writes the list for the names that were unpacked.
func (s *Set) writeSums(dir string, names []string) error {
	var list strings.Builder
	for _, name := range names {
		sum, err := sumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, name)
	}
	at := filepath.Join(dir, s.sumsName())
	if err := os.WriteFile(at+".part", []byte(list.String()), 0o666); err != nil {
		return err
	}
	return os.Rename(at+".part", at)
}

func sumOf(path string) (string, error) {
	f, _, err := openfile.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
