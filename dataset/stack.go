package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/internal/budget"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/internal/parallel"
)

// loadStack reads stack:FILE.png[+FILE.png…][,LABELS].
func loadStack(body string, part span) (*Images, error) {
	files, labelFile, err := splitStack(body)
	if err != nil {
		return nil, err
	}
	var first pngHeader
	counts := make([]int, len(files))
	for k, file := range files {
		h, err := stackHeader(file)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			first = h
		}
		if h.w != first.w || h.c != first.c {
			return nil, fileError(file, "holds images of %s, %s holds %s", sizeText(h.w, h.w, h.c), files[0], sizeText(first.w, first.w, first.c))
		}
		counts[k] = h.h / h.w
	}
	pieces, n := layOut(files, counts)
	lo, hi, err := part.of(body, "images", n)
	if err != nil {
		return nil, err
	}
	if err := checkUnfolding(files, budget.Product(int64(hi-lo), int64(first.w), int64(first.w), int64(first.c))); err != nil {
		return nil, err
	}
	im, err := newImages(body, hi-lo, first.w, first.w, first.c)
	if err != nil {
		return nil, err
	}
	labels, err := im.loadClasses(labelFile, n)
	if err != nil {
		return nil, err
	}
	pieces = within(pieces, lo, hi)
	err = parallel.Try(len(pieces), func(k int) error {
		size := im.H * im.W * im.C
		return readStack(pieces[k], im.Pix[pieces[k].at*size:])
	})
	if err != nil {
		return nil, err
	}
	im.setLabels(labels, lo)
	im.IDs = pieceIDs(pieces)
	return im, nil
}

// checkUnfolding refuses files that together unfold to more bytes than files of
// their size may.
func checkUnfolding(files []string, need int64) error {
	var size int64
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return readError(file, err)
		}
		size += info.Size()
	}
	if err := budget.Check(size, need); err != nil {
		return memoryError(files[0], err)
	}
	return nil
}

// stackHeader reads the header of a stack.
func stackHeader(file string) (pngHeader, error) {
	f, err := openRegular(file)
	if err != nil {
		return pngHeader{}, err
	}
	defer f.Close()
	return readStackHeader(file, f, f.size)
}

func readStackHeader(file string, r io.Reader, size int64) (pngHeader, error) {
	h, err := readPNGHeader(file, r, size)
	if err == nil && h.h%h.w != 0 {
		return h, fileError(file, "is %d pixels wide and %d high; a stack is a column of square images, so the height is a multiple of the width", h.w, h.h)
	}
	return h, err
}

// readStack reads a piece into dst.
func readStack(p piece, dst []uint8) error {
	f, err := openRegular(p.file)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := readStackHeader(p.file, f, f.size)
	if err != nil {
		return err
	}
	if p.hi*h.w > h.h || len(dst) < (p.hi-p.lo)*h.w*h.w*h.c {
		return fileError(p.file, "changed while it was read")
	}
	return h.readRows(p.file, f, dst, p.lo*h.w, p.hi*h.w)
}

// openRegular opens a file as it is, compressed or not.
func openRegular(file string) (*input, error) {
	f, info, err := openfile.Open(file)
	if err != nil {
		return nil, readError(file, err)
	}
	return &input{Reader: f, file: f, size: info.Size()}, nil
}

// splitStack takes apart stack:FILE.png[+FILE.png…][,LABELS], where a FILE may
// be a pattern. Separators count after .png only, so that names may hold them.
func splitStack(body string) (files []string, labels string, err error) {
	rest := strings.TrimPrefix(body, "stack:")
	if _, err := os.Stat(rest); err == nil {
		return []string{rest}, "", nil
	}
	rest, labels, comma := cutStackLabels(rest)
	if comma && labels == "" {
		return nil, "", fileError(body, "no file of labels follows the comma")
	}
	for rest != "" {
		name := rest
		if k := strings.Index(lowerASCII(rest), ".png+"); k >= 0 {
			name, rest = rest[:k+len(".png")], rest[k+len(".png+"):]
		} else {
			rest = ""
		}
		found, err := expand(body, name)
		if err != nil {
			return nil, "", err
		}
		files = append(files, found...)
	}
	if files == nil {
		return nil, "", fileError(body, "names no file; a stack is written stack:FILE.png or stack:FILE.png,LABELS")
	}
	return files, labels, nil
}

// cutStackLabels splits FILES.png,LABELS at its comma, if it has one.
func cutStackLabels(s string) (files, labels string, comma bool) {
	k := strings.Index(lowerASCII(s), ".png,")
	if k < 0 {
		return s, "", false
	}
	return s[:k+len(".png")], s[k+len(".png,"):], true
}

// expand is the files that a pattern matches, counted as people do, or the
// file itself.
func expand(spec, pattern string) ([]string, error) {
	if _, err := os.Stat(pattern); err == nil || !strings.ContainsAny(pattern, "*?[") {
		return []string{pattern}, nil
	}
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fileError(spec, "%s is not a pattern of file names: %v", quote(pattern), err)
	}
	if len(found) == 0 {
		return nil, fileError(spec, "no file matches %s", pattern)
	}
	slices.SortFunc(found, compareNatural)
	return found, nil
}

// WriteStack writes the images, which must be square, as a PNG picture with
// one below the other. LoadImages reads it as stack:FILE.png.
func (im *Images) WriteStack(w io.Writer) error {
	n := im.Len()
	if im.H != im.W || n == 0 {
		return fmt.Errorf("dataset: a stack holds square images; there are %d of %s", n, sizeText(im.H, im.W, im.C))
	}
	rect := image.Rect(0, 0, im.W, n*im.H)
	if im.C == 1 {
		return png.Encode(w, &image.Gray{Pix: im.Pix, Stride: im.W, Rect: rect})
	}
	return png.Encode(w, &rgbStack{im: im, rect: rect})
}

// An rgbStack shows images to the PNG encoder without the copy at four bytes
// a pixel that image.RGBA would be. It is good for one encoder at a time.
type rgbStack struct {
	im   *Images
	rect image.Rectangle
	at   rgbPixel
}

func (s *rgbStack) ColorModel() color.Model { return color.RGBAModel }
func (s *rgbStack) Bounds() image.Rectangle { return s.rect }
func (s *rgbStack) Opaque() bool            { return true }

func (s *rgbStack) At(x, y int) color.Color {
	k := 3 * (y*s.im.W + x)
	s.at = rgbPixel(s.im.Pix[k : k+3])
	return &s.at
}

type rgbPixel [3]uint8

// RGBA implements color.Color.
func (p *rgbPixel) RGBA() (r, g, b, a uint32) {
	return uint32(p[0]) * 0x101, uint32(p[1]) * 0x101, uint32(p[2]) * 0x101, 0xffff
}

// WriteLabels writes the labels as a gzipped IDX file, which goes with a stack
// as in stack:FILE.png,LABELS.
func (im *Images) WriteLabels(w io.Writer) error {
	if im.Labels == nil {
		return fmt.Errorf("dataset: %s has no labels to write", im.Name)
	}
	z := gzip.NewWriter(w)
	b := bufio.NewWriter(z)
	kind := byte(0x08)
	if im.Classes > 256 {
		kind = 0x0C
	}
	b.Write(binary.BigEndian.AppendUint32([]byte{0, 0, kind, 1}, uint32(len(im.Labels))))
	for _, v := range im.Labels {
		if kind == 0x08 {
			b.WriteByte(byte(v))
		} else {
			b.Write(binary.BigEndian.AppendUint32(nil, uint32(v)))
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return z.Close()
}
