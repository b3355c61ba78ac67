package dataset

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The element types of IDX (http://yann.lecun.com/exdb/mnist/), all big endian.
var idxTypes = map[byte]elem{
	0x08: {kind: 'u', size: 1},
	0x09: {kind: 'i', size: 1},
	0x0B: {kind: 'i', size: 2, big: true},
	0x0C: {kind: 'i', size: 4, big: true},
	0x0D: {kind: 'f', size: 4, big: true},
	0x0E: {kind: 'f', size: 8, big: true},
}

// readIDXHeader reads an IDX file up to its data.
func readIDXHeader(file string, r io.Reader) (*arrayHeader, error) {
	var b [4]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, readError(file, err)
	}
	e, ok := idxTypes[b[2]]
	if b[0] != 0 || b[1] != 0 || !ok || b[3] == 0 {
		return nil, fileError(file, "is not an IDX file: it starts with % x, not with 00 00, a type (08 to 0e) and a number of dimensions", b)
	}
	h := &arrayHeader{elem: e, bytes: 4 + 4*int64(b[3])}
	for range b[3] {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, readError(file, err)
		}
		h.shape = append(h.shape, int(binary.BigEndian.Uint32(b[:])))
	}
	return h, h.setRows(file)
}

// loadIDXLabels reads the n labels that go with the images at path: from the
// file given, or else from the one that has the usual name, if it is there.
func loadIDXLabels(path, given string, n int) ([]string, error) {
	file := given
	if given == "" {
		if file = findIDXLabels(path); file == "" {
			return nil, nil
		}
	}
	in, err := open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readArrayLabels(file, in, in.size, n, readIDXHeader)
}

// findIDXLabels is the file of labels beside the images at path, or "".
func findIDXLabels(path string) string {
	dir, name := filepath.Split(path)
	name = strings.TrimSuffix(name, ".gz")
	labels := strings.Replace(name, "images", "labels", 1)
	if labels == name {
		return "" // not a file of images, so no labels go with it
	}
	labels = strings.Replace(labels, "idx3", "idx1", 1)
	for _, s := range []string{dir + labels, dir + labels + ".gz"} {
		if info, err := os.Stat(s); err == nil && info.Mode().IsRegular() {
			return s
		}
	}
	return ""
}
