package dataset

import (
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestLoadFolder(t *testing.T) {
	red, gray := color.RGBA{204, 0, 0, 255}, color.Gray{90}
	small := encode(t, "png", paint(4, 4, gray))
	dir := writeTree(t, map[string][]byte{
		"classes/cat/b.png": small, "classes/cat/a.png": small, "classes/ant/deep/x.PNG": small, "classes/dog/1.png": small,
		"classes/README.md": []byte("hi"), "classes/.hidden/z.png": {1}, "classes/cat/._a.png": {1},
		"flat/b.png": small, "flat/sub/a.png": small,
		"kinds/1.png": encode(t, "png", paint(4, 4, red)), "kinds/2.jpg": encode(t, "jpg", paint(4, 4, gray)), "kinds/3.gif": encode(t, "gif", paint(4, 4, red)),
		"kinds/4.png": encode(t, "png", paint(4, 4, color.Gray16{90 << 8})), "kinds/5.png": encode(t, "png", paint(4, 4, color.NRGBA{0, 0, 0, 102})),
		"kinds/6.jpeg": encode(t, "jpg", paint(4, 4, red)), "kinds/7.png": encode(t, "jpg", paint(4, 4, gray)), // a JPEG by content
		"sizes/a.png": encode(t, "png", paint(10, 6, gray)), "sizes/b.png": small,
		"wide/a.png": encode(t, "png", paint(5, 3, gray)),
	})
	t.Chdir(dir)
	for _, tt := range []struct {
		spec    string
		opts    ImageOptions
		h, w, c int
		ids     []string
		labels  []int32
		classes []string
		notes   []string
	}{
		{"classes", ImageOptions{}, 4, 4, 1, []string{"ant/deep/x.PNG", "cat/a.png", "cat/b.png", "dog/1.png"}, []int32{0, 1, 1, 2}, []string{"ant", "cat", "dog"}, nil},
		{"classes[2:]", ImageOptions{}, 4, 4, 1, []string{"cat/b.png", "dog/1.png"}, []int32{1, 2}, []string{"ant", "cat", "dog"}, nil},
		{"flat", ImageOptions{}, 4, 4, 1, []string{"b.png", "sub/a.png"}, nil, nil, nil},
		{"flat/", ImageOptions{Size: 2, Channels: 3}, 2, 2, 3, []string{"b.png", "sub/a.png"}, nil, nil, []string{"2 of 2 images resized to 2×2", "2 of 2 images converted to RGB"}},
		{"kinds", ImageOptions{}, 4, 4, 3, []string{"1.png", "2.jpg", "3.gif", "4.png", "5.png", "6.jpeg", "7.png"}, nil, nil,
			[]string{"3 of 7 images converted to RGB", "1 of 7 images reduced from 16 to 8 bits a channel", "1 of 7 images laid on white where they are transparent"}},
		{"sizes", ImageOptions{Size: 8}, 8, 8, 1, []string{"a.png", "b.png"}, nil, nil, []string{"2 of 2 images resized to 8×8"}},
		{"sizes[1:]", ImageOptions{}, 4, 4, 1, []string{"b.png"}, nil, nil, nil},
		{"wide", ImageOptions{}, 3, 5, 1, []string{"a.png"}, nil, nil, nil},
	} {
		got, err := LoadImages(tt.spec, &tt.opts)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.H != tt.h || got.W != tt.w || got.C != tt.c || got.Len() != len(tt.ids) || !slices.Equal(got.IDs, tt.ids) || !slices.Equal(got.Labels, tt.labels) ||
			got.Classes != len(tt.classes) || !slices.Equal(got.ClassNames, tt.classes) || !slices.Equal(got.Notes, tt.notes) {
			t.Errorf("%s: %s, ids %q, labels %v, classes %q, notes %q", tt.spec, sizeText(got.H, got.W, got.C), got.IDs, got.Labels, got.ClassNames, got.Notes)
		}
	}
	kinds := mustLoadImages(t, "kinds", nil)
	for i, want := range [][3]uint8{{204, 0, 0}, {90, 90, 90}, {204, 0, 0}, {90, 90, 90}, {153, 153, 153}, {204, 0, 0}, {90, 90, 90}} {
		for k, v := range kinds.At(i) {
			// GIF has a palette, JPEG its losses.
			if d := int(v) - int(want[k%3]); d < -6 || d > 6 {
				t.Errorf("%s: pixel %v, want %v", kinds.ID(i), kinds.At(i)[:3], want)
				break
			}
		}
	}
}

// TestFolderGIF lays a first frame that is smaller than the picture on white.
func TestFolderGIF(t *testing.T) {
	frame := image.NewPaletted(image.Rect(1, 1, 3, 3), color.Palette{color.Black})
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "a.gif"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := gif.EncodeAll(f, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 4, Height: 4, ColorModel: frame.Palette}}); err != nil {
		t.Fatal(err)
	}
	im := mustLoadImages(t, dir, &ImageOptions{Channels: 1})
	want := []uint8{255, 255, 255, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 255, 255, 255}
	if !slices.Equal(im.Pix, want) {
		t.Errorf("%v", im.Pix)
	}
}

