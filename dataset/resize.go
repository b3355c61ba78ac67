package dataset

import (
	"fmt"
	"image"

	"golang.org/x/image/draw"

	"rot.example/rot/internal/parallel"
)

// convert is im at another size and in another colour; 0 means to leave
// either alone.
func (im *Images) convert(size, channels int) (*Images, error) {
	h, w, c := im.H, im.W, im.C
	if size > 0 {
		h, w = size, size
	}
	if channels > 0 {
		c = channels
	}
	return im.reshape(h, w, c)
}

// reshape is im with images of h×w×c, and im itself when they are.
func (im *Images) reshape(h, w, c int) (*Images, error) {
	if h == im.H && w == im.W && c == im.C {
		return im, nil
	}
	out, err := newImages(im.Name, im.Len(), h, w, c)
	if err != nil {
		return nil, err
	}
	pix := out.Pix
	*out = *im
	out.H, out.W, out.C, out.Pix = h, w, c, pix
	note := fmt.Sprintf("%s converted to %s", colourText(im.C), colourText(c))
	each := func(i int) error { recolour(out.At(i), im.At(i), c, im.C); return nil }
	if h != im.H || w != im.W {
		note = fmt.Sprintf("%s resized to %s", sizeText(im.H, im.W, im.C), sizeText(h, w, c))
		// The kernel widens when it shrinks images, so nothing aliases.
		scaler := draw.CatmullRom.NewScaler(w, h, im.W, im.H)
		each = func(i int) error {
			big := image.NewRGBA(image.Rect(0, 0, im.W, im.H))
			small := image.NewRGBA(image.Rect(0, 0, w, h))
			toRGBA(big, im.At(i), im.C)
			scaler.Scale(small, small.Rect, big, big.Rect, draw.Src, nil)
			fromRGBA(out.At(i), small, c)
			return nil
		}
	}
	if err := parallel.Try(im.Len(), each); err != nil {
		return nil, err
	}
	out.Notes = append(im.Notes[:len(im.Notes):len(im.Notes)], note)
	return out, nil
}

// recolour copies pixels of from channels to pixels of to channels.
func recolour(dst, src []uint8, to, from int) {
	switch {
	case to == from:
		copy(dst, src)
	case to == 3:
		for i, v := range src {
			p := dst[3*i : 3*i+3 : 3*i+3]
			p[0], p[1], p[2] = v, v, v
		}
	default:
		for i := range dst {
			p := src[3*i : 3*i+3 : 3*i+3]
			dst[i] = luma(p[0], p[1], p[2])
		}
	}
}

// luma is the gray of a colour by the weights of JPEG (ITU-R BT.601), as in
// color.GrayModel. A gray colour is its own.
func luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
}

func toRGBA(dst *image.RGBA, src []uint8, c int) {
	for i := range len(src) / c {
		p := dst.Pix[4*i : 4*i+4 : 4*i+4]
		if c == 1 {
			p[0], p[1], p[2] = src[i], src[i], src[i]
		} else {
			copy(p, src[3*i:3*i+3])
		}
		p[3] = 0xff
	}
}

func fromRGBA(dst []uint8, src *image.RGBA, c int) {
	for i := range len(dst) / c {
		p := src.Pix[4*i : 4*i+4 : 4*i+4]
		if c == 1 {
			dst[i] = luma(p[0], p[1], p[2])
		} else {
			copy(dst[3*i:3*i+3], p)
		}
	}
}
