package dataset

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestRealImages checks data that is known from elsewhere.
func TestRealImages(t *testing.T) {
	for _, tt := range []struct {
		name, images, labels string
		n, h, c, classes     int
		mean                 float64 // of the first channel
		first                int     // images with label 0
	}{
		{"mnist", "mnist/t10k-images-idx3-ubyte.gz", "", 10000, 28, 1, 10, 0.1325, 980},
		{"usps", "usps/usps-test-images-idx3-ubyte.gz", "", 2007, 16, 1, 10, 0.26, 359},
		{"mnist-m", "mnist-m/test.png", "mnist-m/test-labels-idx1-ubyte.gz", 1000, 32, 3, 10, 0.467, 85},
		{"pacs sketch", "pacs/sketch64.png", "pacs/sketch64-labels-idx1-ubyte.gz", 3929, 64, 1, 7, 0.9527, 772},
		{"pacs photo", "pacs/photo64.png", "pacs/photo64-labels-idx1-ubyte.gz", 1670, 64, 3, 7, 0.5085, 189},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := realData(t, tt.images)
			if tt.labels != "" {
				spec = "stack:" + spec + "," + realData(t, tt.labels)
			}
			im := mustLoadImages(t, spec, nil)
			info := im.Info()
			if info.N != tt.n || im.H != tt.h || im.W != tt.h || im.C != tt.c || info.Classes != tt.classes {
				t.Errorf("%d images of %s, %d classes", info.N, sizeText(im.H, im.W, im.C), info.Classes)
			}
			if math.Abs(info.Mean[0]-tt.mean) > 0.01 || info.Labels[0].Count != tt.first {
				t.Errorf("mean %v, %d images of class 0", info.Mean, info.Labels[0].Count)
			}
		})
	}
}

// TestRealFeatures checks feature sets against what is known of them.
func TestRealFeatures(t *testing.T) {
	for _, tt := range []struct {
		file, spec    string
		n, d, classes int
		first         string // label
	}{
		{"office-caltech10/surf.npz", ":amazon_x,amazon_y", 958, 800, 10, "1"},
		{"office-caltech10/surf.npz", ":caltech10_x,caltech10_y", 1123, 800, 10, "1"},
		{"office-caltech10/surf.npz", ":dslr_x,dslr_y", 157, 800, 10, "1"},
		{"office-caltech10/surf.npz", ":webcam_x,webcam_y", 295, 800, 10, "1"},
		{"office-caltech10/surf.npz", ":webcam_x,webcam_y[label!=9|10][:50]", 50, 800, 2, "1"},
		{"office-caltech10/efficientnet_lite4_f16.npz", ":features,label", 2533, 1280, 10, "0"},
		{"office-caltech10/efficientnet_lite4_f16.npz", ":features,label[domain=0]", 958, 1280, 10, "0"},
		{"office-caltech10/efficientnet_lite4_f16.npz", ":features,label[domain=1]", 1123, 1280, 10, "0"},
		{"office-caltech10/efficientnet_lite4_f16.npz", ":features,label[domain=2]", 157, 1280, 10, "0"},
		{"office-caltech10/efficientnet_lite4_f16.npz", ":features,label[domain=3]", 295, 1280, 10, "0"},
		{"pacs/mobilenetv2_u8.npz", ":features*scale,label[domain=0]", 2048, 1280, 7, "0"},
		{"pacs/mobilenetv2_u8.npz", ":features*scale,label[domain=1]", 2344, 1280, 7, "0"},
		{"pacs/mobilenetv2_u8.npz", ":features*scale,label[domain=2]", 1670, 1280, 7, "0"},
		{"pacs/mobilenetv2_u8.npz", ":features*scale,label[domain=3]", 3929, 1280, 7, "0"},
		{"pacs/mobilenetv2_u8.npz", ":features*scale,label[domain=3][label=0|4]", 1588, 1280, 2, "0"},
	} {
		t.Run(tt.file+tt.spec, func(t *testing.T) {
			got := mustLoad(t, realData(t, tt.file)+tt.spec)
			names, index := got.Classes()
			if got.Points.Len() != tt.n || got.Points.Dim != tt.d || len(names) != tt.classes || len(index) != tt.n || names[0] != tt.first {
				t.Errorf("%d rows of %d, classes %q", got.Points.Len(), got.Points.Dim, names)
			}
		})
	}
}

// TestRealAnomalies reads every set of ADBench with its marks.
func TestRealAnomalies(t *testing.T) {
	files, err := filepath.Glob(realData(t, "adbench/*.npz"))
	if err != nil || len(files) != 26 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > 1<<20 {
			continue
		}
		table := mustLoad(t, file+":X,y")
		marks, err := table.Marks()
		if err != nil || !slices.Contains(marks, true) || !slices.Contains(marks, false) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestStackIsPNG compares a whole stack with what image/png makes of it.
func TestStackIsPNG(t *testing.T) {
	file := realData(t, "mnist-m/test.png")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if im := mustLoadImages(t, "stack:"+file, nil); !samePixels(im, img) {
		t.Error("the pixels differ")
	}
}

// TestStackMemory loads 10 000 images in not much more than their own memory.
func TestStackMemory(t *testing.T) {
	spec := "stack:" + realData(t, "cifar10/data_batch_1.png")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	im := mustLoadImages(t, spec, nil)
	runtime.ReadMemStats(&after)
	// All that was ever allocated bounds what was in use at once.
	used, raw := after.TotalAlloc-before.TotalAlloc, uint64(len(im.Pix))
	if im.Len() != 10_000 || used > raw+raw/2 {
		t.Errorf("%d images took %d bytes for %d", im.Len(), used, raw)
	}
}
