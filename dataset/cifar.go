package dataset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/internal/parallel"
)

// The rows of CIFAR's binary files (https://www.cs.toronto.edu/~kriz/cifar.html):
// label bytes, of which the last is the class, then a 32×32 plane for each of
// red, green and blue.
const (
	cifarSide   = 32
	cifarPlane  = cifarSide * cifarSide
	cifarPixels = 3 * cifarPlane
)

// A cifarKind is CIFAR-10 or CIFAR-100.
type cifarKind struct {
	name    string
	labels  int // bytes a row
	classes int
}

var (
	cifar10  = cifarKind{"CIFAR-10", 1, 10}
	cifar100 = cifarKind{"CIFAR-100", 2, 100}
)

func (k cifarKind) row() int64 { return int64(k.labels + cifarPixels) }

// cifarFiles are the training files of CIFAR in a folder, in order: the
// batches of CIFAR-10, or train.bin of CIFAR-100.
func cifarFiles(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // reading the folder as one of images reports it
	}
	var batches, train []string
	for _, e := range entries {
		name := e.Name()
		if ok, _ := filepath.Match("data_batch_*.bin", name); ok {
			batches = append(batches, filepath.Join(dir, name))
		} else if name == "train.bin" {
			train = append(train, filepath.Join(dir, name))
		}
	}
	if batches != nil {
		slices.SortFunc(batches, compareNatural)
		return batches
	}
	return train
}

// cifarKindOf tells the kind of a file by its size, or by its name when the
// size fits both.
func cifarKindOf(file string, size int64) (cifarKind, error) {
	ten, hundred := size%cifar10.row() == 0, size%cifar100.row() == 0
	switch {
	case size == 0:
		return cifarKind{}, fileError(file, "the file is empty")
	case ten && hundred && !strings.Contains(filepath.Base(file), "batch"):
		return cifar100, nil
	case ten:
		return cifar10, nil
	case hundred:
		return cifar100, nil
	}
	kind := cifar10
	if !strings.Contains(filepath.Base(file), "batch") {
		kind = cifar100
	}
	return cifarKind{}, fileError(file,
		"has %d bytes, which are no whole number of images: CIFAR-10 takes %d bytes an image, CIFAR-100 %d; were it %s, it would be cut short in image %d",
		size, cifar10.row(), cifar100.row(), kind.name, size/kind.row())
}

// loadCIFAR reads a binary batch, or all training batches in a folder.
func loadCIFAR(body string, part span) (*Images, error) {
	files := cifarFiles(body)
	if files == nil {
		files = []string{body}
	}
	var kind cifarKind
	counts := make([]int, len(files))
	for k, file := range files {
		f, err := openRegular(file)
		if err != nil {
			return nil, err
		}
		size := f.size
		f.Close()
		this, err := cifarKindOf(file, size)
		if err != nil {
			return nil, err
		}
		if k > 0 && this != kind {
			return nil, fileError(file, "holds %s, %s holds %s", this.name, files[0], kind.name)
		}
		kind, counts[k] = this, int(size/this.row())
	}
	pieces, n := layOut(files, counts)
	lo, hi, err := part.of(body, "images", n)
	if err != nil {
		return nil, err
	}
	im, err := newImages(body, hi-lo, cifarSide, cifarSide, 3)
	if err != nil {
		return nil, err
	}
	im.Labels, im.Classes = make([]int32, hi-lo), kind.classes
	pieces = within(pieces, lo, hi)
	err = parallel.Try(len(pieces), func(k int) error {
		p := pieces[k]
		f, err := openRegular(p.file)
		if err != nil {
			return err
		}
		defer f.Close()
		return kind.read(p.file, f.file, p.lo, im.Pix[p.at*cifarPixels:][:(p.hi-p.lo)*cifarPixels], im.Labels[p.at:])
	})
	if err != nil {
		return nil, err
	}
	if len(files) > 1 {
		im.IDs = pieceIDs(pieces)
	} else {
		im.numberFrom(lo)
	}
	return im, nil
}

// read fills pix and labels with the images of a file from image lo on.
func (k cifarKind) read(file string, r io.ReaderAt, lo int, pix []uint8, labels []int32) error {
	const most = 64 // images at a time
	row := int(k.row())
	buf := make([]byte, most*row)
	for n := len(pix) / cifarPixels; n > 0; {
		m := min(n, most)
		at := int64(lo) * k.row()
		if got, err := r.ReadAt(buf[:m*row], at); err != nil && !(errors.Is(err, io.EOF) && got == m*row) {
			if errors.Is(err, io.EOF) {
				return fileError(file, "the file is cut short in image %d, after %d bytes", lo+got/row, at+int64(got))
			}
			return readError(file, err)
		}
		for i := range m {
			b := buf[i*row:][:row]
			class := b[k.labels-1]
			if int(class) >= k.classes {
				return fileError(file, "image %d: the label at byte %d is %d; the classes of %s are 0 to %d (is this a CIFAR file?)",
					lo+i, at+int64(i*row+k.labels-1), class, k.name, k.classes-1)
			}
			labels[i] = int32(class)
			interleave(pix[i*cifarPixels:][:cifarPixels], b[k.labels:])
		}
		pix, labels = pix[m*cifarPixels:], labels[m:]
		lo, n = lo+m, n-m
	}
	return nil
}

// interleave turns three planes into pixels.
func interleave(dst, planes []uint8) {
	r, g, b := planes[:cifarPlane], planes[cifarPlane:2*cifarPlane], planes[2*cifarPlane:]
	for i := range cifarPlane {
		p := dst[3*i : 3*i+3 : 3*i+3]
		p[0], p[1], p[2] = r[i], g[i], b[i]
	}
}
