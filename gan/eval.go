package gan

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
	"rot.example/rot/train"
)

// EvalOptions tunes Evaluate. The zero value is ready to use.
type EvalOptions struct {
	N    int    // samples; 0 means 10 000
	Seed uint64 // of the noise: the samples are those of Sample
	// Rows is how many vectors of either side KID, precision, recall, density
	// and coverage look at; 0 means 5000. Their time grows as its square.
	Rows int
	// Judge counts outliers: images of its last class. See
	// features.WithOutliers.
	Judge Classifier
	// CacheDir is a folder for the statistics of references, made when needed;
	// "" means that nothing is kept.
	CacheDir string
	Progress func(doing string, done, total int) // may be nil
}

// A Classifier is an Embedder that knows classes, as features.Net and
// features.Classifier do.
type Classifier interface {
	features.Embedder
	Classes() int
	Classify(ctx context.Context, im *dataset.Images, opts *features.Options) (vectors, probabilities []float32, err error)
}

const (
	evalSamples = 10_000
	evalRows    = 5000
	evalLeast   = 10 // samples: the Inception score has that many parts
	evalBlock   = 1024
	kidSize     = 1000
)

// Scores say how close the samples of a generator are to clean data; see
// docs/math.md §11.6. They can be compared where Features, FeaturesHash,
// Reference and the numbers of samples are the same.
type Scores struct {
	N, Rows                  int    // those of EvalOptions
	Reference, ReferenceHash string // its name and the beginning of the SHA-256 of its content
	ReferenceN               int
	Features, FeaturesHash   string // "points" and "" in data space

	Frechet           float64 // see FrechetName
	KID               metrics.Estimate
	InceptionScore    *metrics.Estimate // nil where the network has no classes
	Precision, Recall float64
	Density, Coverage float64

	ClassCounts  []int    // samples by their most likely class; nil as InceptionScore
	OutlierShare *float64 // of the samples; nil without a Judge
}

// FrechetName returns the name of the Fréchet distance, which is FID only with
// the network that this name is about.
func (s *Scores) FrechetName() string {
	if s.Features == "inception-v3" {
		return "FID"
	}
	return fmt.Sprintf("Fréchet distance (%s)", s.Features)
}

