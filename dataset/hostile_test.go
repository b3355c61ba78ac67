package dataset

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"

	"rot.example/rot/internal/budget"
)

// blankPNG is a PNG of w×h black pixels, gray of 8 bits.
func blankPNG(w, h int) []byte {
	var z bytes.Buffer
	c, _ := zlib.NewWriterLevel(&z, zlib.BestCompression)
	row := make([]byte, w+1)
	for range h {
		c.Write(row)
	}
	c.Close()
	b := []byte(pngMark)
	chunk := func(kind string, data []byte) {
		body := append([]byte(kind), data...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	chunk("IHDR", append(head, 8, 0, 0, 0, 0))
	chunk("IDAT", z.Bytes())
	chunk("IEND", nil)
	return b
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// progressive is a JPEG that claims w×h pixels in colour, decoded in passes.
func progressive(w, h int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, paint(8, 8, image.White.C), nil); err != nil {
		panic(err)
	}
	out := b.Bytes()
	k := bytes.Index(out, []byte{0xff, 0xc0})
	out[k+1] = 0xc2
	binary.BigEndian.PutUint16(out[k+5:], uint16(h))
	binary.BigEndian.PutUint16(out[k+7:], uint16(w))
	return out
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// TestHostilePictures reads files that are small and claim much, one and many
// at a time, and looks at what is held.
func TestHostilePictures(t *testing.T) {
	var drawing bytes.Buffer
	if err := bmp.Encode(&drawing, paint(4, 4, image.White.C)); err != nil {
		t.Fatal(err)
	}
	wide := bytes.Clone(drawing.Bytes())
	binary.LittleEndian.PutUint32(wide[18:], 1<<15)
	binary.LittleEndian.PutUint32(wide[22:], 1<<15)
	tree := map[string][]byte{
		"good/a.bmp":     drawing.Bytes(),
		"good/b.webp":    unhex("524946461c000000574542505650384c0f0000002f03c000000710658efe0722a2ff0100"),
		"good/c.webp":    unhex("52494646400000005745425056503820340000001002009d012a0400040000c01225a00274ba01f801f80003c800fefc8d87ffb198fda33fc92bffc649fe324ff1927ff8be800000"),
		"tiff/a.png":     []byte("II*\x00\x08\x00\x00\x00\x00\x00 and whatever follows"),
		"bmp/a.bmp":      wide,
		"jpeg/a.jpg":     progressive(11584, 11584),
		"png/a.png":      blankPNG(4000, 4000),
		"many/shape.txt": nil,
	}
	for k := range 8 {
		tree[fmt.Sprintf("many/%d.png", k)] = blankPNG(2000, 2000)
	}
	t.Chdir(writeTree(t, tree))
	good, err := LoadImages("good", nil)
	if err != nil {
		t.Fatal(err)
	}
	// White, and twice the red of (204, 0, 0): without losses, and with those of
	// so small a picture.
	for i, want := range [][3]int{{255, 255, 255}, {204, 0, 0}, {204, 0, 0}} {
		for k, v := range good.At(i)[:3] {
			if int(v) < want[k]-20 || int(v) > want[k]+20 {
				t.Errorf("%s is %v, want %v", good.IDs[i], good.At(i)[:3], want)
				break
			}
		}
	}
	for spec, want := range map[string]string{
		"tiff": "tiff/a.png: is not a PNG, JPEG, GIF, BMP or WebP image",
		"bmp":  "more than 102 bytes can hold",
		"jpeg": "jpeg/a.jpg: its header claims 11584×11584 pixels",
		"png":  "png/a.png: its header claims 4000×4000 pixels",
	} {
		_, err := LoadImages(spec, &ImageOptions{Size: 8})
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("%s: %v", spec, err)
		}
		if (spec == "jpeg" || spec == "png") && !errors.Is(err, budget.ErrMemory) {
			t.Errorf("%s: the error is not about memory: %v", spec, err)
		}
	}
	held := held(func() {
		if _, err := LoadImages("many", &ImageOptions{Size: 8}); err != nil {
			t.Error(err)
		}
	})
	if held > 200<<20 {
		t.Errorf("eight pictures that unfold far took %s", budget.Text(int64(held)))
	}
	budget.SetLimit(2 << 30)
	defer budget.SetLimit(0)
	if _, err := LoadImages("png", &ImageOptions{Size: 8}); err != nil {
		t.Errorf("a limit that was set is not used: %v", err)
	}
}

// held is how much more the heap holds during do, at its peak.
func held(do func()) uint64 {
	size := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	runtime.GC()
	before, most := size(), uint64(0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			most = max(most, size())
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	<-ended
	return most - min(before, most)
}

// TestHostileArrays reads small files that unfold to large ones.
func TestHostileArrays(t *testing.T) {
	idx := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 3}, 10000)
	idx = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(idx, 100), 100)
	t.Chdir(writeTree(t, map[string][]byte{
		"x-images-idx3-ubyte.gz": zipped(append(idx, make([]byte, 100e6)...)),
		"x.csv.gz":               zipped(bytes.Repeat([]byte("1,"), 30e6)),
		"long.csv.gz":            zipped(bytes.Repeat([]byte("1"), 100e6)),
		"stack.png":              blankPNG(64, 64*30000),
	}))
	read := func(spec string) error {
		if IsImages(spec) {
			_, err := LoadImages(spec, nil)
			return err
		}
		_, err := Load(spec, nil)
		return err
	}
	for _, spec := range []string{"x-images-idx3-ubyte.gz", "x.csv.gz", "long.csv.gz", "stack:stack.png"} {
		var err error
		held := held(func() { err = read(spec) })
		if err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(spec, "stack:")) {
			t.Errorf("%s: %v", spec, err)
		}
		if held > 256<<20 {
			t.Errorf("%s took %s", spec, budget.Text(int64(held)))
		}
	}
}

// TestFolderOfLinks walks 23 levels of two links each, which are eight million
// ways, and a link to itself.
func TestFolderOfLinks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for k := range 23 {
		d := fmt.Sprint("d", k)
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			if err := os.Symlink(fmt.Sprintf("../d%d", k+1), filepath.Join(d, name)); err != nil {
				t.Skip("no links here: ", err)
			}
		}
	}
	os.Mkdir("d23", 0o777)
	os.WriteFile("d23/x.png", blankPNG(4, 4), 0o666)
	if _, err := LoadImages("d0", nil); err == nil || !strings.Contains(err.Error(), "ways through links") {
		t.Errorf("got %v", err)
	}
	os.Mkdir("loop", 0o777)
	os.Symlink("x.png", "loop/x.png")
	if _, err := LoadImages("loop", nil); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("got %v", err)
	}
	if im, err := LoadImages("d22", nil); err != nil || im.Len() != 2 {
		t.Errorf("two links to one folder: %v", err)
	}
}
