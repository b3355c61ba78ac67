package gan

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/metrics"
	"rot.example/rot/train"
)

// A Reference is clean data to compare samples with: images or points; the other
// is nil.
type Reference struct {
	Name   string
	Images *dataset.Images
	Points []float64 // rows of Dim
	Dim    int
}

// LoadReference reads what spec names in the form of the samples of a run. The
// notes say what was done to the data on the way.
func LoadReference(c *Config, spec string) (*Reference, []string, error) {
	if c.Size > 0 {
		im, err := dataset.LoadImages(spec, &dataset.ImageOptions{Size: c.Size, Channels: c.Channels, Tolerant: true})
		if err != nil {
			return nil, nil, err
		}
		ref := &Reference{Name: spec, Images: im}
		return ref, append(im.LeftOut(), im.Notes...), ref.check(c)
	}
	if dataset.IsImages(spec) {
		return nil, nil, &dataset.InputError{File: spec, Row: -1, Msg: "holds images, and the run makes points"}
	}
	opts := c.tableOptions()
	opts.Bare = true // a reference needs neither
	opts.FileOrder = c.Encoding == nil
	t, err := dataset.Load(spec, opts)
	if err != nil {
		return nil, nil, err
	}
	ref := &Reference{Name: spec, Points: t.Points.Coords, Dim: t.Points.Dim}
	return ref, nil, ref.check(c)
}

// check says why samples of c cannot be compared with r.
func (r *Reference) check(c *Config) error {
	wrong := func(format string, args ...any) error {
		return &dataset.InputError{File: r.Name, Row: -1, Msg: fmt.Sprintf(format, args...)}
	}
	im := r.Images
	switch {
	case c.Size > 0 && im == nil:
		return wrong("holds points, and the run makes images")
	case c.Size == 0 && im != nil:
		return wrong("holds images, and the run makes points")
	case c.Size == 0 && (r.Dim != c.Channels || len(r.Points)%r.Dim != 0):
		return wrong("has %d columns, and the points of the run %d", r.Dim, c.Channels)
	case c.Size > 0 && (im.H != c.Size || im.W != c.Size || im.C != c.Channels):
		return wrong("has images of %d×%d pixels and %d channels, and the run makes %d×%d and %d", im.W, im.H, im.C, c.Size, c.Size, c.Channels)
	case r.len() < evalLeast:
		return wrong("has %d samples, and %d are needed to compare with", r.len(), evalLeast)
	case im != nil && slices.Contains(im.Outlier, true):
		return wrong("has outliers mixed in, and a reference has to be clean")
	}
	return nil
}

func (r *Reference) len() int {
	if r.Images != nil {
		return r.Images.Len()
	}
	return len(r.Points) / max(1, r.Dim)
}

// dim returns the dimension of the vectors that net makes, or of the points
// where net is nil.
func (r *Reference) dim(net features.Embedder) int {
	if net == nil {
		return r.Dim
	}
	return net.Dim()
}

// digest is the SHA-256 of the content.
func (r *Reference) digest() string {
	h := sha256.New()
	number := func(v uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		h.Write(b[:])
	}
	if im := r.Images; im != nil {
		for _, v := range []int{im.H, im.W, im.C} {
			number(uint64(v))
		}
		h.Write(im.Pix)
	} else {
		number(uint64(r.Dim))
		for _, v := range r.Points {
			number(math.Float64bits(v))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// statistics are the numbers of one side that the scores are computed from.
type statistics struct {
	moments metrics.Moments
	vectors metrics.Vectors // of some samples only
}

// preprocessing is the version of what happens to images before a network, and
// part of the name of a cached file: raise it when that changes.
const preprocessing = 1

// statistics returns the statistics of r under net, from the cache where it has
// them.
func (r *Reference) statistics(ctx context.Context, net features.Embedder, o *EvalOptions) (*statistics, error) {
	if net == nil || o.CacheDir == "" {
		return r.measure(ctx, net, o)
	}
	key := fmt.Sprintf("%s %q %q %d %d %d", r.digest(), net.Name(), net.Hash(), net.Dim(), o.Rows, preprocessing)
	path := cachePath(o.CacheDir, key)
	if s := readStatistics(path, net.Dim()); s != nil {
		return s, nil
	}
	s, err := r.measure(ctx, net, o)
	if err != nil {
		return nil, err
	}
	if s.write(path) == nil { // a cache that cannot be used is no reason to fail
		if kept := readStatistics(path, net.Dim()); kept != nil {
			return kept, nil // rounded as it will be the next time
		}
	}
	return s, nil
}

// measure computes them, a block of images after the other.
func (r *Reference) measure(ctx context.Context, net features.Embedder, o *EvalOptions) (*statistics, error) {
	n, dim := r.len(), r.dim(net)
	s := &statistics{}
	s.vectors.Dim = dim
	chosen := choose(n, o.Rows)
	for from := 0; from < n; from += evalBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(n, from+evalBlock)
		var vectors []float32
		if net == nil {
			vectors = train.Float32s(r.Points[from*dim : to*dim])
		} else {
			var err error
			part := *r.Images
			size := part.H * part.W * part.C
			part.Pix = part.Pix[from*size : to*size]
			opts := &features.Options{Progress: func(done, _ int) { o.Progress("looking at the reference", from+done, n) }}
			if vectors, err = net.Embed(ctx, &part, opts); err != nil {
				return nil, err
			}
		}
		if err := s.moments.Add(metrics.Vectors{Dim: dim, Values: vectors}); err != nil {
			return nil, fmt.Errorf("gan: %s: %w", r.Name, err)
		}
		for i := range to - from {
			if chosen[from+i] {
				s.vectors.Values = append(s.vectors.Values, vectors[i*dim:(i+1)*dim]...)
			}
		}
	}
	return s, nil
}

// choose marks k of n samples, all where there are fewer: a folder has its
// classes one after the other, so that the first ones would not do.
func choose(n, k int) []bool {
	marks := make([]bool, n)
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(n)[:min(n, k)] {
		marks[i] = true
	}
	return marks
}
