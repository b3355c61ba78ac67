package dataset

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLoadStack(t *testing.T) {
	im := ramp(30, 8, 8, 3)
	part := func(lo, hi int) *Images { return &Images{H: 8, W: 8, C: 3, Pix: im.Pix[lo*192 : hi*192]} }
	gray := ramp(5, 4, 4, 1)
	labels := make([]byte, 30)
	for i := range labels {
		labels[i] = byte(i % 4)
	}
	dir := write(t, map[string][]byte{
		"s1.png": stackBytes(t, part(0, 12)), "s2.png": stackBytes(t, part(12, 13)), "s10.PNG": stackBytes(t, part(13, 30)), "all.png": stackBytes(t, im),
		"gray.png": stackBytes(t, gray), "a+b,c.png": stackBytes(t, gray), "labels.gz": gz(idx(8, []int{30}, labels...)), "x[:2].png": stackBytes(t, gray),
	})
	t.Chdir(dir)
	for _, tt := range []struct {
		spec        string
		want        *Images
		lo          int // of labels; -1: none
		first, last string
	}{
		{"stack:all.png", im, -1, "all.png#0", "all.png#29"},
		{"stack:all.png,labels.gz", im, 0, "all.png#0", "all.png#29"},
		{"stack:all.png,labels.gz[7:]", part(7, 30), 7, "all.png#7", "all.png#29"},
		{"stack:s1.png+s2.png+s10.PNG,labels.gz", im, 0, "s1.png#0", "s10.PNG#16"},
		{"stack:s*.[pP][nN][gG]", im, -1, "s1.png#0", "s10.PNG#16"},
		{"stack:s?.png+s10.PNG,labels.gz[11:15]", part(11, 15), 11, "s1.png#11", "s10.PNG#1"},
		{"stack:s1.png+" + filepath.Join(dir, "s1.png") + "[11:13]", &Images{Pix: slices.Concat(part(11, 12).Pix, part(0, 1).Pix)}, -1, "s1.png#11", filepath.Join(dir, "s1.png") + "#0"},
		{"stack:gray.png", gray, -1, "gray.png#0", "gray.png#4"},
		{"stack:a+b,c.png", gray, -1, "a+b,c.png#0", "a+b,c.png#4"},
		{"stack:x[:2].png", gray, -1, "x[:2].png#0", "x[:2].png#4"},
	} {
		got, err := LoadImages(tt.spec, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		n := got.Len()
		if !bytes.Equal(got.Pix, tt.want.Pix) || got.ID(0) != tt.first || got.ID(n-1) != tt.last || got.Name != tt.spec {
			t.Errorf("%s: %d images of %s, %s to %s", tt.spec, n, sizeText(got.H, got.W, got.C), got.ID(0), got.ID(n-1))
		}
		if tt.lo < 0 && got.Labels != nil || tt.lo >= 0 && (len(got.Labels) != n || got.Labels[n-1] != int32(labels[tt.lo+n-1]) || got.Classes != 4) {
			t.Errorf("%s: labels %v", tt.spec, got.Labels)
		}
	}
}

// chunk is a chunk of a PNG file.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func pngOf(w, h uint32, rest []byte, chunks ...[]byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return slices.Concat([]byte(pngMark), chunk("IHDR", append(head, rest...)), slices.Concat(chunks...))
}

