package gan

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
	"rot.example/rot/train"
)

// TestEachSample: blocks are the samples of Sample, whatever the number.
func TestEachSample(t *testing.T) {
	for name, change := range map[string]func(c *Config){
		"plain":       nil,
		"conditional": func(c *Config) { c.Classes = 8 },
		"mean":        func(c *Config) { c.EMA = 0.9 },
	} {
		t.Run(name, func(t *testing.T) {
			c, d := eightConfig(t, change)
			tr, _ := trained(t, c, d)
			for _, n := range []int{1, 64, 65, evalBlock, evalBlock + 70} {
				want, err := tr.Sample(n, 7)
				if err != nil {
					t.Fatal(err)
				}
				var got []float64
				blocks := 0
				err = tr.eachSample(t.Context(), n, 7, func(s *Samples) error {
					got, blocks = append(got, s.Points...), blocks+1
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want.Points) || blocks != (n+evalBlock-1)/evalBlock {
					t.Errorf("%d samples in %d blocks are not those of Sample", n, blocks)
				}
			}
		})
	}
}

// TestEvaluatePoints: scores in data space are those of the samples.
func TestEvaluatePoints(t *testing.T) {
	c, d := eightConfig(t, nil)
	tr, _ := trained(t, c, d)
	ref, notes, err := LoadReference(&c, "synth:eight,n=200,seed=5")
	if err != nil || notes != nil {
		t.Fatal(notes, err)
	}
	got, err := tr.Evaluate(t.Context(), ref, nil, &EvalOptions{N: 150, Rows: 1000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tr.Sample(150, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := scoresOf(t, metrics.Vectors{Dim: 2, Values: train.Float32s(ref.Points)}, metrics.Vectors{Dim: 2, Values: train.Float32s(s.Points)})
	want.N, want.Rows, want.ReferenceN, want.Reference, want.Features = 150, 1000, 200, "synth:eight,n=200,seed=5", "points"
	want.ReferenceHash = got.ReferenceHash
	if !reflect.DeepEqual(got, want) || len(got.ReferenceHash) != 12 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if name := got.FrechetName(); name != "Fréchet distance (points)" {
		t.Errorf("called %q", name)
	}
	other, err := tr.Evaluate(t.Context(), ref, nil, &EvalOptions{N: 150, Rows: 1000, Seed: 4})
	if err != nil || other.Frechet == got.Frechet {
		t.Errorf("another seed has the same distance (%v)", err)
	}
}

// scoresOf compares the vectors as a whole.
func scoresOf(t *testing.T, real, fake metrics.Vectors) *Scores {
	t.Helper()
	s := &Scores{}
	var errs [4]error
	s.Frechet, errs[0] = metrics.FID(real, fake)
	s.KID, errs[1] = metrics.KID(real, fake, &metrics.KIDOptions{Size: min(real.Len(), fake.Len()) / 2})
	s.Precision, s.Recall, errs[2] = metrics.PrecisionRecall(real, fake, 0)
	s.Density, s.Coverage, errs[3] = metrics.DensityCoverage(real, fake, 0)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEvaluateSelf: against its own samples a generator is as good as can be,
// and against others that lie far away as bad as can be.
func TestEvaluateSelf(t *testing.T) {
	c, d := eightConfig(t, nil)
	tr := newTrainer(t, c, d)
	own, err := tr.Sample(600, 99)
	if err != nil {
		t.Fatal(err)
	}
	score := func(shift float64) *Scores {
		t.Helper()
		ref := &Reference{Name: "own", Points: slices.Clone(own.Points), Dim: 2}
		for i := range ref.Points {
			ref.Points[i] += shift
		}
		s, err := tr.Evaluate(t.Context(), ref, nil, &EvalOptions{N: 600})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const shift = 1000.0
	near, far := score(0), score(shift)
	if near.Precision < 0.95 || near.Recall < 0.95 || math.Abs(near.Density-1) > 0.15 || near.Coverage < 0.9 || math.Abs(near.KID.Mean) > 10*near.KID.StdErr() {
		t.Errorf("own samples: %+v", near)
	}
	if far.Precision != 0 || far.Recall != 0 || far.Density != 0 || far.Coverage != 0 {
		t.Errorf("far away: %+v", far)
	}
	// Means that differ by (s, s) and equal covariances: 2 s².
	if want := 2 * shift * shift; near.Frechet > 0.05 || math.Abs(far.Frechet-want) > 0.01*want {
		t.Errorf("Fréchet distance %g, and %g far away, want 0 and %g", near.Frechet, far.Frechet, want)
	}
}

// digits is a trainer of images at step 0 and a reference for it.
func digits(t *testing.T) (*Trainer, *Reference) {
	t.Helper()
	c, d := digitsConfig(t, nil)
	ref, notes, err := LoadReference(&c, "synth:digits,n=30,seed=5")
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	return newTrainer(t, c, d), ref
}

// TestEvaluateImages: the descriptor where nothing is said; the Fréchet distance
// takes all vectors, the rest some of them.
func TestEvaluateImages(t *testing.T) {
	tr, ref := digits(t)
	stages := map[string]int{}
	got, err := tr.Evaluate(t.Context(), ref, nil, &EvalOptions{N: 40, Rows: 20, Seed: 1, Progress: func(doing string, done, total int) {
		if done > total {
			t.Errorf("%s: %d of %d", doing, done, total)
		}
		stages[doing] = done
	}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tr.Sample(40, 1)
	if err != nil {
		t.Fatal(err)
	}
	embed := func(im *dataset.Images) metrics.Vectors {
		v, err := features.Descriptor{}.Embed(t.Context(), im, nil)
		if err != nil {
			t.Fatal(err)
		}
		return metrics.Vectors{Dim: features.Descriptor{}.Dim(), Values: v}
	}
	real, fake := embed(ref.Images), embed(s.Images)
	fid, err := metrics.FID(real, fake)
	if err != nil {
		t.Fatal(err)
	}
	dim, some := real.Dim, metrics.Vectors{Dim: real.Dim}
	for i, yes := range choose(30, 20) {
		if yes {
			some.Values = append(some.Values, real.Values[i*dim:(i+1)*dim]...)
		}
	}
	want := scoresOf(t, some, metrics.Vectors{Dim: dim, Values: fake.Values[:20*dim]})
	want.N, want.Rows, want.ReferenceN, want.Reference, want.Frechet = 40, 20, 30, ref.Name, fid
	want.Features, want.FeaturesHash, want.ReferenceHash = "descriptor", features.Descriptor{}.Hash(), ref.digest()[:12]
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if stages["looking at the reference"] != 30 || stages["judging samples"] != 40 {
		t.Errorf("progress %v", stages)
	}
}

// A twoTone tells dark images from bright ones, by their mean: a classifier
// whose answers are known. It counts how many it was shown.
type twoTone struct {
	hash string
	seen int
}

func (*twoTone) Name() string   { return "twotone" }
func (f *twoTone) Hash() string { return f.hash }
func (*twoTone) Dim() int       { return 2 }
func (*twoTone) Classes() int   { return 2 }

func (f *twoTone) Embed(ctx context.Context, im *dataset.Images, opts *features.Options) ([]float32, error) {
	v, _, err := f.Classify(ctx, im, opts)
	return v, err
}

func (f *twoTone) Classify(_ context.Context, im *dataset.Images, _ *features.Options) (vectors, p []float32, err error) {
	for i := range im.Len() {
		mean, edge := float32(0), float32(0)
		for k, v := range im.At(i) {
			mean += float32(v) / float32(255*len(im.At(i)))
			edge += float32(k%2) * float32(v) / float32(255*len(im.At(i)))
		}
		f.seen++
		vectors = append(vectors, mean, edge)
		p = append(p, mean, 1-mean)
	}
	return vectors, p, nil
}

// TestEvaluateClasses: the Inception score by parts is that of all at once, and
// classes and outliers are counted.
func TestEvaluateClasses(t *testing.T) {
	tr, ref := digits(t)
	net := &twoTone{hash: "a"}
	const n = 77 // no multiple of the parts
	got, err := tr.Evaluate(t.Context(), ref, net, &EvalOptions{N: n, Judge: &twoTone{}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tr.Sample(n, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, p, _ := (&twoTone{}).Classify(t.Context(), s.Images, nil)
	want, err := metrics.InceptionScore(metrics.Vectors{Dim: 2, Values: p}, 10)
	if err != nil {
		t.Fatal(err)
	}
	is := got.InceptionScore
	if is == nil || is.N != 10 || math.Abs(is.Mean-want.Mean) > 1e-12 || math.Abs(is.SD-want.SD) > 1e-12 {
		t.Errorf("Inception score %+v, want %+v", is, want)
	}
	dark := 0
	for i := range n {
		if p[2*i+1] > p[2*i] {
			dark++
		}
	}
	if !slices.Equal(got.ClassCounts, []int{n - dark, dark}) || got.OutlierShare == nil || *got.OutlierShare != float64(dark)/n {
		t.Errorf("classes %v, outliers %v, and %d of %d are dark", got.ClassCounts, got.OutlierShare, dark, n)
	}
	if name := got.FrechetName(); name != "Fréchet distance (twotone)" {
		t.Errorf("called %q", name)
	}
	if name := (&Scores{Features: "inception-v3"}).FrechetName(); name != "FID" {
		t.Errorf("called %q", name)
	}
}

// TestEvaluateErrors: what cannot be compared is named.
func TestEvaluateErrors(t *testing.T) {
	images, ref := digits(t)
	c, d := eightConfig(t, nil)
	points := newTrainer(t, c, d)
	for _, tt := range []struct {
		spec string
		tr   *Trainer
		want string
	}{
		{"synth:digits,n=20", points, "synth:digits,n=20: holds images, and the run makes points"},
		{"synth:gauss,d=3,n=20", points, "synth:gauss,d=3,n=20: has 3 columns, and the points of the run 2"},
		{"synth:eight,n=9", points, "synth:eight,n=9: has 9 samples, and 10 are needed"},
		{"synth:digits,n=9", images, "synth:digits,n=9: has 9 samples, and 10 are needed"},
		{"synth:eight,n=20", images, "is not a set of images"},
		{"nowhere", images, "nowhere: no such file"},
	} {
		c := tt.tr.Config()
		if _, _, err := LoadReference(&c, tt.spec); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.spec, err, tt.want)
		}
	}
	cloud := &Reference{Name: "cloud", Points: make([]float64, 40), Dim: 2}
	mixed := *ref.Images
	mixed.Outlier = make([]bool, 30)
	mixed.Outlier[4] = true
	gray := *ref.Images
	gray.H = 14
	for _, tt := range []struct {
		name string
		tr   *Trainer
		ref  *Reference
		net  features.Embedder
		opts *EvalOptions
		want string
	}{
		{"few samples", images, ref, nil, &EvalOptions{N: 9}, "9 samples"},
		{"few rows", images, ref, nil, &EvalOptions{Rows: -1}, "-1 of them"},
		{"points for images", images, cloud, nil, nil, "cloud: holds points, and the run makes images"},
		{"images for points", points, ref, nil, nil, "holds images, and the run makes points"},
		{"a network for points", points, cloud, features.Descriptor{}, nil, "networks see images"},
		{"a judge for points", points, cloud, nil, &EvalOptions{Judge: &twoTone{}}, "networks see images"},
		{"outliers", images, &Reference{Name: "mixed", Images: &mixed}, nil, nil, "mixed: has outliers mixed in"},
		{"size", images, &Reference{Name: "flat", Images: &gray}, nil, nil, "flat: has images of 28×14 pixels and 1 channels"},
	} {
		if _, err := tt.tr.Evaluate(t.Context(), tt.ref, tt.net, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := images.Evaluate(ctx, ref, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestLoadReferenceForm: images take the size and colour of the run.
func TestLoadReferenceForm(t *testing.T) {
	c, _ := digitsConfig(t, nil)
	ref, notes, err := LoadReference(&c, "synth:blobs,n=12")
	if err != nil {
		t.Fatal(err)
	}
	if im := ref.Images; im.H != 28 || im.W != 28 || im.C != 1 || len(notes) != 1 {
		t.Errorf("%d×%d×%d, notes %q", im.H, im.W, im.C, notes)
	}
}
