package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	"rot.example/rot/summary"
	"rot.example/rot/table"
)

// DefaultCores is how many cells of each side Distance makes, or about.
const DefaultCores = 4096

// maxCones is how many points the function of the lower bound has at most: each
// row looks at all of them.
const maxCones = 512

// DistOptions tunes Distance. The zero value is ready to use.
type DistOptions struct {
	Ball   chisq.Ball // how far the weights of the source may move
	Cores  int        // cells of each side, or about; 0 means DefaultCores
	Sample int        // rows of each side that the cells are made from; 0 means DefaultSample
	Seed   uint64
	Bad    BadOptions
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
	Bad   int64   `json:"bad"` // rows left out
	Dim   int     `json:"dim"`
	Cores int     `json:"cores"`
	Cells [2]int  `json:"cells"` // of the source and of the target
	Seed  uint64  `json:"seed"`
}

// Distance bounds the robust transport distance, at Euclidean cost, between all
// rows of a source and of a target (docs/math.md §15), by two passes: the first
// draws rows, of which the driver makes cells and a 1-Lipschitz function; the
// second sorts all rows into the cells, whose plan bounds the distance from
// above, and sums the function, whose means bound it from below.
func Distance(ctx context.Context, job *engine.Job, source, target []string, o *DistOptions) (*DistResult, error) {
	cores := o.Cores
	if cores <= 0 {
		cores = DefaultCores
	}
	limit := o.Sample
	if limit <= 0 {
		limit = DefaultSample
	}
	inputs, err := openPair(ctx, job, source, target, &o.Table, &o.Shards, o.Bad.Skip)
	if err != nil {
		return nil, err
	}
	d, err := draw(ctx, job, inputs, max(limit, cores), o.Seed, &o.Table, o.Shards.Header, false, o.Bad.Skip)
	if err != nil {
		return nil, err
	}
	e := d.tables[0].Encoding
	dim := d.tables[0].Points.Dim
	if e == nil {
		e = table.Plain(dim)
	}
	lip, err := sampleFunctions(ctx, d.tables, min(cores, maxCones), o.Ball)
	if err != nil {
		return nil, err
	}
	specs := make([]any, 2)
	trees := newCellTrees(&d.tables[0].Points, &d.tables[1].Points, lip.shift, cores)
	for k, in := range inputs {
		specs[k] = &boundsSpec{Rows: newRowReader(in, e, o.Table.ID, o.Table.Label), Cells: trees[k], Values: lip.with(float64(2*k - 1)), SkipBad: o.Bad.Skip}
	}
	data, err := runRows(ctx, job, inputs, boundsTask, specs)
	if err != nil {
		return nil, err
	}
	var sums [2]*boundsSum
	var bad badRows
	for k := range sums {
		if sums[k], err = parseBounds(data[k]); err != nil {
			return nil, err
		}
		if sums[k].cells.far > 0 {
			return nil, &engine.DataError{Err: fmt.Errorf("%s: %d rows are too far from the others for numbers", inputs[k].Names[0], sums[k].cells.far)}
		}
		bad.Count += sums[k].bad.Count
		bad.Rows = append(bad.Rows, sums[k].bad.Rows...)
	}
	if err := bad.check(o.Bad.Skip); err != nil {
		return nil, err
	}
	r := &DistResult{Rho: o.Ball.Rho, N: sums[0].cells.rows(), M: sums[1].cells.rows(), Bad: bad.Count, Dim: dim, Cores: cores, Seed: o.Seed}
	x, y := trees[0].list(sums[0].cells), trees[1].list(sums[1].cells)
	r.Cells = [2]int{len(x), len(y)}
	if r.Upper, err = upperBound(ctx, x, y, o.Ball); err != nil {
		return nil, err
	}
	if r.Lower, err = lowerBound(lip, sums[0].values, sums[1].values, o.Ball); err != nil {
		return nil, err
	}
	r.Lower = max(r.Lower, 0)
	r.Gap = r.Upper - r.Lower
	return r, o.Bad.write(ctx, &bad)
}