func TestLoadStackErrors(t *testing.T) {
	good := stackBytes(t, ramp(40, 8, 8, 3))
	flip := func(at int) []byte { b := slices.Clone(good); b[at] ^= 0x55; return b }
	palette := image.NewPaletted(image.Rect(0, 0, 4, 8), color.Palette{color.Black, color.White})
	rgb8 := []byte{8, 2, 0, 0, 0}
	files := map[string][]byte{
		"good.png": good, "cut.png": good[:len(good)/2], "head.png": good[:20], "idat.png": good[:37], "empty.png": nil, "jpeg.png": []byte("\xff\xd8\xff\xe0"),
		"ihdr.png": flip(20), "idatflip.png": flip(len(good) / 2), "sum.png": flip(len(good) - 17),
		"tall.png": encode(t, "png", paint(4, 10, color.Gray{7})), "wide.png": encode(t, "png", paint(8, 4, color.Gray{7})),
		"deep.png": encode(t, "png", paint(4, 8, color.Gray16{7})), "alpha.png": encode(t, "png", paint(4, 8, color.NRGBA{1, 2, 3, 4})), "palette.png": encode(t, "png", palette),
		"huge.png": pngOf(1<<15, 1<<31-1<<15, rgb8), "zero.png": pngOf(0, 8, rgb8), "interlaced.png": pngOf(8, 8, []byte{8, 2, 0, 0, 1}), "kind.png": pngOf(8, 8, []byte{8, 1, 0, 0, 0}),
		"clear.png": pngOf(8, 8, rgb8, chunk("tRNS", make([]byte, 6))), "noidat.png": pngOf(8, 8, rgb8, chunk("tEXt", []byte("a")), chunk("IEND", nil)),
		"gray.png": stackBytes(t, ramp(2, 8, 8, 1)), "small.png": stackBytes(t, ramp(2, 4, 4, 3)), "two.gz": gz(idx(8, []int{2}, 0, 1)),
		"filter.png": rawPNG(2, 1, 0, 1, 2, 9, 1, 2), "more.png": rawPNG(2, 1, 0, 1, 2, 0, 1, 2, 0), "few.png": rawPNG(2, 1, 0, 1, 2),
	}
	dir := write(t, files)
	t.Chdir(dir)
	if err := os.Mkdir("dir.png", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ spec, want string }{
		{"stack:cut.png", "cut.png: the file is cut short in image "},
		{"stack:head.png", "head.png: the file is cut short"},
		{"stack:idat.png", "idat.png: the file is cut short in image 0 of 40, about 37 bytes in"},
		{"stack:empty.png", "empty.png: the file is cut short"},
		{"stack:jpeg.png", "jpeg.png: is not a PNG file: it starts with ff d8 ff e0"},
		{"stack:ihdr.png", "ihdr.png: its header is damaged"},
		{"stack:idatflip.png", "idatflip.png: the file is "},
		{"stack:sum.png", "sum.png: the file is damaged in image 39 of 40, about "},
		{"stack:filter.png", "filter.png: the file is damaged in image 0 of 1, about "},
		{"stack:few.png", "few.png: the file is cut short in image 0 of 1, about "},
		{"stack:more.png", "more.png: has more pixels than its header declares"},
		{"stack:tall.png", "tall.png: is 4 pixels wide and 10 high; a stack is a column of square images, so the height is a multiple of the width"},
		{"stack:wide.png", "wide.png: is 8 pixels wide and 4 high; "},
		{"stack:deep.png", "deep.png: is a PNG of 16 bits a channel; stacks are 8-bit gray or RGB"},
		{"stack:alpha.png", "alpha.png: is a PNG with an alpha channel; "},
		{"stack:palette.png", "palette.png: is a PNG with a palette; "},
		{"stack:huge.png", "huge.png: its header claims 32768×2147450880 pixels, more than 33 bytes can hold; the file is damaged"},
		{"stack:zero.png", "zero.png: its header is damaged"},
		{"stack:interlaced.png", "interlaced.png: is an interlaced PNG"},
		{"stack:kind.png", "kind.png: its header is damaged"},
		{"stack:clear.png", "clear.png: is a PNG with a transparent colour; "},
		{"stack:noidat.png", "noidat.png: the file is damaged in image 0 of 1, "},
		{"stack:dir.png", "dir.png: is a folder, not a regular file"},
		{"stack:gone.png", "gone.png: no such file"},
		{"stack:gone*.png", "stack:gone*.png: no file matches gone*.png"},
		{"stack:[.png", `stack:[.png: "[.png" is not a pattern of file names: syntax error in pattern`},
		{"stack:", "stack:: names no file; a stack is written stack:FILE.png or stack:FILE.png,LABELS"},
		{"stack:good.png,", "stack:good.png,: no file of labels follows the comma"},
		{"stack:good.png,two.gz", "two.gz: has labels of shape (2,) for 40 images; one for each was expected"},
		{"stack:good.png,two.gz[:2]", "two.gz: has labels of shape (2,) for 40 images; one for each was expected"},
		{"stack:good.png+gray.png", "gray.png: holds images of 8×8 gray, good.png holds 8×8 RGB"},
		{"stack:good.png+small.png", "small.png: holds images of 4×4 RGB, good.png holds 8×8 RGB"},
		{"stack:good.png+cut.png+gone.png", "gone.png: no such file"},
		{"stack:good.png+cut.png+idatflip.png", "cut.png: the file is cut short in image "},
		{"stack:good.png[:41]", "stack:good.png: the range [:41] goes beyond the 40 images that there are"},
	} {
		_, err := LoadImages(tt.spec, nil)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s\ngot  %v\nwant %s", tt.spec, err, tt.want)
		}
	}
	// Damage behind what is asked for does not matter.
	if im := mustLoadImages(t, "stack:cut.png[:2]", nil); im.Len() != 2 {
		t.Errorf("%d images", im.Len())
	}
}

