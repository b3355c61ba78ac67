package dataset

import (
	"errors"
	"image"
	"image/color"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// faces is a small CelebA: three faces of 4×6 pixels, red above, gray in the
// middle, blue below.
func faces(t *testing.T) map[string][]byte {
	t.Helper()
	face := image.NewRGBA(image.Rect(0, 0, 4, 6))
	for y, c := range []color.RGBA{{255, 0, 0, 255}, {90, 90, 90, 255}, {90, 90, 90, 255}, {90, 90, 90, 255}, {90, 90, 90, 255}, {0, 0, 255, 255}} {
		for x := range 4 {
			face.SetRGBA(x, y, c)
		}
	}
	png := encode(t, "png", face)
	return map[string][]byte{
		"list_attr_celeba.txt": []byte("3\nBald Male \n000001.jpg -1  1 \n000002.jpg  1 -1\n000003.jpg -1  1\n"),
		// PNG by content, so that the pixels are exact.
		"img_align_celeba/000001.jpg": png, "img_align_celeba/000002.jpg": png, "img_align_celeba/000003.jpg": png,
	}
}

func TestLoadCelebA(t *testing.T) {
	dir := writeTree(t, faces(t))
	for _, tt := range []struct {
		spec    string
		ids     string
		labels  []int32
		classes []string
	}{
		{",Male", "000001.jpg 000002.jpg 000003.jpg", []int32{1, 0, 1}, []string{"not Male", "Male"}},
		{",Bald", "000001.jpg 000002.jpg 000003.jpg", []int32{0, 1, 0}, []string{"not Bald", "Bald"}},
		{"", "000001.jpg 000002.jpg 000003.jpg", nil, nil},
		{"[1:]", "000002.jpg 000003.jpg", nil, nil},
		{",Male[label=1]", "000001.jpg 000003.jpg", []int32{1, 1}, []string{"not Male", "Male"}},
		{",Male[label=Male][1:]", "000003.jpg", []int32{1}, []string{"not Male", "Male"}},
		{",Male[label!=Male]", "000002.jpg", []int32{0}, []string{"not Male", "Male"}},
		{",Male[label=0]", "000002.jpg", []int32{0}, []string{"not Male", "Male"}},
		{",Male[::2]", "000001.jpg 000003.jpg", []int32{1, 1}, []string{"not Male", "Male"}},
	} {
		spec := "celeba:" + dir + tt.spec
		if !IsImages(spec) {
			t.Errorf("%s is not taken for images", tt.spec)
		}
		im := mustLoadImages(t, spec, nil)
		if strings.Join(im.IDs, " ") != tt.ids || !slices.Equal(im.Labels, tt.labels) || !slices.Equal(im.ClassNames, tt.classes) || im.Classes != len(tt.classes) || im.Name != spec {
			t.Errorf("%s: %q, labels %v, classes %q", tt.spec, im.IDs, im.Labels, im.ClassNames)
		}
		if im.H != 4 || im.W != 4 || im.C != 3 || slices.ContainsFunc(im.Pix, func(v uint8) bool { return v != 90 }) {
			t.Errorf("%s: %s, not the gray square in the middle: %v", tt.spec, sizeText(im.H, im.W, im.C), im.At(0))
		}
	}
	im := mustLoadImages(t, "celeba:"+dir, &ImageOptions{Size: 2, Channels: 1})
	if want := []string{"3 of 3 images cropped to the square in their middle", "3 of 3 images resized to 2×2", "3 of 3 images converted to gray"}; im.H != 2 || im.C != 1 || !slices.Equal(im.Notes, want) {
		t.Errorf("%s, notes %q", sizeText(im.H, im.W, im.C), im.Notes)
	}
	mixed, err := mustLoadImages(t, "synth:shapes,n=10", &ImageOptions{Size: 8, Channels: 3}).Mix("celeba:"+dir+",Male[label=Male]@0.2", 1)
	if err != nil || mixed.H != 8 {
		t.Errorf("mixed in: %v", err)
	}
	want := []string{filepath.Join(dir, "list_attr_celeba.txt"), filepath.Join(dir, "img_align_celeba", "000001.jpg")}
	if got := SpecFiles("celeba:" + dir + ",Male[:2]"); len(got) != 4 || !slices.Equal(got[:2], want) {
		t.Errorf("files %q", got)
	}
}

// TestCelebALayouts reads CelebA as its makers and as others lay it out.
func TestCelebALayouts(t *testing.T) {
	files := faces(t)
	csv := []byte("image_id,Bald,Male\r\n000001.jpg,-1,1\r\n000002.jpg,1,-1\r\n000003.jpg,-1,1\r\n")
	for name, move := range map[string]func(name string) string{
		"makers": func(name string) string {
			if name == "list_attr_celeba.txt" {
				return "Anno/" + name
			}
			return "Img/" + name
		},
		"nested": func(name string) string { return strings.Replace(name, "img_", "img_align_celeba/img_", 1) },
		"csv": func(name string) string {
			return strings.Replace(name, ".txt", ".csv", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			moved := map[string][]byte{}
			for n, data := range files {
				if n = move(n); strings.HasSuffix(n, ".csv") {
					data = csv
				}
				moved[n] = data
			}
			im := mustLoadImages(t, "celeba:"+writeTree(t, moved)+",Male", nil)
			if !slices.Equal(im.Labels, []int32{1, 0, 1}) || im.ID(1) != "000002.jpg" {
				t.Errorf("labels %v of %q", im.Labels, im.IDs)
			}
		})
	}
}

// TestCelebAReadsAPart: what is not picked need not even be there.
func TestCelebAReadsAPart(t *testing.T) {
	files := faces(t)
	delete(files, "img_align_celeba/000002.jpg")
	dir := writeTree(t, files)
	for _, part := range []string{"[:1]", ",Male[label=Male]", "[::2]"} {
		mustLoadImages(t, "celeba:"+dir+part, nil)
	}
	_, err := LoadImages("celeba:"+dir, nil)
	want := filepath.Join(dir, "list_attr_celeba.txt") + ":4: " + filepath.Join(dir, "img_align_celeba", "000002.jpg") + " is not there"
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	// The same of a folder of classes.
	small := encode(t, "png", paint(4, 4, color.Gray{9}))
	dir = writeTree(t, map[string][]byte{"cat/a.png": small, "dog/b.png": []byte("no image"), "dog/c.png": small})
	for _, part := range []string{"[label=cat]", "[::2]"} {
		mustLoadImages(t, dir+part, nil)
	}
}

func TestLoadCelebAErrors(t *testing.T) {
	const list, image = "list_attr_celeba.txt", "img_align_celeba/000001.jpg"
	for _, tt := range []struct {
		name, list, spec string
		file, want       string
	}{
		{"count", "three\nBald Male\n", "", list + ":1", `"three" is not the number of images`},
		{"empty", "", "", list + ":1", `"" is not the number of images`},
		{"more than there are", "2\nBald Male\n000001.jpg 1 1\n", "", list + ":1", "the list is to have 2 images, and has 1"},
		{"fewer", "1\nMale\n000001.jpg 1\n000002.jpg 1\n", "", list + ":1", "the list is to have 1 images, and has 2"},
		{"no names", "2\n", "", list + ":1", "the names of the attributes are missing"},
		{"attribute", "1\nBald Male\n000001.jpg 1 1\n", ",male", list + ":2", `there is no attribute "male"; there are Bald, Male`},
		{"too few values", "1\nBald Male\n000001.jpg 1\n", "", list + ":3", "has 1 values for 2 attributes"},
		{"value", "2\nBald Male\n000001.jpg 1 1\n000001.jpg 1 7\n", ",Male", list + ":4", `Male is "7" and must be 1 or -1`},
		{"no image", "1\nMale\n../list.txt 1\n", "", list + ":3", `"../list.txt" is not the name of an image`},
		{"damaged", "1\nMale\n000001.jpg 1\n", "", image, "is not a PNG, JPEG, GIF, BMP or WebP image"},
		{"range", "1\nMale\n000001.jpg 1\n", "[:5]", "celeba:", "the range [:5] goes beyond the 1 images that there are"},
		{"class", "1\nMale\n000001.jpg 1\n", ",Male[label=2]", "celeba:", `[label=2]: no class is called "2"; there are not Male, Male`},
		{"nobody", "1\nMale\n000001.jpg 1\n", ",Male[label=0]", "celeba:", "[label=0] leaves no images"},
		{"no labels", "1\nMale\n000001.jpg 1\n", "[label=1]", "celeba:", "[label=1]: the images have no labels"},
		{"none of them", "1\nMale\n000001.jpg 1\n", "[::0]", "celeba:", "the range [::0] takes one of 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeTree(t, map[string][]byte{list: []byte(tt.list), image: []byte("hello")})
			_, err := LoadImages("celeba:"+dir+tt.spec, nil)
			file := filepath.Join(dir, filepath.FromSlash(tt.file))
			if tt.file == "celeba:" {
				file = "celeba:" + dir
			}
			if err == nil || !strings.HasPrefix(err.Error(), file) || !strings.Contains(err.Error(), ": "+tt.want) {
				t.Errorf("got  %v\nwant %s: %s", err, file, tt.want)
			}
		})
	}
	for gone, want := range map[string]string{list: list + ": no such file; CelebA has", "img_": "img_align_celeba: no such folder; CelebA has", "": ": no such folder"} {
		files := maps.Clone(faces(t))
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, gone) })
		dir := writeTree(t, files)
		if gone == "" {
			dir = filepath.Join(dir, "gone")
		}
		if err := CheckCelebA(dir, "Male"); err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestEvery takes every so-manyth of rows, too.
func TestEvery(t *testing.T) {
	for spec, want := range map[string][]float64{
		"[::2]": {0, 2, 4}, "[1::3]": {1, 4}, "[1:4:2]": {1, 3}, "[::1]": {0, 1, 2, 3, 4}, "[::9]": {0}, "[::2][1:]": {2, 4}, "[::9223372036854775807]": {0},
	} {
		file := filepath.Join(writeTree(t, map[string][]byte{"a.csv": []byte("x\n0\n1\n2\n3\n4\n")}), "a.csv")
		if got := mustLoad(t, file+spec); !slices.Equal(got.Points.Coords, want) {
			t.Errorf("%s: %v, want %v", spec, got.Points.Coords, want)
		}
	}
	digits := mustLoadImages(t, "synth:digits,n=10[::4]", nil)
	if strings.Join(digits.IDs, " ") != "0 4 8" {
		t.Errorf("ids %q", digits.IDs)
	}
}
