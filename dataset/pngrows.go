package dataset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// The PNG reader of stacks. It exists beside image/png because a stack of
// 10 000 images is one tall picture: image/png keeps all of it, at four bytes
// a pixel, while here each row is decompressed to where it belongs.
//
// It reads what stacks are made of, 8-bit gray and RGB, and refuses the rest.

const pngMark = "\x89PNG\r\n\x1a\n"

// pngHeader is what a PNG file says about itself.
type pngHeader struct {
	w, h, c int
}

// readPNGHeader reads a PNG file up to the end of its first chunk. packed is
// the length of the file.
func readPNGHeader(file string, r io.Reader, packed int64) (pngHeader, error) {
	var b [33]byte // mark, length, type, 13 bytes of IHDR, checksum
	k, err := io.ReadFull(r, b[:])
	if m := min(k, len(pngMark)); k > 0 && string(b[:m]) != pngMark[:m] {
		return pngHeader{}, fileError(file, "is not a PNG file: it starts with % x", b[:m])
	}
	if err != nil {
		return pngHeader{}, readError(file, err)
	}
	d := b[16:29]
	if string(b[8:16]) != "\x00\x00\x00\x0dIHDR" || crc32.ChecksumIEEE(b[12:29]) != binary.BigEndian.Uint32(b[29:]) {
		return pngHeader{}, fileError(file, "its header is damaged")
	}
	w, h := binary.BigEndian.Uint32(d), binary.BigEndian.Uint32(d[4:])
	head := pngHeader{w: int(w), h: int(h), c: 1}
	depth, colour, interlace := d[8], d[9], d[12]
	switch {
	case w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 || d[10] != 0 || d[11] != 0 || interlace > 1:
		return pngHeader{}, fileError(file, "its header is damaged")
	case colour == 3:
		return pngHeader{}, fileError(file, "is a PNG with a palette; stacks are 8-bit gray or RGB")
	case colour == 4 || colour == 6:
		return pngHeader{}, fileError(file, "is a PNG with an alpha channel; stacks are 8-bit gray or RGB")
	case depth != 8:
		return pngHeader{}, fileError(file, "is a PNG of %d bits a channel; stacks are 8-bit gray or RGB", depth)
	case interlace == 1:
		return pngHeader{}, fileError(file, "is an interlaced PNG; stacks are not interlaced")
	case colour == 2:
		head.c = 3
	case colour != 0:
		return pngHeader{}, fileError(file, "its header is damaged")
	}
	if float64(w)*float64(h)*float64(head.c) > maxInflate*float64(packed) {
		return pngHeader{}, fileError(file, "its header claims %d×%d pixels, more than %d bytes can hold; the file is damaged", w, h, packed)
	}
	return head, nil
}

// readRows reads the rows lo to hi of the picture that r is in, after its
// header, into dst.
func (h pngHeader) readRows(file string, r io.Reader, dst []uint8, lo, hi int) error {
	d := &pngData{r: bufio.NewReaderSize(r, 1<<16), at: 33, crc: crc32.NewIEEE()}
	fail := func(row int, err error) error { return h.rowError(file, row, d.at, err) }
	z, err := zlib.NewReader(bufio.NewReaderSize(d, 1<<16))
	if err != nil {
		return fail(0, err)
	}
	stride := h.w * h.c
	var filter [1]byte
	above := make([]uint8, stride)
	skipped := [2][]uint8{make([]uint8, stride), make([]uint8, stride)} // rows before lo
	for row := range hi {
		line := skipped[row%2]
		if row >= lo {
			line = dst[(row-lo)*stride:][:stride]
		}
		if _, err := io.ReadFull(z, filter[:]); err != nil {
			return fail(row, err)
		}
		if _, err := io.ReadFull(z, line); err != nil {
			return fail(row, err)
		}
		if err := unfilter(filter[0], line, above, h.c); err != nil {
			return fail(row, err)
		}
		above = line
	}
	if hi < h.h {
		return nil
	}
	// Reading up to the end verifies the checksum of the pixels.
	if _, err := io.ReadFull(z, filter[:]); err == nil {
		return fileError(file, "has more pixels than its header declares")
	} else if !errors.Is(err, io.EOF) {
		return fail(h.h-1, err)
	}
	return nil
}