// rawPNG is a square picture with these bytes, filters included.
func rawPNG(side, channels int, raw ...byte) []byte {
	kind := byte(channels - 1) // 0 is gray, 2 is RGB
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(raw)
	z.Close()
	return pngOf(uint32(side), uint32(side), []byte{8, kind, 0, 0, 0}, chunk("IDAT", b.Bytes()[:5]), chunk("IDAT", b.Bytes()[5:]), chunk("IEND", nil))
}

// TestFilters compares random rows under all filters with what image/png
// makes of them.
func TestFilters(t *testing.T) {
	const side = 9
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []int{1, 3} {
		var raw []byte
		for row := range side {
			raw = append(raw, byte(row%5))
			for range side * c {
				raw = append(raw, byte(rng.Uint32()))
			}
		}
		file := rawPNG(side, c, raw...)
		want, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readStackBytes(file)
		if err != nil {
			t.Fatal(err)
		}
		if !samePixels(got, want) {
			t.Errorf("%d channels differ", c)
		}
	}
}

// readStackBytes reads a stack from memory.
func readStackBytes(b []byte) (*Images, error) {
	r := bytes.NewReader(b)
	h, err := readStackHeader("a.png", r, int64(len(b)))
	if err != nil {
		return nil, err
	}
	im, err := newImages("a.png", h.h/h.w, h.w, h.w, h.c)
	if err != nil {
		return nil, err
	}
	return im, h.readRows("a.png", r, im.Pix, 0, h.h)
}

func samePixels(im *Images, img image.Image) bool {
	if img.Bounds() != image.Rect(0, 0, im.W, im.H*im.Len()) {
		return false
	}
	for i := range len(im.Pix) / im.C {
		r, g, b, _ := img.At(i%im.W, i/im.W).RGBA()
		p := im.Pix[im.C*i : im.C*i+im.C]
		if uint8(r>>8) != p[0] || uint8(g>>8) != p[im.C/2] || uint8(b>>8) != p[im.C-1] {
			return false
		}
	}
	return true
}

func TestWriteStack(t *testing.T) {
	for _, c := range []int{1, 3} {
		im := ramp(7, 5, 5, c)
		img, err := png.Decode(bytes.NewReader(stackBytes(t, im)))
		if err != nil || !samePixels(im, img) {
			t.Errorf("%d channels: %v", c, err)
		}
	}
	if err := ramp(1, 2, 3, 1).WriteStack(&bytes.Buffer{}); err == nil {
		t.Error("a stack of 3×2 was written")
	}
	if err := (&Images{}).WriteStack(&bytes.Buffer{}); err == nil {
		t.Error("an empty stack was written")
	}
}

func TestWriteLabels(t *testing.T) {
	for _, labels := range [][]int32{{0, 3, 255}, {0, 256, 65535}} {
		im := &Images{Labels: labels, Classes: int(labels[2]) + 1}
		var b bytes.Buffer
		if err := im.WriteLabels(&b); err != nil {
			t.Fatal(err)
		}
		dir := write(t, map[string][]byte{"l.gz": b.Bytes()})
		var back Images
		got, err := back.loadClasses(filepath.Join(dir, "l.gz"), 3)
		if err != nil || !slices.Equal(got, labels) || back.Classes != im.Classes {
			t.Errorf("%v, %v", got, err)
		}
	}
	if err := (&Images{}).WriteLabels(&bytes.Buffer{}); err == nil {
		t.Error("no labels were written")
	}
}

func TestCompareNatural(t *testing.T) {
	want := []string{"a", "a1", "a2", "a02b", "a10", "a10b2", "a10b10", "b"}
	got := slices.Sorted(slices.Values(want))
	slices.SortFunc(got, compareNatural)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if compareNatural("a01", "a1") == 0 {
		t.Error("a01 and a1 are the same")
	}
}
