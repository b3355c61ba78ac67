package demo

import (
	"bytes"
	"fmt"

	"rot.example/rot/dataset"
)

// Pictures are a folder of small pictures to clean: 120 digits, six of which
// were replaced by other shapes.
type Pictures struct{ images *dataset.Images }

// NewPictures draws the pictures, the same ones each time.
func NewPictures() (*Pictures, error) {
	digits, err := dataset.LoadImages("synth:digits,n=120", nil)
	if err != nil {
		return nil, err
	}
	im, err := digits.Mix("synth:shapes@0.05", 0)
	if err != nil {
		return nil, err
	}
	im.Name = "pictures"
	im.IDs = make([]string, im.Len())
	for i := range im.IDs {
		im.IDs[i] = fmt.Sprintf("%03d.png", i)
	}
	return &Pictures{im}, nil
}

// Names returns the names of the pictures' files.
func (p *Pictures) Names() []string { return p.images.IDs }

// PNG returns the file of picture i.
func (p *Pictures) PNG(i int) ([]byte, error) {
	one := &dataset.Images{Name: p.images.Name, H: p.images.H, W: p.images.W, C: p.images.C, Pix: p.images.At(i)}
	var b bytes.Buffer
	err := one.WriteStack(&b)
	return b.Bytes(), err
}

// CSV says which pictures do not belong: index, id and a mark.
func (p *Pictures) CSV() ([]byte, error) {
	var b bytes.Buffer
	err := p.images.WriteMarks(&b)
	return b.Bytes(), err
}
