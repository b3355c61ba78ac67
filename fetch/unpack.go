package fetch

import (
	"archive/tar"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// staged collects files under other names and gives them theirs when all are
// written.
type staged struct {
	dir   string
	names []string
}

func (s *staged) create(name string) (*os.File, error) {
	s.names = append(s.names, name)
	return os.Create(filepath.Join(s.dir, name+".part"))
}

func (s *staged) commit() error {
	for _, name := range s.names {
		at := filepath.Join(s.dir, name)
		if err := os.Rename(at+".part", at); err != nil {
			return err
		}
	}
	return nil
}

func (s *staged) discard() {
	for _, name := range s.names {
		os.Remove(filepath.Join(s.dir, name+".part"))
	}
}

// mostUnpacked is the size of a file in an archive at most.
const mostUnpacked = 1 << 30

// untar takes the files out of archives, without the folders they are in.
func untar(dir string, archives []string) (names []string, err error) {
	s := &staged{dir: dir}
	defer s.discard() // those that have their names are not touched
	for _, a := range archives {
		if err := s.untar(a); err != nil {
			return nil, fmt.Errorf("%s: %w", a, err)
		}
	}
	return s.names, s.commit()
}

func (s *staged) untar(archive string) error {
	in, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := path.Base(path.Clean("/" + h.Name))
		if !filepath.IsLocal(name) || strings.HasPrefix(name, ".") || h.Size > mostUnpacked {
			continue
		}
		out, err := s.create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, t)
		if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
			return err
		}
	}
}

// The images of USPS.
const (
	uspsSide   = 16
	uspsPixels = uspsSide * uspsSide
)

// convertUSPS turns lines of "label index:value …", labels from 1 and values in
// [−1, 1], into IDX files.
func convertUSPS(dir string, files []string) (names []string, err error) {
	s := &staged{dir: dir}
	defer s.discard()
	for _, f := range files {
		name := "usps-train"
		if strings.HasSuffix(f, ".t.bz2") {
			name = "usps-test"
		}
		if err := s.usps(f, name); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
	}
	return s.names, s.commit()
}

func (s *staged) usps(from, name string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	images, labels, err := readUSPS(bzip2.NewReader(in))
	if err != nil {
		return err
	}
	n := uint32(len(labels))
	if err := s.idx(name+"-images-idx3-ubyte.gz", []uint32{0x803, n, uspsSide, uspsSide}, images); err != nil {
		return err
	}
	return s.idx(name+"-labels-idx1-ubyte.gz", []uint32{0x801, n}, labels)
}

func readUSPS(r io.Reader) (images, labels []uint8, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		label, err := strconv.Atoi(fields[0])
		if err != nil || label < 1 || label > 10 {
			return nil, nil, fmt.Errorf("line %d: %q is no class from 1 to 10", n, fields[0])
		}
		image := make([]uint8, uspsPixels) // pixels that are not named are 0 in value, grey
		for i := range image {
			image[i] = 128
		}
		for _, f := range fields[1:] {
			at, value, ok := strings.Cut(f, ":")
			i, err1 := strconv.Atoi(at)
			v, err2 := strconv.ParseFloat(value, 64)
			if !ok || err1 != nil || err2 != nil || i < 1 || i > uspsPixels || !(v >= -1.001 && v <= 1.001) {
				return nil, nil, fmt.Errorf("line %d: %q is no pixel", n, f)
			}
			image[i-1] = uint8(math.Round(math.Min(math.Max((v+1)*127.5, 0), 255)))
		}
		images, labels = append(images, image...), append(labels, uint8(label-1))
	}
	if err := lines.Err(); err != nil {
		return nil, nil, err
	}
	if len(labels) == 0 {
		return nil, nil, errors.New("holds no images")
	}
	return images, labels, nil
}

// idx writes an IDX file.
func (s *staged) idx(name string, header []uint32, data []uint8) error {
	out, err := s.create(name)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	err = errors.Join(binary.Write(z, binary.BigEndian, header), binary.Write(z, binary.BigEndian, data), z.Close())
	return errors.Join(err, out.Sync(), out.Close())
}
