package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/beam/engine"
	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	"rot.example/rot/summary"
)

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
			return nil, &engine.DataError{Err: fmt.Errorf("%d rows are too far from the others for numbers", sums.far)}
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