// openPair opens two inputs that are to be compared.
func openPair(ctx context.Context, job *engine.Job, source, target []string, t *TableOptions, opts *shards.Options, skip int64) ([]*shards.Input, error) {
	o := *opts
	o.SkipBad = skip
	for _, name := range []string{t.ID, t.Label} {
		if name != "" {
			o.AsWritten = append(o.AsWritten, name)
		}
	}
	return shards.OpenAll(ctx, job, [][]string{source, target}, &o)
}

// safely rounds a bound up, by more than the arithmetic behind it can have lost.
const safely = 1 + 1e-9

// cellCost bounds what rows of one cell cost on average to be carried to
// rows of another, dealt out without regard to where they lie within.
func cellCost(a, b *massCell) float64 {
	var means float64
	for j := range a.mean {
		means += (a.mean[j] - b.mean[j]) * (a.mean[j] - b.mean[j])
	}
	return safely*math.Sqrt(means+a.variance+b.variance) + a.blur + b.blur
}

// upperBound is the cost of a good plan between cells. That of a pair is the
// distance of points in two more dimensions, in which cells of the two sides
// are as far apart as they are wide.
func upperBound(ctx context.Context, x, y []massCell, ball chisq.Ball) (float64, error) {
	dim := len(x[0].mean)
	points := func(cells []massCell, at int) *ot.Points {
		p := &ot.Points{Dim: dim + 2, Weights: masses(cells)}
		for k := range cells {
			p.Coords = append(append(p.Coords, cells[k].mean...), 0, 0)
			p.Coords[len(p.Coords)-2+at] = math.Sqrt(cells[k].variance)
		}
		return p
	}
	px, py := points(x, 0), points(y, 1)
	p, err := ot.NewProblem(px, py, ot.Euclidean)
	if err != nil {
		return 0, err
	}
	ball.Rho *= 1 - 1e-9 // what rounding does to the weights stays in the ball
	r, err := solve(ctx, p, ball)
	if err != nil {
		return 0, err
	}
	var value float64
	for k, mass := range r.Plan.Mass {
		value += mass * cellCost(&x[r.Plan.I[k]], &y[r.Plan.J[k]])
	}
	// Means are off by their own rounding, and some mass is not where it was.
	size := float64(dim+2) * (largest(px.Coords) + largest(py.Coords))
	return value*safely + (0x1p-50+1e-12+rounded(x, px.Weights)+rounded(y, py.Weights))*size, nil
}

// masses are those of cells, rounded to multiples of 2⁻⁵⁰ that sum to 1: the
// solver then has nothing to round.
func masses(cells []massCell) []float64 {
	out := make([]float64, len(cells))
	rest, most := 1.0, 0
	for k := range cells {
		out[k] = max(1, math.RoundToEven(0x1p50*cells[k].mass)) * 0x1p-50
		rest -= out[k]
		if out[k] > out[most] {
			most = k
		}
	}
	out[most] += rest
	return out
}

// rounded is how much mass is elsewhere after rounding.
func rounded(cells []massCell, masses []float64) (sum float64) {
	for k := range cells {
		sum += math.Abs(cells[k].mass - masses[k])
	}
	return sum
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

// sampleFunctions makes 1-Lipschitz functions out of samples of both sides.
func sampleFunctions(ctx context.Context, tables []*dataset.Table, cones int, ball chisq.Ball) (*valuesSpec, error) {
	var cells [2][]massCell
	for k, t := range tables {
		tree := newCellTree(&t.Points, cones)
		sums := &cellSums{dim: tree.Dim, cells: map[int]*cellSum{}}
		for i := range t.Points.Len() {
			sums.add(tree, t.Points.Row(i))
		}
		if sums.far > 0 {
			return nil, &engine.DataError{Err: fmt.Errorf("%s: %d rows are too far from the others for numbers", t.Name, sums.far)}
		}
		cells[k] = tree.list(sums)
	}
	return lipschitz(ctx, cells[0], cells[1], ball, &tables[0].Points)
}

// lipschitz makes 1-Lipschitz functions out of the potentials between the means
// of cells.
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
		s.shift = append(s.shift, s.Slope[j])
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
