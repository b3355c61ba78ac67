package experiments

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writePicture writes an image of noise around a colour, as PNG or JPEG.
func writePicture(t *testing.T, path string, w, h int, around color.RGBA, rng *rand.Rand) {
	t.Helper()
	im := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			noise := uint8(rng.IntN(40))
			im.SetRGBA(x, y, color.RGBA{around.R + noise, around.G + noise, around.B + noise, 255})
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(path) == ".png" {
		err = png.Encode(f, im)
	} else {
		err = jpeg.Encode(f, im, nil)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

var visdaClasses = []string{"aeroplane", "bicycle", "bus", "car"}

// visdaFolder writes a small stand-in for VisDA-17: a colour for each class,
// and sizes that differ.
func visdaFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 1))
	for k, class := range visdaClasses {
		for i := range 9 {
			c := color.RGBA{uint8(60 * k), uint8(200 - 60*k), 90, 255}
			writePicture(t, filepath.Join(dir, "train", class, fmt.Sprintf("src_%d.png", i)), 40+i, 30, c, rng)
			c.B = 140
			writePicture(t, filepath.Join(dir, "validation", class, fmt.Sprintf("%d.jpg", i)), 50, 35+i, c, rng)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "train", "image_list.txt"), []byte("aeroplane/src_0.png 0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestVisDA runs the quick form on the stand-in and finds its cells again.
func TestVisDA(t *testing.T) {
	o := options(t)
	o.VisDA = visdaFolder(t)
	ran := 0
	o.Done = func(string, int, int) { ran++ }
	o.Parts = []string{"visda"}
	res, err := table2.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## VisDA-17, ResNet-18", "from scratch", "scaled to 32×32 pixels", "| renders → photographs |", "**Clean**", "**Open set**", "| AUROC of the weights |"} {
		if !strings.Contains(res.Markdown, want) {
			t.Errorf("the section lacks %q:\n%s", want, res.Markdown)
		}
	}
	cells := res.Sections[0].Numbers.([]adapted)
	if len(cells) != 10 || ran != 10 {
		t.Errorf("%d cells, of which %d ran; want 10", len(cells), ran)
	}
	for _, c := range cells {
		if c.Accuracy < 0 || c.Accuracy > 1 || (c.AUROC >= 0) != (c.Form == openSet && strings.HasPrefix(c.Column, "robust")) {
			t.Errorf("cell %+v", c)
		}
	}
	if _, err := table2.Run(context.Background(), o); err != nil || ran != 10 {
		t.Errorf("a second run ran %d cells, %v", ran-10, err)
	}
}

// TestVisDAConfig: the paper's settings, all images, the network of the file,
// and other classes left out at each seed.
func TestVisDAConfig(t *testing.T) {
	o := options(t)
	o.Quick = false
	o.VisDA = visdaFolder(t)
	pairs, st, err := visdaPairs(&o)
	if err != nil || len(pairs) != 2 || !strings.Contains(st.notes[0], "from scratch") {
		t.Fatalf("%d pairs, %v, %v", len(pairs), st, err)
	}
	c := pairs[0].config
	if c.Net != "resnet18" || c.Size != 112 || !c.Flip || !c.Crop || c.Steps != 20_000 || c.Batch != 28 || c.LR != 0.005 || strings.Contains(c.Source, "[") {
		t.Errorf("config %+v", c)
	}
	for seed, want := range []string{"train[label!=aeroplane|bicycle]", "train[label!=bus|car]", "train[label!=aeroplane|bicycle]"} {
		if got := pairs[1].open(seed); got != filepath.Join(o.VisDA, want) {
			t.Errorf("seed %d leaves out %s", seed, got)
		}
	}
	o.Pretrained = weightsFile(t, "layer1.0.conv1", "layer1.0.conv3", "layer4.1.conv1", "layer3.5.conv3")
	if pairs, st, err = visdaPairs(&o); err != nil {
		t.Fatal(err)
	}
	c = pairs[0].config
	if c.Net != "resnet50" || c.Pretrained != o.Pretrained || c.LR != 0.0005 || len(pairs[0].weights) != 16 || !strings.Contains(st.notes[0], "started from weights.safetensors") {
		t.Errorf("config %+v, notes %q", c, st.notes)
	}
}

// weightsFile writes a safetensors file with tensors of these names.
func weightsFile(t *testing.T, names ...string) string {
	t.Helper()
	head := map[string]any{}
	for i, n := range names {
		head[n+".weight"] = map[string]any{"dtype": "F32", "shape": []int{1}, "data_offsets": []int{4 * i, 4 * (i + 1)}}
	}
	text, err := json.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	file = append(file, make([]byte, 4*len(names))...)
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPretrainedNet(t *testing.T) {
	for _, tt := range []struct {
		net    string
		layers []string
	}{
		{"resnet18", []string{"layer1.0.conv1", "layer4.1.conv1", "layer3.1.conv2"}},
		{"resnet34", []string{"layer1.0.conv1", "layer4.1.conv1", "layer3.5.conv2"}},
		{"resnet50", []string{"layer1.0.conv1", "layer1.0.conv3", "layer4.1.conv1", "layer3.5.conv2", "layer3.5.conv3"}},
		{"resnet101", []string{"layer1.0.conv1", "layer1.0.conv3", "layer4.1.conv1", "layer3.5.conv2", "layer3.22.conv3"}},
		{"", []string{"layer1.0.conv1", "layer1.0.conv3", "layer4.1.conv1", "layer3.22.conv3", "layer3.23.conv1"}}, // ResNet-152
		{"", []string{"features.0"}},
	} {
		file := weightsFile(t, tt.layers...)
		net, _, err := pretrainedNet(file)
		if net != tt.net || (err != nil) != (tt.net == "") {
			t.Errorf("%v: %q, %v; want %q", tt.layers, net, err, tt.net)
		}
	}
}

// celebaFolder writes a stand-in for CelebA: 200 faces of one colour, 40 of
// another, higher than wide.
func celebaFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(2, 2))
	var list strings.Builder
	list.WriteString("240\nBald Male Young\n")
	for i := range 240 {
		c, male := color.RGBA{150, 40, 40, 255}, -1
		if i%6 == 5 {
			c, male = color.RGBA{40, 40, 150, 255}, 1
		}
		name := fmt.Sprintf("%06d.jpg", i+1)
		fmt.Fprintf(&list, "%s -1 %2d  1\n", name, male)
		writePicture(t, filepath.Join(dir, "img_align_celeba", name), 20, 24, c, rng)
	}
	if err := os.WriteFile(filepath.Join(dir, "list_attr_celeba.txt"), []byte(list.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCelebA(t *testing.T) {
	o := options(t)
	o.CelebA = celebaFolder(t)
	res, err := modedrop.Run(context.Background(), o) // MNIST is not there
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## CelebA, males at 20 %", "| 20 % males |", "not run: ", "Scored by a classifier", "![samples]("} {
		if !strings.Contains(res.Markdown, want) {
			t.Errorf("the section lacks %q:\n%s", want, res.Markdown)
		}
	}
	for _, c := range res.Sections[1].Numbers.([]generated) {
		if !(c.Outliers >= 0 && c.Outliers < 1+1e-9) || c.Gamma != 0.2 || c.Stopped != "" {
			t.Errorf("%s: share %v at %v, %s", c.Model, c.Outliers, c.Gamma, c.Stopped)
		}
	}
}

// TestCelebASpecs: what the judge learns from is not what the GANs do.
func TestCelebASpecs(t *testing.T) {
	common, rare, judgeCommon, judgeRare := celebaSpecs(&Options{CelebA: "faces"})
	got := []string{common, rare, judgeCommon, judgeRare}
	want := []string{
		"celeba:faces,Male[label!=Male][:50000]", "celeba:faces,Male[label=Male][:10000]",
		"celeba:faces,Male[label!=Male][50000:70000]", "celeba:faces,Male[label=Male][10000:30000]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGivenParts: without their flags these parts are passed over, unless asked
// for; a folder that is not the data set is an error before anything is written.
func TestGivenParts(t *testing.T) {
	o := options(t)
	o.Out = filepath.Join(o.Out, "new")
	for _, e := range []Experiment{table2, sensitivity, modedrop} {
		parts, err := e.parts(&o)
		if err != nil || len(parts) != len(e.Parts)-1 || slices.ContainsFunc(parts, func(p string) bool { return GivenDataSet(p) != "" }) {
			t.Errorf("%s: parts %v, %v", e.Name, parts, err)
		}
	}
	asked := o
	asked.Parts = []string{"visda"}
	if _, err := table2.Run(context.Background(), asked); !errors.Is(err, ErrNothing) || !errors.As(err, new(*NotGivenError)) {
		t.Errorf("asked for: %v", err)
	}
	visda, celeba := visdaFolder(t), celebaFolder(t)
	less := func(path string) func(t *testing.T) {
		return func(t *testing.T) {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T)
		change func(o *Options)
		want   string
	}{
		{"weights of no ResNet", func(*testing.T) {}, func(o *Options) { o.VisDA, o.Pretrained = visda, weightsFile(t, "a") }, "its tensors are not those of ResNet-18"},
		{"no weights", func(*testing.T) {}, func(o *Options) { o.VisDA, o.Pretrained = visda, filepath.Join(visda, "gone") }, "gone: no such file"},
		{"a class of one domain", less(filepath.Join(visda, "validation", "bus")), func(o *Options) { o.VisDA = visda }, filepath.Join("validation", "bus") + " is not there; VisDA-17 has"},
		{"no target", less(filepath.Join(visda, "validation")), func(o *Options) { o.VisDA = visda }, "validation is not there"},
		{"no folder", less(visda), func(o *Options) { o.VisDA = visda }, "train is not there"},
		{"no images", less(filepath.Join(celeba, "img_align_celeba")), func(o *Options) { o.CelebA = celeba }, "img_align_celeba: no such folder"},
		{"no list", less(filepath.Join(celeba, "list_attr_celeba.txt")), func(o *Options) { o.CelebA = celeba }, "list_attr_celeba.txt: no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.damage(t)
			bad := o
			tt.change(&bad)
			if _, err := table2.Run(context.Background(), bad); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, err := os.Stat(o.Out); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the folder of results is there: %v", err)
			}
		})
	}
}
