package jobs

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

// DefaultCores is how many points Distance compares rows with.
const DefaultCores = 512

// DistOptions tunes Distance. The zero value is ready to use.
type DistOptions struct {
	Ball   chisq.Ball // how far the weights of the source may move
	Cores  int        // points that rows are compared with; 0 means DefaultCores
	Sample int        // rows that say what the columns are; 0 means DefaultSample
	Seed   uint64
	Table  TableOptions
	Shards shards.Options
}

// A DistResult bounds the distance of all rows of two inputs.
type DistResult struct {
	Lower float64 `json:"lower"` // the distance is not below this
	Upper float64 `json:"upper"` // nor above this
	Gap   float64 `json:"gap"`
	Rho   float64 `json:"rho"`
	N     int64   `json:"n"`
	M     int64   `json:"m"`
	Dim   int     `json:"dim"`
	Cores int     `json:"cores"`
	Cells [2]int  `json:"cells"` // of the source and of the target
	Seed  uint64  `json:"seed"`
}

// Distance bounds the robust transport distance, at Euclidean cost, between all
// rows of a source and of a target (docs/math.md §15): one pass sorts the rows
// into cells, whose plan bounds it from above; its potentials make a 1-Lipschitz
// function, whose means, from a second pass, bound it from below.
func Distance(ctx context.Context, job *engine.Job, source, target []string, o *DistOptions) (*DistResult, error) {
	cores := o.Cores
	if cores <= 0 {
		cores = DefaultCores
	}
	limit := o.Sample
	if limit <= 0 {
		limit = DefaultSample
	}
	inputs, tables, err := openPair(ctx, job, source, target, max(limit, cores), o.Seed, &o.Table, &o.Shards)
	if err != nil {
		return nil, err
	}
	e := tables[0].Encoding
	dim := tables[0].Points.Dim
	if e == nil {
		e = table.Plain(dim)
	}
	var readers [2]*rowReader
	for k, in := range inputs {
		readers[k] = newRowReader(in, e, o.Table.ID, o.Table.Label)
	}
	spec := newCellsSpec(tables, cores, dim)
	var cells [2]*cellSums
	data, err := runRows(ctx, job, inputs, cellsTask, []any{spec.with(readers[0]), spec.with(readers[1])})
	if err != nil {
		return nil, err
	}
	for k := range cells {
		if cells[k], err = parseCells(data[k]); err != nil {
			return nil, err
		}
	}
	r := &DistResult{Rho: o.Ball.Rho, N: cells[0].rows(), M: cells[1].rows(), Dim: dim, Cores: cores, Seed: o.Seed}
	x, y := cells[0].list(spec), cells[1].list(spec)
	r.Cells = [2]int{len(x), len(y)}
	if r.Upper, err = upperBound(ctx, x, y, o.Ball); err != nil {
		return nil, err
	}
	lip, err := lipschitz(ctx, x, y, o.Ball, &tables[0].Points)
	if err != nil {
		return nil, err
	}
	var means [2]*valueSums
	if data, err = runRows(ctx, job, inputs, valuesTask, []any{lip.with(readers[0], -1), lip.with(readers[1], 1)}); err != nil {
		return nil, err
	}
	for k := range means {
		if means[k], err = parseValues(data[k]); err != nil {
			return nil, err
		}
	}
	if r.Lower, err = lowerBound(lip, means[0], means[1], o.Ball); err != nil {
		return nil, err
	}
	r.Lower = max(r.Lower, 0)
	r.Gap = r.Upper - r.Lower
	return r, nil
}

// openPair opens two inputs that are to be compared and draws rows of each.
func openPair(ctx context.Context, job *engine.Job, source, target []string, limit int, seed uint64, t *TableOptions, opts *shards.Options) ([]*shards.Input, []*dataset.Table, error) {
	o := *opts
	for _, name := range []string{t.ID, t.Label} {
		if name != "" {
			o.AsWritten = append(o.AsWritten, name)
		}
	}
	inputs, err := shards.OpenAll(ctx, job, [][]string{source, target}, &o)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "rot-beam")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	tables, err := loadSamples(ctx, job, inputs, limit, seed, dir, t, opts.Header)
	return inputs, tables, err
}

