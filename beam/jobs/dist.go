package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/chisq"
	"rot.example/rot/ot"
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
