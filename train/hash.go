package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
)

// A ChangedError reports data that are not those that a run began with.
type ChangedError struct {
	Data string // as the configuration names it
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("train: %s is not what it was when the run began", e.Data)
}

// Hash returns a SHA-256 of everything that a run uses of a data set, or of
// several together.
func Hash(data ...*Data) string {
	h := sha256.New()
	for _, d := range data {
		d.hash(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (d *Data) hash(h hash.Hash) {
	ints(h, d.N)
	ints(h, d.Shape...)
	h.Write(d.Pix)
	for _, v := range d.Rows {
		ints(h, int(math.Float32bits(v)))
	}
	for j := range d.Centre {
		ints(h, int(math.Float64bits(d.Centre[j])), int(math.Float64bits(d.Unit[j])))
	}
	ints(h, len(d.Labels))
	for _, l := range d.Labels {
		ints(h, int(l))
	}
	for i, o := range d.Outlier {
		if o {
			ints(h, i)
		}
	}
}

func ints(h hash.Hash, values ...int) {
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], uint64(v))
		h.Write(b[:])
	}
}
