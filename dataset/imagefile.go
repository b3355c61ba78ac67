package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"rot.example/rot/internal/budget"
)

// imageNames lists the formats of picture files for messages, imageEndings the
// endings of their names.
const (
	imageNames   = "PNG, JPEG, GIF, BMP or WebP"
	imageEndings = ".png, .jpg, .jpeg, .gif, .bmp or .webp"
)

// An imageKind is a format of picture files, in the order of imageNames. The
// kind of a file is told by its first bytes, and its decoder is called by name:
// package image would also call decoders that other libraries register.
type imageKind struct {
	is     func(head []byte) bool
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	// need is how many bytes the decoder holds at most for each pixel. r reads
	// the file from its beginning.
	need func(c image.Config, r io.Reader) int64
	// most is how many pixels a byte of the file can stand for at most.
	most float64
}

var imageKinds = []*imageKind{
	{begins(pngMark), png.DecodeConfig, png.Decode, pngNeed, 8 * maxInflate},
	{begins("\xff\xd8\xff"), jpeg.DecodeConfig, jpeg.Decode, jpegNeed, 1 << 40},
	{func(h []byte) bool { return begins("GIF87a")(h) || begins("GIF89a")(h) }, gif.DecodeConfig, gif.Decode, constantly(1), 1 << 13}, // 12 bits a code, which stands for 4096 pixels
	{begins("BM"), bmp.DecodeConfig, bmp.Decode, constantly(4), 8},
	{func(h []byte) bool { return begins("RIFF")(h) && len(h) >= 12 && string(h[8:12]) == "WEBP" }, webp.DecodeConfig, webp.Decode, constantly(12), 1 << 40},
}

func begins(mark string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(mark)) }
}

func constantly(n int64) func(image.Config, io.Reader) int64 {
	return func(image.Config, io.Reader) int64 { return n }
}

// pngNeed counts the picture, and once more what interlaced ones are put
// together from.
func pngNeed(c image.Config, _ io.Reader) int64 {
	switch c.ColorModel {
	case color.GrayModel:
		return 2
	case color.Gray16Model:
		return 4
	case color.RGBAModel, color.NRGBAModel:
		return 8
	case color.RGBA64Model, color.NRGBA64Model:
		return 16
	}
	return 2 // with a palette
}

// jpegNeed counts the planes of all components, what RGB and CMYK pictures are
// converted to, and for a progressive picture the coefficients, four bytes
// each.
func jpegNeed(c image.Config, r io.Reader) int64 {
	planes, converted := int64(3), int64(4)
	switch c.ColorModel {
	case color.GrayModel:
		planes, converted = 1, 0
	case color.CMYKModel:
		planes = 4
	case color.YCbCrModel:
		converted = 0
	}
	if jpegInOnePass(bufio.NewReader(r)) {
		return planes + converted
	}
	return planes + converted + 4*planes
}

// jpegInOnePass reports whether the picture is certainly not a progressive one:
// nothing but whole segments stand before the frame, and that is a sequential
// one.
func jpegInOnePass(r *bufio.Reader) bool {
	var b [4]byte
	if _, err := io.ReadFull(r, b[:2]); err != nil {
		return false
	}
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil || b[0] != 0xff {
			return false
		}
		switch n := int(b[2])<<8 | int(b[3]); {
		case b[1] == 0xc0 || b[1] == 0xc1: // SOF0, SOF1
			return true
		case b[1] == 0xc2 || b[1] < 0xc4 || b[1] >= 0xd0 && b[1] <= 0xd9 || n < 2: // SOF2; markers without a length
			return false
		default:
			if _, err := r.Discard(n - 2); err != nil {
				return false
			}
		}
	}
}

// A picture is what the beginning of a picture file tells.
type picture struct {
	image.Config
	kind *imageKind
	size int64 // of the file
	need int64 // bytes that reading it takes for a while
}

// readPictureHeader reads the beginning of a picture file, without setting aside memory
// for pixels, and refuses one that claims more of them than it can hold or than
// there is memory for.
func readPictureHeader(file string) (*picture, error) {
	in, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var head [16]byte
	n, err := io.ReadFull(in, head[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, readError(file, err)
	}
	p := &picture{size: in.size}
	for _, k := range imageKinds {
		if k.is(head[:n]) {
			p.kind = k
		}
	}
	if p.kind == nil {
		return nil, fileError(file, "is not a %s image, though its name says so", imageNames)
	}
	from := func() io.Reader { return io.NewSectionReader(in.file, 0, in.size) }
	if p.Config, err = p.kind.config(from()); err != nil {
		return nil, decodeError(file, err)
	}
	w, h := p.Width, p.Height
	switch area := float64(w) * float64(h); {
	case w <= 0 || h <= 0:
		return nil, fileError(file, "has no pixels: it is %d×%d", w, h)
	case area > p.kind.most*float64(in.size):
		return nil, fileError(file, "its header claims %d×%d pixels, more than %d bytes can hold; the file is damaged", w, h, in.size)
	}
	// The decoder's picture, in whole blocks of 16, and the canvas it is laid on.
	wide, high := (int64(w)+15)/16*16, (int64(h)+15)/16*16
	p.need = budget.Product(wide, high, 4+p.kind.need(p.Config, from()))
	if err := budget.Check(p.size, p.need); err != nil {
		return nil, memoryError(file, fmt.Errorf("its header claims %d×%d pixels: it %w", w, h, err))
	}
	return p, nil
}

// decode decodes the file, which readPictureHeader has seen, and gives the picture to use.
// It waits until there is memory.
func (p *picture) decode(file string, use func(image.Image)) error {
	in, err := openRegular(file)
	if err != nil {
		return err
	}
	defer in.Close()
	free, err := budget.Take(context.Background(), p.size, p.need)
	if err != nil {
		return memoryError(file, err)
	}
	defer free()
	img, err := p.kind.decode(io.NewSectionReader(in.file, 0, p.size))
	if err != nil {
		return decodeError(file, err)
	}
	if b := img.Bounds(); b.Min.X < 0 || b.Min.Y < 0 || b.Max.X > p.Width || b.Max.Y > p.Height {
		return fileError(file, "its pixels lie outside of the picture")
	}
	use(img)
	if p.need > budget.Unfolded/2 {
		img = nil
		runtime.GC() // before the next of its kind
	}
	return nil
}

func decodeError(file string, err error) error {
	if errors.Is(err, io.EOF) || strings.HasSuffix(err.Error(), io.ErrUnexpectedEOF.Error()) { // image/png wraps it as text
		return readError(file, io.ErrUnexpectedEOF)
	}
	e := fileError(file, "cannot be decoded: %v", err)
	e.Err = err
	return e
}

// memoryError is err, of package budget, about a file.
func memoryError(file string, err error) error {
	e := fileError(file, "%v", err)
	e.Err = err
	return e
}
