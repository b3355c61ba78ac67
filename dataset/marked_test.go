package dataset

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestWriteMarks(t *testing.T) {
	im := &Images{H: 1, W: 1, C: 1, Pix: make([]uint8, 10_000)}
	if err := im.WriteMarks(fullDisk{}); err == nil {
		t.Error("a full disk looks like success")
	}
	if err := im.WriteMarks(io.Discard); err != nil {
		t.Error(err)
	}
	im = &Images{H: 1, W: 1, C: 1, Pix: make([]uint8, 2), Outlier: []bool{false, true}}
	var b strings.Builder
	if err := im.WriteMarks(&b); err != nil || b.String() != "index,id,outlier\n0,0,0\n1,1,1\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
