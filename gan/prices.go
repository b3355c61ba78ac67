package gan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"rot.example/rot/chisq"
	"rot.example/rot/features"
	"rot.example/rot/internal/median"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/nn"
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

// prices returns what robust transport to the generator's samples would pay for
// each sample of the data: some of them are carried there, and the potentials
// that this gives the generator's samples tell the price of all others. It also
// returns how far the samples are to be trusted, by trust.
func (t *Trainer) prices(ctx context.Context) (price []float64, trusted float64, err error) {
	ref, err := t.samplePoints(ctx)
	if err != nil {
		return nil, 0, err
	}
	all := t.gallery.points
	part := &ot.Points{Dim: all.Dim}
	rows := train.Random(t.c.Seed, t.saved.Step, streamView).Perm(all.Len())
	for _, i := range rows[:min(viewRows, len(rows))] {
		part.Coords = append(part.Coords, all.Row(i)...)
	}
	// A solver asks for the same distances many times.
	far := distances(part, ref)
	cost, err := ot.NewMatrixCost(part.Len(), ref.Len(), far)
	if err != nil {
		return nil, 0, err
	}
	r, err := ot.Robust(ctx, &ot.Problem{Cost: cost}, &ot.RobustOptions{Source: chisq.Ball{Rho: viewRho}, Tol: viewTol})
	var short *ot.ConvergenceError
	if err != nil && !errors.As(err, &short) {
		return nil, 0, err
	}
	price, err = t.transform(ctx, ref, r.G)
	return price, trust(part, far), err
}

// The samples of a generator are trusted if the data lie hardly farther from
// them than from each other, and not at all if they lie clearly farther: what
// is far from poor samples says little of the data. After 1500 steps of preset
// tiny it is 1.2 times as far for photographs, of which the prices tell somewhat
// less than the data's own view does, and 1.6 times for sketches, where they are
// worse than a guess.
const (
	trustedRatio  = 1.05
	distrustRatio = 1.15
)

// trust returns how far the samples of a generator are to be trusted, from 0 to
// 1. far has the distance of each row of part to each sample.
func trust(part *ot.Points, far []float64) float64 {
	n := part.Len()
	samples := len(far) / max(1, n)
	half := min(n/2, samples)
	if half == 0 {
		return 0
	}
	a := &ot.Points{Dim: part.Dim, Coords: part.Coords[:half*part.Dim]}
	b := &ot.Points{Dim: part.Dim, Coords: part.Coords[(n-half)*part.Dim:]}
	among := distances(a, b)
	toData, toSamples := make([]float64, half), make([]float64, half)
	for i := range half {
		toData[i] = slices.Min(among[i*half : (i+1)*half])
		toSamples[i] = slices.Min(far[i*samples : i*samples+half])
	}
	ratio := median.Of(toSamples) / median.Of(toData)
	if !(ratio <= distrustRatio) { // the data may all be the same
		return 0
	}
	return min(1, (distrustRatio-ratio)/(distrustRatio-trustedRatio))
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

// distances returns the Euclidean distance of every point of x to every one of y.
func distances(x, y *ot.Points) []float64 {
	const block = 64
	n, m, dim := x.Len(), y.Len(), x.Dim
	out, xx, yy := make([]float64, n*m), halfSquares(x), halfSquares(y)
	all := blas64.General{Rows: m, Cols: dim, Stride: dim, Data: y.Coords}
	parallel.For((n+block-1)/block, func(b int) {
		lo, hi := b*block, min((b+1)*block, n)
		some := blas64.General{Rows: hi - lo, Cols: dim, Stride: dim, Data: x.Coords[lo*dim : hi*dim]}
		dots := blas64.General{Rows: hi - lo, Cols: m, Stride: m, Data: out[lo*m : hi*m]}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, some, all, 0, dots)
		for i := lo; i < hi; i++ {
			for j, dot := range out[i*m : (i+1)*m] {
				out[i*m+j] = math.Sqrt(max(0, 2*(xx[i]+yy[j]-dot)))
			}
		}
	})
	return out
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

// farthest is the largest coordinate on the device, whose squares are numbers
// there, too.
const farthest = 1e15

// onDevice returns points as float32 around a centre, where they lose least.
func onDevice(p *ot.Points, centre []float64) *tensors.Tensor {
	flat := make([]float32, len(p.Coords))
	parallel.For(p.Len(), func(i int) {
		for j, v := range p.Row(i) {
			flat[i*p.Dim+j] = float32(min(max(-farthest, v-centre[j]), farthest))
		}
	})
	return tensors.FromFlatDataAndDimensions(flat, p.Len(), p.Dim)
}

// centreOf returns the mean of the points.
func centreOf(p *ot.Points) []float64 {
	out := make([]float64, p.Dim)
	for i := range p.Len() {
		for j, v := range p.Row(i) {
			out[j] += v / float64(p.Len())
		}
	}
	return out
}

// transformRows is the number of points that the device takes at a time.
const transformRows = 2048

// transform returns min over j of |x − y_j| − price_j for each point x of the
// gallery, by float32 on the device: half of a GPU's run is this otherwise.
func (t *Trainer) transform(ctx context.Context, ref *ot.Points, price []float64) ([]float64, error) {
	g := t.gallery
	if g.device == nil {
		g.centre = centreOf(g.points)
		g.device = onDevice(g.points, g.centre)
	}
	n := g.points.Len()
	index := make([]int32, min(n, transformRows))
	y, prices := onDevice(ref, g.centre), tensors.FromFlatDataAndDimensions(train.Float32s(price), len(price))
	out := make([]float64, 0, n+len(index))
	for from := 0; from < n; from += len(index) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range index {
			index[i] = int32(min(from+i, n-1))
		}
		part, err := t.price.Run(g.device, tensors.FromFlatDataAndDimensions(index, len(index)), y, prices)
		if err != nil {
			return nil, err
		}
		numbers, err := train.Numbers(part)
		if err != nil {
			return nil, fmt.Errorf("gan: the prices of transport: %w", err)
		}
		out = append(out, numbers...)
	}
	return out[:n], nil
}

// priceStep returns the least of distance less price for some of the points.
func priceStep(_ *nn.Scope, in []*Node) []*Node {
	points, index, y, price := in[0], in[1], in[2], in[3] // [N,D], [B], [M,D], [M]
	x := Gather(points, ExpandAxes(index, -1))
	dots := MatMul(x, Transpose(y, 0, 1))
	square := Add(ExpandAxes(ReduceSum(Square(x), 1), 1), ExpandAxes(ReduceSum(Square(y), 1), 0))
	far := Sqrt(MaxScalar(Sub(square, MulScalar(dots, 2)), 0))
	return []*Node{ReduceMin(Sub(far, ExpandAxes(price, 0)), 1)}
}
