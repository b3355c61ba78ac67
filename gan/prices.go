package gan

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"rot.example/rot/chisq"
	"rot.example/rot/features"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/ot"
	"rot.example/rot/train"
)

func rowPoints(rows []float32, dim int) *ot.Points {
	p := &ot.Points{Dim: dim, Coords: make([]float64, len(rows))}
	for i, v := range rows {
		p.Coords[i] = float64(v)
	}
	return p
}

func halfSquares(p *ot.Points) []float64 {
	out := make([]float64, p.Len())
	for i := range out {
		for _, v := range p.Row(i) {
			out[i] += v * v / 2
		}
	}
	return out
}

// prices returns what robust transport to the generator's samples would pay for
// each sample of the data: some of them are carried there, and the potentials
// that this gives the generator's samples tell the price of all others.
func (t *Trainer) prices(ctx context.Context) ([]float64, error) {
	ref, err := t.samplePoints(ctx)
	if err != nil {
		return nil, err
	}
	all := t.gallery.points
	part := &ot.Points{Dim: all.Dim}
	rows := train.Random(t.c.Seed, t.saved.Step, streamView).Perm(all.Len())
	for _, i := range rows[:min(viewRows, len(rows))] {
		part.Coords = append(part.Coords, all.Row(i)...)
	}
	problem, err := ot.NewProblem(part, ref, ot.Euclidean)
	if err != nil {
		return nil, err
	}
	r, err := ot.Robust(ctx, problem, &ot.RobustOptions{Source: chisq.Ball{Rho: viewRho}, Tol: viewTol})
	var short *ot.ConvergenceError
	if err != nil && !errors.As(err, &short) {
		return nil, err
	}
	return t.gallery.transform(ctx, ref, r.G)
}

// samplePoints returns samples of the generator as points like the gallery's.
func (t *Trainer) samplePoints(ctx context.Context) (*ot.Points, error) {
	rng := train.Random(t.c.Seed, t.saved.Step, streamSamples)
	var flat []float32
	for from := 0; from < viewSamples; from += sampleChunk {
		part, err := t.sampleFrom(rng, from)
		if err != nil {
			return nil, err
		}
		flat = append(flat, part...)
	}
	if t.data.Pix == nil {
		return rowPoints(flat, t.data.Shape[0]), nil
	}
	return features.Vectors(ctx, features.Descriptor{}, samples(t.data, flat).Images, nil)
}

// transform returns min over j of |x − y_j| − price_j for each point x of the
// gallery.
func (g *gallery) transform(ctx context.Context, ref *ot.Points, price []float64) ([]float64, error) {
	const block = 256
	n, m, dim := g.points.Len(), ref.Len(), ref.Dim
	out, norms := make([]float64, n), halfSquares(ref)
	y := blas64.General{Rows: m, Cols: dim, Stride: dim, Data: ref.Coords}
	parallel.For((n+block-1)/block, func(b int) {
		if ctx.Err() != nil {
			return
		}
		lo, hi := b*block, min((b+1)*block, n)
		x := blas64.General{Rows: hi - lo, Cols: dim, Stride: dim, Data: g.points.Coords[lo*dim : hi*dim]}
		dots := blas64.General{Rows: hi - lo, Cols: m, Stride: m, Data: make([]float64, (hi-lo)*m)}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, y, 0, dots)
		for i := lo; i < hi; i++ {
			best := math.Inf(1)
			for j, dot := range dots.Data[(i-lo)*m : (i-lo+1)*m] {
				best = min(best, math.Sqrt(max(0, 2*(g.norms[i]+norms[j]-dot)))-price[j])
			}
			out[i] = best
		}
	})
	return out, ctx.Err()
}
