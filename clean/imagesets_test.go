package clean

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// imageData has the image sets of docs/experiments.md.
const imageData = "../../shared/data"

// An imageKind is a kind of images, of which parts can be taken.
type imageKind struct {
	name, spec string
	size       int // 0: that of the files
	n          int // images there are
}

func (k imageKind) part(from, to int) string {
	if strings.HasPrefix(k.spec, "synth:") {
		return fmt.Sprintf("%s,n=%d,seed=%d", k.spec, to-from, from)
	}
	return fmt.Sprintf("%s[%d:%d]", k.spec, from, to)
}

func imageKinds() []imageKind {
	at := func(parts ...string) string {
		for i, p := range parts {
			parts[i] = filepath.Join(imageData, p)
		}
		return strings.Join(parts, ",")
	}
	return []imageKind{
		{"MNIST", at("mnist/train-images-idx3-ubyte.gz"), 0, 60000},
		{"USPS", at("usps/usps-train-images-idx3-ubyte.gz"), 0, 7291},
		{"MNIST-M", "stack:" + at("mnist-m/train.png", "mnist-m/train-labels-idx1-ubyte.gz"), 0, 5000},
		{"CIFAR-10", "stack:" + at("cifar10/data_batch_*.png", "cifar10/train-labels-idx1-ubyte.gz"), 0, 50000},
		{"sketches", "stack:" + at("pacs/sketch64.png", "pacs/sketch64-labels-idx1-ubyte.gz"), 32, 3929},
		{"photographs", "stack:" + at("pacs/photo64.png", "pacs/photo64-labels-idx1-ubyte.gz"), 32, 1670},
		{"drawn digits", "synth:digits", 0, 1 << 30},
		{"drawn shapes", "synth:shapes", 0, 1 << 30},
	}
}

// slowImages skips a test that takes minutes, and one whose data are not there.
func slowImages(t *testing.T) {
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("takes minutes: set ROT_SLOW=1")
	}
	if _, err := os.Stat(imageData); err != nil {
		t.Skipf("no images in %s", imageData)
	}
}