func TestLoadFolderErrors(t *testing.T) {
	good := encode(t, "png", paint(4, 4, color.Gray{9}))
	big := encode(t, "png", paint(40, 40, color.RGBA{1, 2, 3, 255}))
	dir := writeTree(t, map[string][]byte{
		"empty/notes.txt": nil, "sizes/a.png": good, "sizes/b.png": big,
		"cut/a.png": good, "cut/b.png": big[:len(big)-20], "head/a.png": big[:10], "text/a.jpg": []byte("hello"), "none/a.gif": nil,
		"damaged/a.png": func() []byte { b := slices.Clone(big); b[45] ^= 0x55; return b }(),
		"huge/a.png":    pngOf(1<<13, 1<<13, []byte{8, 2, 0, 0, 0}), "vast/a.gif": []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"),
		"loop/a.png": good, "loop/sub/b.png": good, "dangling/a.png": good,
	})
	for link, to := range map[string]string{"loop/sub/up": "..", "dangling/b.png": "gone.png"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ spec, file, want string }{
		{"empty", "empty", "the folder has no images (.png, .jpg, .jpeg, .gif, .bmp or .webp)"},
		{"sizes", "sizes", "the images differ in size: a.png is 4×4, b.png is 40×40 (bring them to one size)"},
		{"cut[1:]", "cut/b.png", "the file is cut short"},
		{"head", "head/a.png", "the file is cut short"},
		{"text", "text/a.jpg", "is not a PNG, JPEG, GIF, BMP or WebP image, though its name says so"},
		{"none", "none/a.gif", "is not a PNG, JPEG, GIF, BMP or WebP image, though its name says so"},
		{"damaged", "damaged/a.png", "cannot be decoded: "},
		{"huge", "huge/a.png", "its header claims 8192×8192 pixels, more than 33 bytes can hold"},
		{"vast", "vast/a.gif", "its header claims 65535×65535 pixels, more than 13 bytes can hold; the file is damaged"},
		{"loop", "loop/sub/up", "is a link that leads back to a folder above it"},
		{"dangling", "dangling/b.png", "no such file"},
		{"sizes[2:3]", "sizes", "the range [2:3] goes beyond the 2 images that there are"},
	} {
		_, err := LoadImages(filepath.Join(dir, tt.spec), nil)
		if want := filepath.Join(dir, filepath.FromSlash(tt.file)) + ": " + tt.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestFolderLinks follows links to files and folders, the root among them.
func TestFolderLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir := writeTree(t, map[string][]byte{"real/sub/a.png": encode(t, "png", paint(4, 4, color.Gray{9})), "far/b.png": encode(t, "png", paint(4, 4, color.Gray{7}))})
	for link, to := range map[string]string{"root": "real", "real/linked": "../far", "real/sub/c.png": "../../far/b.png"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	im := mustLoadImages(t, filepath.Join(dir, "root"), nil)
	if want := []string{"linked/b.png", "sub/a.png", "sub/c.png"}; !slices.Equal(im.IDs, want) || im.At(2)[0] != 7 || im.Classes != 2 {
		t.Errorf("%q", im.IDs)
	}
}
