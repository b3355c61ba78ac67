package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
)

// A judge scores generated images against clean ones, by a classifier that was
// trained on the clean ones, with one more class for outliers.
type judge struct {
	net     *features.Classifier
	clean   metrics.Vectors
	outlier int    // the class of outliers; −1 for none
	about   string // the classifier and the clean images, with their hashes
	id      string // the two hashes

	other      *features.Net // that the user asked for, too; nil for none
	otherClean metrics.Vectors

	mu sync.Mutex // networks run for one at a time
}

// judgeRows are the clean images that samples are compared with, and the
// samples that are drawn.
const judgeRows = 10_000

// A judgeMaker makes the judge of a study's samples when it is first asked for.
type judgeMaker struct {
	clean    string   // data set
	outliers []string // data sets, or dataset.Uniform for noise; there may be none
	like     setting  // whose images have the size and the colours of the samples

	mu   sync.Mutex
	made *judge
}

// newJudge returns the maker of a judge that knows clean images from outliers.
func newJudge(clean string, outliers ...string) *judgeMaker {
	return &judgeMaker{clean: clean, outliers: outliers}
}

// get returns the judge.
func (m *judgeMaker) get(ctx context.Context, l *lab) (*judge, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made != nil {
		return m.made, nil
	}
	data, err := m.like.load(&m.like.config)
	if err != nil {
		return nil, err
	}
	m.made, err = makeJudge(ctx, l, data.Shape[0], data.Shape[2], m.clean, m.outliers...)
	return m.made, err
}

// makeJudge trains a judge, or reads the one that an earlier run left. The
// images are brought to the size and colours that the runs have.
func makeJudge(ctx context.Context, l *lab, size, channels int, clean string, outliers ...string) (*judge, error) {
	opts := &dataset.ImageOptions{Size: size, Channels: channels}
	good, err := dataset.LoadImages(clean, opts)
	if err != nil {
		return nil, err
	}
	j := &judge{outlier: -1}
	labelled := good
	if len(outliers) > 0 {
		bad, err := foreign(good, outliers, opts)
		if err != nil {
			return nil, err
		}
		if labelled, err = features.WithOutliers(good, bad); err != nil {
			return nil, err
		}
		j.outlier = labelled.Classes - 1
	}
	if j.net, err = judgeNet(ctx, l, labelled); err != nil {
		return nil, err
	}
	rows := judgeRows
	if l.Quick {
		rows = 1000
	}
	good = firstImages(good, rows)
	compared := good.Hash()[:12]
	j.id = j.net.Hash() + "/" + compared
	j.about = fmt.Sprintf("a classifier that is right on %.1f %% of held-back images (%s), against %d images of %s (%s)",
		100*j.net.Accuracy(), j.net.Hash(), good.Len(), strings.ReplaceAll(clean, filepath.Clean(l.Data)+string(filepath.Separator), ""), compared)
	if j.clean, err = embed(ctx, j.net, good); err != nil || l.Features == "" {
		return j, err
	}
	if j.other, err = features.Open(l.Backend, l.Features); err != nil {
		return nil, err
	}
	j.otherClean, err = embed(ctx, j.other, good)
	return j, err
}

// judgeNet returns the classifier of labelled images: the one that an earlier
// run, or another process, left beside the experiments, or a new one.
func judgeNet(ctx context.Context, l *lab, labelled *dataset.Images) (*features.Classifier, error) {
	steps := 0 // what its size asks for
	if l.Quick {
		steps = 100
	}
	k, err := newKey("judge", []any{labelled.Hash(), steps})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(l.dir), "judges", k.hash+".safetensors")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	net, err := features.OpenClassifier(l.Backend, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return net, err
	}
	// Processes that run parts of an experiment must have the same judge.
	lock, err := l.locks.waitFor(ctx, "judge-"+k.hash)
	if err != nil {
		return nil, err
	}
	defer lock.release()
	net, err = features.OpenClassifier(l.Backend, path)
	if errors.Is(err, fs.ErrNotExist) {
		if net, err = features.TrainClassifier(ctx, l.Backend, labelled, &features.ClassifierOptions{Steps: steps}); err == nil {
			err = net.Save(path)
		}
	}
	return net, err
}