// described returns the built-in descriptor of a set of images.
func described(t *testing.T, im *dataset.Images) *ot.Points {
	t.Helper()
	x, err := features.Vectors(t.Context(), features.Descriptor{}, im, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func loadKind(t *testing.T, spec string, size int) *dataset.Images {
	t.Helper()
	im, err := dataset.LoadImages(spec, &dataset.ImageOptions{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// oddImages are what there is to find in sets that are of one kind by their
// labels. PACS has 80 sketches of each class from a collection that is not that of
// the others, and they come first.
var oddImages = map[string]string{
	"MNIST, class 1":          "44 of 1127 have serifs or a stroke on top, or are blots",
	"sketches 0 to 700":       "80 of another collection",
	"sketches 0 to 1500":      "160 of another collection, 80 of each of two classes",
	"sketches 0 to 2000":      "240 of another collection, 80 of each of three classes",
	"sketches, class 0":       "80 of another collection",
	"sketches, class 1":       "80 of another collection",
	"sketches, class 2":       "79 of 80 of another collection",
	"sketches, class 4":       "80 of another collection",
	"drawn digits 13 to 2613": "half of the zeros, which are the kind that lies farthest off",
}

// TestCleanImageSets: sets of images of one kind, of many sizes, have no crowd
// and no suspects, or those that are named.
func TestCleanImageSets(t *testing.T) {
	slowImages(t)
	for _, k := range imageKinds() {
		t.Run(k.name, func(t *testing.T) { cleanSetsOf(t, k) })
	}
}

func cleanSetsOf(t *testing.T, k imageKind) {
	type set struct{ name, spec string }
	var sets []set
	add := func(from, to int) {
		sets = append(sets, set{fmt.Sprintf("%s %d to %d", k.name, from, to), k.part(from, to)})
	}
	for a, size := range []int{20, 100, 300, 500, 700, 1000, 1500, 2000, 3000, 5000} {
		from := 0 // parts that have nothing in common, where there are enough images
		if k.n > 10000 {
			from = 4000 * a
		}
		if from+size <= k.n {
			add(from, from+size)
		}
	}
	switch {
	case strings.HasPrefix(k.spec, "synth:"):
		for seed := 11; seed < 19; seed++ {
			add(seed, seed+200*seed)
		}
	default:
		for c := range 10 {
			if c < 7 || k.n >= 5000 { // PACS has seven
				sets = append(sets, set{fmt.Sprintf("%s, class %d", k.name, c), fmt.Sprintf("%s[label=%d]", k.part(0, min(k.n, 10000)), c)})
			}
		}
	}
	alarms := 0
	for _, s := range sets {
		im := loadKind(t, s.spec, k.size)
		r := find(t, described(t, im), &Options{Unscaled: true})
		t.Logf("%s: %d images, %d suspects, crowds %v", s.name, im.Len(), count(r.Suspect), r.CrowdSizes())
		if r.Crowd != nil || count(r.Suspect) > 0 {
			if alarms++; oddImages[s.name] != "" {
				continue
			}
			t.Errorf("%s: %d images, %d suspects, crowds %v", s.name, im.Len(), count(r.Suspect), r.CrowdSizes())
		}
	}
	t.Logf("suspects in %d of %d sets", alarms, len(sets))
}

// TestMixedImageSets: images of one kind with a few of another. What is found is
// recorded in docs/benchmarks.md; what must be is digits among photographs and
// photographs among digits.
func TestMixedImageSets(t *testing.T) {
	slowImages(t)
	for _, k := range imageKinds() {
		t.Run(k.name, func(t *testing.T) { mixedSetsOf(t, k) })
	}
}

func mixedSetsOf(t *testing.T, a imageKind) {
	const most = 2000
	base := loadKind(t, a.part(0, min(most, a.n)), a.size)
	for _, b := range imageKinds() {
		if a.name != b.name {
			for _, share := range []float64{0.02, 0.05, 0.1} {
				spec := fmt.Sprintf("%s@%g", b.part(0, min(most, b.n)), share)
				im, err := base.Mix(spec, 1)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s with %g %% %s", a.name, 100*share, b.name)
				right, wrong := foundIn(t, name, im)
				if must := a.name == "MNIST" || a.name == "CIFAR-10" && (b.name == "MNIST" || b.name == "USPS" || b.name == "sketches"); must && (right < 0.9 || wrong > 0.3) {
					t.Errorf("%s: found %.2f of them, and %.2f as many others", name, right, wrong)
				}
			}
		}
	}
}

// TestTwoForeignKinds: a tenth of one kind and a few of another.
func TestTwoForeignKinds(t *testing.T) {
	slowImages(t)
	kinds := imageKinds()
	for _, pair := range [][2]int{{0, 1}, {3, 0}, {5, 0}} {
		a, b := kinds[pair[0]], kinds[pair[1]]
		for _, share := range []float64{0.05, 0.1} {
			im := loadKind(t, a.part(0, min(2000, a.n)), a.size)
			im, err := im.Mix(fmt.Sprintf("%s@%g", b.part(0, 3000), share), 1)
			if err != nil {
				t.Fatal(err)
			}
			if im, err = im.Mix(dataset.Uniform+"@0.02", 2); err != nil {
				t.Fatal(err)
			}
			foundIn(t, fmt.Sprintf("%s with %g %% %s and 2 %% noise", a.name, 100*share, b.name), im)
		}
	}
}

// foundIn says what Find makes of the images that were mixed into others: the
// part of them that it finds, and how many others, in units of all of them.
func foundIn(t *testing.T, name string, im *dataset.Images) (right, wrong float64) {
	t.Helper()
	r := find(t, described(t, im), &Options{Unscaled: true})
	foreign := float64(count(im.Outlier))
	for i, s := range r.Suspect {
		if s && im.Outlier[i] {
			right++
		} else if s {
			wrong++
		}
	}
	auroc, err := metrics.AUROC(r.Score, im.Outlier)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %v of %v found, %v wrong, crowds %v, AUROC %.4f", name, right, foreign, wrong, r.CrowdSizes(), auroc)
	return right / foreign, wrong / foreign
}
