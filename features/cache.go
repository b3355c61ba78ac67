package features

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
)

// classifierVersion is part of the name of a cached classifier: raise it when
// its training changes.
const classifierVersion = 1

// cachePath is the file in dir of the classifier of im that was trained for so
// many steps; 0 stands for the default number.
func cachePath(dir string, im *dataset.Images, steps int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", classifierVersion, steps, im.Hash()))
	return filepath.Join(dir, "classifier-"+hex.EncodeToString(sum[:8])+".safetensors")
}

// OpenCached opens the classifier of the images and labels im that SaveCached
// has put into the folder dir. One that is not there, or damaged, is an error.
func OpenCached(b *engine.Backend, dir string, im *dataset.Images, steps int) (*Classifier, error) {
	return OpenClassifier(b, cachePath(dir, im, steps))
}

// SaveCached puts the classifier c, trained on im for so many steps, into the
// folder dir, which it makes if need be.
func SaveCached(c *Classifier, dir string, im *dataset.Images, steps int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return c.Save(cachePath(dir, im, steps))
}

// LoadWithOutliers is WithOutliers with the images of spec as outliers, or with
// noise where it is the word uniform. There are at most as many as clean images:
// a class that outweighs all others is what a classifier sees everywhere.
func LoadWithOutliers(clean *dataset.Images, spec string, seed uint64) (*dataset.Images, error) {
	if spec == dataset.Uniform {
		return WithOutliers(clean, dataset.NoiseImages(clean.Len(), clean.H, clean.W, clean.C, seed))
	}
	outliers, err := dataset.LoadImages(spec, &dataset.ImageOptions{Size: clean.H, Channels: clean.C})
	if err != nil {
		return nil, err
	}
	return WithOutliers(clean, thinned(outliers, clean.Len()))
}

// thinned is n images of im, evenly spread, where it has more.
func thinned(im *dataset.Images, n int) *dataset.Images {
	total := im.Len()
	if total <= n {
		return im
	}
	out := &dataset.Images{Name: im.Name, H: im.H, W: im.W, C: im.C}
	for i := range n {
		out.Pix = append(out.Pix, im.At(i*total/n)...)
	}
	return out
}