// Evaluate makes samples, with the running mean of the generator where the run
// keeps one, and compares their vectors under net with those of ref. A nil net
// is features.Descriptor; a run on points is scored in the space of the data,
// and takes neither net nor Judge. It returns ctx.Err() when cancelled.
func (t *Trainer) Evaluate(ctx context.Context, ref *Reference, net features.Embedder, opts *EvalOptions) (*Scores, error) {
	var o EvalOptions
	if opts != nil {
		o = *opts
	}
	if o.N == 0 {
		o.N = evalSamples
	}
	if o.Rows == 0 {
		o.Rows = evalRows
	}
	if o.N < evalLeast || o.Rows < evalLeast {
		return nil, fmt.Errorf("gan: evaluate: %d samples, %d of them for neighbours, and %d are needed", o.N, o.Rows, evalLeast)
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	images := t.c.Size > 0
	if !images && (net != nil || o.Judge != nil) {
		return nil, errors.New("gan: evaluate: networks see images, and the run makes points")
	}
	if images && net == nil {
		net = features.Descriptor{}
	}
	if err := ref.check(&t.c); err != nil {
		return nil, err
	}
	real, err := ref.statistics(ctx, net, &o)
	if err != nil {
		return nil, err
	}
	fake := newTally(net, &o, ref.dim(net))
	if err := t.eachSample(ctx, o.N, o.Seed, func(s *Samples) error { return fake.add(ctx, s) }); err != nil {
		return nil, err
	}
	s := &Scores{
		N: o.N, Rows: o.Rows, ReferenceN: ref.len(), Features: "points",
		Reference: ref.Name, ReferenceHash: ref.digest()[:12], ClassCounts: fake.counts,
	}
	if net != nil {
		s.Features, s.FeaturesHash = net.Name(), net.Hash()
	}
	if o.Judge != nil {
		share := float64(fake.outliers) / float64(o.N)
		s.OutlierShare = &share
	}
	if fake.parts != nil {
		s.InceptionScore = estimate(fake.parts)
	}
	return s, s.compare(ctx, real, &fake.statistics, o.Progress)
}

// compare fills in what depends on both sides.
func (s *Scores) compare(ctx context.Context, real, fake *statistics, progress func(string, int, int)) error {
	var err error
	for i, step := range []func(){
		func() { s.Frechet, err = metrics.Frechet(&real.moments, &fake.moments) },
		func() {
			// Half of the vectors at most, or the subsets would be one and the
			// same and the standard error nothing.
			size := min(kidSize, real.vectors.Len()/2, fake.vectors.Len()/2)
			s.KID, err = metrics.KID(real.vectors, fake.vectors, &metrics.KIDOptions{Size: size})
		},
		func() { s.Precision, s.Recall, err = metrics.PrecisionRecall(real.vectors, fake.vectors, 0) },
		func() { s.Density, s.Coverage, err = metrics.DensityCoverage(real.vectors, fake.vectors, 0) },
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress("comparing", i, 4)
		if step(); err != nil {
			return fmt.Errorf("gan: evaluate: %w", err)
		}
	}
	return nil
}

// A tally collects what the scores need of samples that come in blocks.
type tally struct {
	statistics
	net  features.Embedder
	o    *EvalOptions
	seen int

	probabilities []float32 // of the part of the Inception score at hand
	parts         []float64 // the score of each that is complete
	counts        []int
	outliers      int
}

func newTally(net features.Embedder, o *EvalOptions, dim int) *tally {
	f := &tally{net: net, o: o}
	f.vectors.Dim = dim
	return f
}

// add takes in more samples.
func (f *tally) add(ctx context.Context, s *Samples) error {
	vectors := train.Float32s(s.Points)
	if s.Images != nil {
		opts := &features.Options{Progress: func(done, _ int) { f.o.Progress("judging samples", f.seen+done, f.o.N) }}
		var err error
		if c, ok := f.net.(Classifier); ok {
			var p []float32
			if vectors, p, err = c.Classify(ctx, s.Images, opts); err == nil {
				err = f.classify(p, c.Classes())
			}
		} else {
			vectors, err = f.net.Embed(ctx, s.Images, opts)
		}
		if err != nil {
			return err
		}
		if err := f.judge(ctx, s.Images); err != nil {
			return err
		}
	}
	f.seen += len(vectors) / f.vectors.Dim
	missing := f.o.Rows*f.vectors.Dim - len(f.vectors.Values)
	f.vectors.Values = append(f.vectors.Values, vectors[:min(missing, len(vectors))]...)
	if err := f.moments.Add(metrics.Vectors{Dim: f.vectors.Dim, Values: vectors}); err != nil {
		return fmt.Errorf("gan: evaluate: %w", err)
	}
	f.o.Progress("judging samples", f.seen, f.o.N)
	return nil
}

// classify counts classes, and scores each tenth of the samples as soon as it
// is there: the probabilities of all would not fit.
func (f *tally) classify(p []float32, classes int) error {
	if f.counts == nil {
		f.counts = make([]int, classes)
	}
	for i := 0; i < len(p); i += classes {
		f.counts[largest(p[i:i+classes])]++
	}
	f.probabilities = append(f.probabilities, p...)
	for {
		k := len(f.parts)
		size := ((k+1)*f.o.N/evalLeast - k*f.o.N/evalLeast) * classes
		if k == evalLeast || len(f.probabilities) < size {
			return nil
		}
		part, err := metrics.InceptionScore(metrics.Vectors{Dim: classes, Values: f.probabilities[:size]}, 1)
		if err != nil {
			return fmt.Errorf("gan: evaluate: %w", err)
		}
		f.parts = append(f.parts, part.Mean)
		f.probabilities = append(f.probabilities[:0], f.probabilities[size:]...)
	}
}

// judge counts the outliers.
func (f *tally) judge(ctx context.Context, im *dataset.Images) error {
	if f.o.Judge == nil {
		return nil
	}
	_, p, err := f.o.Judge.Classify(ctx, im, nil)
	if err != nil {
		return err
	}
	classes := f.o.Judge.Classes()
	for i := 0; i < len(p); i += classes {
		if largest(p[i:i+classes]) == classes-1 {
			f.outliers++
		}
	}
	return nil
}

// largest is the place of the first largest number.
func largest(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// estimate is the mean and standard deviation of the parts.
func estimate(parts []float64) *metrics.Estimate {
	e := &metrics.Estimate{N: len(parts)}
	for _, v := range parts {
		e.Mean += v / float64(e.N)
	}
	for _, v := range parts {
		e.SD += (v - e.Mean) * (v - e.Mean) / float64(e.N)
	}
	e.SD = math.Sqrt(e.SD)
	return e
}