// A massCell is the rows of one side in a cell.
type massCell struct {
	mass     float64   // part of the rows
	mean     []float64 // of the rows
	centre   []float64
	variance float64 // mean squared distance from mean
	spread   float64 // mean distance from centre
}

// safely rounds a bound up, by more than the arithmetic behind it can have lost.
const safely = 1 + 1e-9

// cellCost bounds what rows of one cell cost on average to be carried to
// rows of another, dealt out without regard to where they lie within.
func cellCost(a, b *massCell) float64 {
	var means, centres float64
	for j := range a.mean {
		means += (a.mean[j] - b.mean[j]) * (a.mean[j] - b.mean[j])
		centres += (a.centre[j] - b.centre[j]) * (a.centre[j] - b.centre[j])
	}
	return safely * min(math.Sqrt(means+a.variance+b.variance), a.spread+math.Sqrt(centres)+b.spread)
}

// upperBound is the cost of the best plan between cells.
func upperBound(ctx context.Context, x, y []massCell, ball chisq.Ball) (float64, error) {
	matrix := make([]float64, 0, len(x)*len(y))
	for i := range x {
		for j := range y {
			matrix = append(matrix, cellCost(&x[i], &y[j]))
		}
	}
	cost, err := ot.NewMatrixCost(len(x), len(y), matrix)
	if err != nil {
		return 0, err
	}
	p := &ot.Problem{Cost: cost, A: masses(x), B: masses(y)}
	r, err := solve(ctx, p, ball)
	if err != nil {
		return 0, err
	}
	return r.Value*safely + 1e-12*slices.Max(matrix), nil
}

func masses(cells []massCell) []float64 {
	out := make([]float64, len(cells))
	for k := range cells {
		out[k] = cells[k].mass
	}
	return out
}

// solve takes the best answer there is: bounds hold however good it is.
func solve(ctx context.Context, p *ot.Problem, ball chisq.Ball) (*ot.Result, error) {
	r, err := ot.Robust(ctx, p, &ot.RobustOptions{Source: ball})
	var short *ot.ConvergenceError
	if errors.As(err, &short) && r != nil {
		err = nil
	}
	return r, err
}

// lipschitz makes a 1-Lipschitz function out of the potentials between the
// means of cells.
func lipschitz(ctx context.Context, x, y []massCell, ball chisq.Ball, sample *ot.Points) (*valuesSpec, error) {
	points := func(cells []massCell) *ot.Points {
		p := &ot.Points{Dim: sample.Dim, Weights: masses(cells)}
		for k := range cells {
			p.Coords = append(p.Coords, cells[k].mean...)
		}
		return p
	}
	py := points(y)
	p, err := ot.NewProblem(points(x), py, ot.Euclidean)
	if err != nil {
		return nil, err
	}
	r, err := solve(ctx, p, ball)
	if err != nil {
		return nil, err
	}
	s := &valuesSpec{Dim: sample.Dim, Points: py.Coords}
	for _, g := range r.G {
		s.Heights = append(s.Heights, -g)
	}
	s.setSlope(x, y, r.A, r.B)
	// Histograms span the bulk; what lies beyond is rounded down to their end.
	cones, slopes := make([]float64, sample.Len()), make([]float64, sample.Len())
	for i := range cones {
		cones[i], slopes[i] = s.value(sample.Row(i)), s.slope(sample.Row(i))
	}
	low, high := bulk(cones)
	s.Low, s.High = slices.Min(s.Heights), high+4*(high-low)
	low, high = bulk(slopes)
	s.Floor, s.SlopeHigh = low-4*(high-low), high+4*(high-low)
	for _, ends := range [][2]*float64{{&s.Low, &s.High}, {&s.Floor, &s.SlopeHigh}} {
		if !(*ends[1] > *ends[0]) || math.IsInf(*ends[1]-*ends[0], 0) {
			*ends[1] = *ends[0] + 1
		}
	}
	s.Clip = ball.Rho > 0
	return s, nil
}