func embed(ctx context.Context, net features.Embedder, im *dataset.Images) (metrics.Vectors, error) {
	vectors, err := net.Embed(ctx, im, nil)
	return metrics.Vectors{Dim: net.Dim(), Values: vectors}, err
}

// foreign are the images of several data sets, in the form of good.
func foreign(good *dataset.Images, specs []string, opts *dataset.ImageOptions) (*dataset.Images, error) {
	all := &dataset.Images{Name: strings.Join(specs, " and "), H: good.H, W: good.W, C: good.C}
	for _, spec := range specs {
		var im *dataset.Images
		if spec == dataset.Uniform {
			im = dataset.NoiseImages(good.Len()/10+1, good.H, good.W, good.C, 1)
		} else {
			var err error
			if im, err = dataset.LoadImages(spec, opts); err != nil {
				return nil, err
			}
		}
		all.Pix = append(all.Pix, im.Pix...)
	}
	return all, nil
}

// firstImages are at most n images of im.
func firstImages(im *dataset.Images, n int) *dataset.Images {
	n = min(n, im.Len())
	out := *im
	out.Pix = im.Pix[:n*im.H*im.W*im.C]
	if im.Labels != nil {
		out.Labels = im.Labels[:n]
	}
	out.Outlier, out.IDs = nil, nil
	return &out
}

// A verdict is what a judge says about samples.
type verdict struct {
	Distance float64   `json:"distance"` // Fréchet distance of the classifier's features to the clean images'
	KID      float64   `json:"kid"`
	KIDError float64   `json:"kid_stderr"`
	Score    float64   `json:"score"`         // Inception score with the classifier's classes, outliers left out
	Outliers float64   `json:"outlier_share"` // of the samples; −1 where it does not know outliers
	Shares   []float64 `json:"shares"`        // of the classes
	Judge    string    `json:"judge,omitempty"`
	FID      *float64  `json:"fid,omitempty"` // Fréchet distance by the network that the user asked for, nil for none
	FIDBy    string    `json:"fid_by,omitempty"`
}

func (j *judge) score(ctx context.Context, im *dataset.Images, seed uint64) (v verdict, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	v.Judge = j.about
	if j.other != nil {
		x, err := embed(ctx, j.other, im)
		if err != nil {
			return v, err
		}
		fid, err := metrics.FID(x, j.otherClean)
		if err != nil {
			return v, err
		}
		v.FID, v.FIDBy = &fid, fmt.Sprintf("%s (%s)", j.other.Name(), j.other.Hash())
	}
	vectors, p, err := j.net.Classify(ctx, im, nil)
	if err != nil {
		return v, err
	}
	x := metrics.Vectors{Dim: j.net.Dim(), Values: vectors}
	if v.Distance, err = metrics.FID(x, j.clean); err != nil {
		return v, err
	}
	kid, err := metrics.KID(x, j.clean, &metrics.KIDOptions{Subsets: 20, Size: min(1000, x.Len(), j.clean.Len()), Seed: seed})
	if err != nil {
		return v, err
	}
	v.KID, v.KIDError = kid.Mean, kid.StdErr()
	classes := j.net.Classes()
	v.Shares = make([]float64, classes)
	n := len(p) / classes
	var good []float32 // probabilities of the classes of clean images
	for i := range n {
		row := p[i*classes : (i+1)*classes]
		best := 0
		for k, q := range row {
			if q > row[best] {
				best = k
			}
		}
		v.Shares[best] += 1 / float64(n)
		if j.outlier < 0 {
			good = append(good, row...)
			continue
		}
		rest := 0.0
		for k, q := range row {
			if k != j.outlier {
				rest += float64(q)
			}
		}
		for k, q := range row {
			switch {
			case k == j.outlier:
			case rest > 0:
				good = append(good, float32(float64(q)/rest))
			default: // sure that it is an outlier
				good = append(good, 1/float32(classes-1))
			}
		}
	}
	v.Outliers = -1
	if j.outlier >= 0 {
		v.Outliers = v.Shares[j.outlier]
		classes--
	}
	if classes > 1 {
		s, err := metrics.InceptionScore(metrics.Vectors{Dim: classes, Values: good}, min(10, max(1, n/100)))
		if err != nil {
			return v, err
		}
		v.Score = s.Mean
	}
	return v, nil
}
