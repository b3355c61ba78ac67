package dataset

import (
	"errors"
	"io"
	"math"

	"rot.example/rot/internal/budget"
)

// maxClass bounds the classes that a file of labels may declare.
const maxClass = 1<<16 - 1

// maxInflate is the most that deflate can blow up its input, which bounds what
// the header of a compressed file can truthfully claim.
const maxInflate = 1032

// isImageHeader reports whether an IDX file holds images: bytes in three or
// more dimensions.
func isImageHeader(h *arrayHeader) bool {
	return h.elem == elem{kind: 'u', size: 1} && len(h.shape) >= 3
}

// loadIDXImages reads IMAGES or IMAGES,LABELS.
func loadIDXImages(body string, part span) (*Images, error) {
	path, given := splitSpec(body)
	in, err := open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	im, n, lo, err := readIDXImages(path, in, in.size, in.packed, part)
	if err != nil {
		return nil, err
	}
	if given == "" {
		given = findIDXLabels(path)
	}
	labels, err := im.loadClasses(given, n)
	if err != nil {
		return nil, err
	}
	im.setLabels(labels, lo)
	im.numberFrom(lo)
	return im, nil
}

// readIDXImages reads part of the n images of an IDX file, beginning with
// image lo. size is the length of the file, or negative when unknown; packed
// is its length on disk.
func readIDXImages(file string, r io.Reader, size, packed int64, part span) (im *Images, n, lo int, err error) {
	h, err := readIDXHeader(file, r)
	if err != nil {
		return nil, 0, 0, err
	}
	if !isImageHeader(h) {
		return nil, 0, 0, fileError(file, "has no images: they are bytes of shape (n, height, width), and here are %s of shape %s", h.elem.name(), shapeText(h.shape))
	}
	c := 1
	if len(h.shape) == 4 {
		c = h.shape[3]
	}
	if len(h.shape) > 4 || (c != 1 && c != 3) {
		return nil, 0, 0, fileError(file, "has shape %s; images are (n, height, width), for colour (n, height, width, 3)", shapeText(h.shape))
	}
	if size >= 0 {
		err = h.elem.checkSize(file, h.rest(size), h.rows*h.dim)
	} else if int64(h.rows*h.dim)/maxInflate > packed {
		err = fileError(file, "its header declares shape %s, more than %d compressed bytes can hold; the file is damaged", shapeText(h.shape), packed)
	} else if over := budget.Check(packed, int64(h.rows*h.dim)); over != nil {
		err = memoryError(file, over)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	n = h.rows
	lo, hi, err := part.of(file, "images", n)
	if err != nil {
		return nil, 0, 0, err
	}
	if im, err = newImages(file, hi-lo, h.shape[1], h.shape[2], c); err != nil {
		return nil, 0, 0, err
	}
	got, err := io.CopyN(io.Discard, r, int64(lo)*int64(h.dim))
	if err == nil {
		var k int
		k, err = io.ReadFull(r, im.Pix)
		got += int64(k)
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, 0, 0, fileError(file, "the file is cut short in image %d of %d, after %d bytes", got/int64(h.dim), n, h.bytes+got)
	case err != nil:
		return nil, 0, 0, readError(file, err)
	case hi == n:
		err = atEnd(file, r)
	}
	return im, n, lo, err
}

// loadClasses reads the classes of all n images from an IDX file, and sets
// im.Classes. No file, no classes.
func (im *Images) loadClasses(file string, n int) ([]int32, error) {
	if file == "" {
		return nil, nil
	}
	in, err := open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	labels, err := readClasses(file, in, in.size, n)
	for _, v := range labels {
		im.Classes = max(im.Classes, int(v)+1)
	}
	return labels, err
}

func readClasses(file string, r io.Reader, size int64, n int) ([]int32, error) {
	h, err := readIDXHeader(file, r)
	if err != nil {
		return nil, err
	}
	if h.dim != 1 || h.rows != n {
		return nil, fileError(file, "has labels of shape %s for %d images; one for each was expected", shapeText(h.shape), n)
	}
	values, err := h.elem.readArray(file, r, h.rest(size), n)
	if err != nil {
		return nil, err
	}
	labels := make([]int32, n)
	for i, v := range values {
		if !(v >= 0 && v <= maxClass) || v != math.Trunc(v) {
			return nil, fileError(file, "image %d: label %v is not a class from 0 to %d", i, v, maxClass)
		}
		labels[i] = int32(v)
	}
	return labels, nil
}