// bulk is the values that a twentieth lies below and beyond. It sorts them.
func bulk(values []float64) (low, high float64) {
	slices.Sort(values)
	return values[len(values)*5/100], values[len(values)*95/100]
}

// setSlope points from the mean of the target to that of the source, each by
// the weights that the plan has.
func (s *valuesSpec) setSlope(x, y []massCell, a, b []float64) {
	s.Origin, s.Slope = make([]float64, s.Dim), make([]float64, s.Dim)
	var length float64
	for j := range s.Dim {
		for k := range y {
			s.Origin[j] += b[k] * y[k].mean[j]
		}
		for k := range x {
			s.Slope[j] += a[k] * x[k].mean[j]
		}
		s.Slope[j] -= s.Origin[j]
		length += s.Slope[j] * s.Slope[j]
	}
	for j := range s.Slope {
		if length > 0 {
			s.Slope[j] *= (1 - 1e-12) / math.Sqrt(length)
		}
	}
}

// lowerBound is what the better of two 1-Lipschitz functions proves.
func lowerBound(s *valuesSpec, x, y *valueSums, ball chisq.Ball) (float64, error) {
	cones, slopes := y.Sum.Mean(y.Rows)+s.slack(y), y.Slopes.Mean(y.Rows)
	if sum := cones + slopes; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, errors.New("the rows of the target are too far apart for numbers")
	}
	if ball.Rho == 0 {
		return max(x.Sum.Mean(x.Rows)-s.slack(x)-cones, x.Slopes.Mean(x.Rows)-slopes-1e-15*math.Abs(slopes)), nil
	}
	a, err := histogramBound(ball, x.Hist)
	if err != nil {
		return 0, err
	}
	b, err := histogramBound(ball, x.SlopeHist)
	if err != nil {
		return 0, err
	}
	// The least cone may be computed a little too high.
	a -= s.rounding() * (math.Abs(s.Low) + math.Abs(s.High) + 2*s.highest())
	return max(a-cones, b-slopes), nil
}

// histogramBound is the weight program on the lower ends of bins.
func histogramBound(ball chisq.Ball, h *summary.Histogram) (float64, error) {
	var scores, base []float64
	rows := float64(h.Rows())
	for k, n := range h.Counts {
		if n > 0 {
			scores = append(scores, h.Edge(k))
			base = append(base, float64(n)/rows)
		}
	}
	return weightBound(ball, scores, base)
}

// weightBound bounds the weight program from below by its dual, which holds for
// any multipliers.
func weightBound(ball chisq.Ball, score, base []float64) (float64, error) {
	_, sol, err := ball.Solve(nil, score, base)
	if err != nil {
		return 0, err
	}
	switch {
	case sol.Lambda == 0:
		return slices.Min(score), nil
	case math.IsInf(sol.Lambda, 1):
		sum, total := 0.0, 0.0
		for i, s := range score {
			sum += s * base[i]
			total += base[i]
		}
		return sum/total - 1e-12*math.Abs(sum), nil
	}
	shift := sol.Threshold - sol.Lambda
	dual, size := shift-sol.Lambda*ball.Rho, math.Abs(shift)+sol.Lambda*ball.Rho
	for i, s := range score {
		w := max(0, (sol.Threshold-s)/sol.Lambda)
		term := base[i] * ((s-shift)*w + sol.Lambda/2*(w-1)*(w-1))
		dual += term
		size += math.Abs(term)
	}
	return dual - 1e-12*size, nil
}