// rowError is err, met in a row of a stack, after so many bytes.
func (h pngHeader) rowError(file string, row int, at int64, err error) error {
	var corrupt flate.CorruptInputError
	image, n := row/h.w, h.h/h.w
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fileError(file, "the file is cut short in image %d of %d, about %d bytes in", image, n, at)
	case errors.Is(err, errTransparent):
		return fileError(file, "is a PNG with a transparent colour; stacks are 8-bit gray or RGB")
	case errors.Is(err, errPNG), errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrDictionary), errors.As(err, &corrupt):
		return fileError(file, "the file is damaged in image %d of %d, about %d bytes in", image, n, at)
	}
	return readError(file, err)
}

var (
	errPNG         = errors.New("dataset: damaged PNG data")
	errTransparent = errors.New("dataset: transparent PNG")
)

// unfilter undoes the PNG filter of a row, given the row above it and the
// bytes a pixel (https://www.w3.org/TR/png/#9Filters).
func unfilter(filter byte, line, above []uint8, bpp int) error {
	switch filter {
	case 0:
	case 1: // sub
		for i := bpp; i < len(line); i++ {
			line[i] += line[i-bpp]
		}
	case 2: // up
		for i, v := range above {
			line[i] += v
		}
	case 3: // average
		for i := range bpp {
			line[i] += above[i] / 2
		}
		for i := bpp; i < len(line); i++ {
			line[i] += uint8((int(line[i-bpp]) + int(above[i])) / 2)
		}
	case 4:
		unfilterPaeth(line, above, bpp)
	default:
		return errPNG
	}
	return nil
}

// unfilterPaeth adds to each byte the one to the left, above or above left
// that is nearest to left + above − above left.
func unfilterPaeth(line, above []uint8, bpp int) {
	above = above[:len(line)]
	for k := range bpp {
		var left, corner int
		for i := k; i < len(line); i += bpp {
			up := int(above[i])
			dl, du := up-corner, left-corner
			dc := dl + du
			dl, du, dc = max(dl, -dl), max(du, -du), max(dc, -dc)
			near := corner
			if dl <= du && dl <= dc {
				near = left
			} else if du <= dc {
				near = up
			}
			left = int(line[i] + uint8(near))
			line[i], corner = uint8(left), up
		}
	}
}

// pngData is the compressed pixels of a PNG file: what its IDAT chunks hold.
type pngData struct {
	r    *bufio.Reader
	at   int64  // bytes of the file read so far
	left uint32 // of this chunk
	seen bool   // the first IDAT chunk
	crc  hash.Hash32
}

func (d *pngData) Read(p []byte) (int, error) {
	for d.left == 0 {
		if err := d.nextChunk(); err != nil {
			return 0, err
		}
	}
	n, err := d.r.Read(p[:min(len(p), int(d.left))])
	d.crc.Write(p[:n])
	d.at += int64(n)
	d.left -= uint32(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// nextChunk goes to the data of the next IDAT chunk; io.EOF means that there
// are no more.
func (d *pngData) nextChunk() error {
	var b [8]byte
	if d.seen {
		if err := d.full(b[:4]); err != nil {
			return err
		}
		if binary.BigEndian.Uint32(b[:]) != d.crc.Sum32() {
			return errPNG
		}
	}
	for {
		if err := d.full(b[:]); err != nil {
			return err
		}
		n, kind := binary.BigEndian.Uint32(b[:]), b[4:]
		switch {
		case n > 1<<31-1:
			return errPNG
		case bytes.Equal(kind, []byte("IDAT")):
			d.left, d.seen = n, true
			d.crc.Reset()
			d.crc.Write(kind)
			return nil
		case d.seen:
			return io.EOF // IDAT chunks follow each other
		case bytes.Equal(kind, []byte("tRNS")):
			return errTransparent
		case bytes.Equal(kind, []byte("IEND")):
			return errPNG
		}
		k, err := io.CopyN(io.Discard, d.r, int64(n)+4)
		d.at += k
		if err != nil {
			return err
		}
	}
}

// full fills b; the end of the file comes too soon for it.
func (d *pngData) full(b []byte) error {
	n, err := io.ReadFull(d.r, b)
	d.at += int64(n)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
