package features

import (
	"context"
	"errors"
	"fmt"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
)

// ErrNoLabels is wrapped by the error about images that a classifier cannot
// learn from.
var ErrNoLabels = errors.New("has no labels to learn")

// classifierSeed is that of every classifier that Networks trains: scores of
// several runs are to be of one network.
const classifierSeed = 1

// Networks are what images can be looked at with, by name. Classifiers are
// trained when they are needed, and kept. All but Backend may be left out.
type Networks struct {
	Backend  func() (*engine.Backend, error) // where networks run; called once at most
	CacheDir string                          // for classifiers; "": they are not kept
	Steps    int                             // of the training of a classifier; 0 means its default

	// What is told on the way: a classifier of the cache is used, one is trained,
	// how far that is, and how it ended; kept is why it is not in the cache.
	Found    func(im *dataset.Images)
	Training func(im *dataset.Images, b *engine.Backend)
	Progress func(step, steps int, loss float64)
	Trained  func(c *Classifier, kept error)

	backend *engine.Backend
}

// Open returns what a name stands for: the descriptor ("" or "descriptor"), a
// classifier of the labels of im ("classifier"), or the network in a file.
func (n *Networks) Open(ctx context.Context, name string, im *dataset.Images) (Embedder, error) {
	switch name {
	case "", "descriptor":
		return Descriptor{}, nil
	case "classifier":
		if im.Labels == nil {
			return nil, fmt.Errorf("features: %s %w", im.Name, ErrNoLabels)
		}
		return n.Classifier(ctx, im)
	}
	b, err := n.open()
	if err != nil {
		return nil, err
	}
	return Open(b, name)
}

// Judge returns the classifier that tells the images of outliers, a spec or the
// word uniform, from the classes of clean.
func (n *Networks) Judge(ctx context.Context, clean *dataset.Images, outliers string) (*Classifier, error) {
	both, err := LoadWithOutliers(clean, outliers, classifierSeed)
	if err != nil {
		return nil, err
	}
	return n.Classifier(ctx, both)
}

// Classifier returns the classifier of im: from the cache, or trained now and put
// there.
func (n *Networks) Classifier(ctx context.Context, im *dataset.Images) (*Classifier, error) {
	b, err := n.open()
	if err != nil {
		return nil, err
	}
	if n.CacheDir != "" {
		// One that is damaged is as good as none.
		if c, err := OpenCached(b, n.CacheDir, im, n.Steps); err == nil {
			if n.Found != nil {
				n.Found(im)
			}
			return c, nil
		}
	}
	if n.Training != nil {
		n.Training(im, b)
	}
	c, err := TrainClassifier(ctx, b, im, &ClassifierOptions{Seed: classifierSeed, Steps: n.Steps, Progress: n.Progress})
	if err != nil {
		return nil, err
	}
	var kept error // A cache that cannot be used is no reason to fail.
	if n.CacheDir != "" {
		kept = SaveCached(c, n.CacheDir, im, n.Steps)
	}
	if n.Trained != nil {
		n.Trained(c, kept)
	}
	return c, nil
}

func (n *Networks) open() (_ *engine.Backend, err error) {
	if n.backend == nil {
		n.backend, err = n.Backend()
	}
	return n.backend, err
}
