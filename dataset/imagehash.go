package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Hash tells sets of images apart by what is in them, whatever they are called
// and wherever they were read from: by pixels, labels and the classes' names.
func (im *Images) Hash() string {
	h := sha256.New()
	number := func(v int) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		h.Write(b[:])
	}
	for _, v := range []int{im.H, im.W, im.C, im.Len(), im.Classes, len(im.ClassNames)} {
		number(v)
	}
	h.Write(im.Pix)
	for _, l := range im.Labels {
		number(int(l))
	}
	for _, name := range im.ClassNames {
		number(len(name))
		h.Write([]byte(name))
	}
	return hex.EncodeToString(h.Sum(nil))
}
