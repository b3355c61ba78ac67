package da

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/chisq"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/nn"
	"rot.example/rot/ot"
	"rot.example/rot/train"
)

// The weights by transport: those that the robust optimal transport between
// source and target gives the target. A source sample is its features and its
// class, a target sample its features and the probabilities of its classes; the
// cost between them is
//
//	‖f_s − f_t‖² / mean ‖f_s‖² + κ·‖e_y − p_t‖².
//
// Unlike a distance to the nearest source sample, transport has to place the
// mass of every source class somewhere, so it does not drop the classes of the
// target that lie far off.

const (
	// transportRows are the rows of a problem at most: a random part of the
	// source, against the target in random parts, which takes time in
	// proportion to the target and not to its square.
	transportRows = 2000
	// transportTol is the relative gap. The weights change by less than a
	// refresh changes them.
	transportTol = 1e-4
)

// The uses of random numbers: each at a step has its own.
const (
	useBatch = iota
	useTransport
	useParts
	useHeld
	useCurve
	useNeighbours
)

// A cloud is samples of a domain as points, each with its class, which for the
// target is the most likely one.
type cloud struct {
	rows  [][]float64
	class []int
}

// clouds returns a random part of the source, and the target's samples at the
// given places, nil for all, as points.
func (t *Trainer) clouds(ctx context.Context, use int, at []int) (source, target cloud, err error) {
	k := len(t.c.Classes)
	from := train.Random(t.c.Seed, t.saved.Step, use).Perm(t.data.Source.N)
	from = from[:min(len(from), transportRows)]
	if source.rows, err = t.over(ctx, t.embedding, t.data.Source, from); err != nil {
		return source, target, err
	}
	if target.rows, err = t.over(ctx, t.embedding, t.data.Target, at); err != nil {
		return source, target, err
	}
	unit(source.rows, target.rows, k)
	scale := math.Sqrt(t.c.LabelCost)
	for i, row := range source.rows {
		p, y := row[len(row)-k:], int(t.data.Source.Labels[from[i]])
		clear(p)
		p[y] = scale
		source.class = append(source.class, y)
	}
	for _, row := range target.rows {
		p := row[len(row)-k:]
		target.class = append(target.class, softmax(p, p))
		for j := range p {
			p[j] *= scale
		}
	}
	return source, target, nil
}

// transport returns the weights of the target, or ctx.Err() soon after ctx is
// cancelled.
func (t *Trainer) transport(ctx context.Context) ([]float64, error) {
	source, target, err := t.clouds(ctx, useTransport, nil)
	if err != nil {
		return nil, err
	}
	order := train.Random(t.c.Seed, t.saved.Step, useParts).Perm(len(target.rows))
	points := gather(source.rows, nil)
	var problems []*transportPart
	for rows := range parts(order, transportRows) {
		problems = append(problems, &transportPart{rows: rows, source: points, target: gather(target.rows, rows)})
	}
	return solve(ctx, problems, len(order), t.c.Rho)
}

// parts yields an order in parts of about the same size, at most most.
func parts(order []int, most int) iter.Seq[[]int] {
	n := (len(order) + most - 1) / most
	return func(yield func([]int) bool) {
		for i := range n {
			if !yield(order[i*len(order)/n : (i+1)*len(order)/n]) {
				return
			}
		}
	}
}

// A transportPart is a problem between some rows of the target and of the
// source.
type transportPart struct {
	rows           []int // of the target
	source, target *ot.Points
}

// gather copies some rows, nil for all, into points.
func gather(all [][]float64, rows []int) *ot.Points {
	p := &ot.Points{Dim: len(all[0])}
	if rows == nil {
		p.Coords = slices.Concat(all...)
	}
	for _, i := range rows {
		p.Coords = append(p.Coords, all[i]...)
	}
	return p
}

// solve solves the parts side by side. Their weights have mean 1 and lie in the
// ball part by part, so those of the whole do.
func solve(ctx context.Context, parts []*transportPart, n int, rho float64) ([]float64, error) {
	weights := make([]float64, n)
	err := parallel.Try(len(parts), func(i int) error { return parts[i].solve(ctx, weights, rho) })
	return weights, err
}

func (p *transportPart) solve(ctx context.Context, weights []float64, rho float64) error {
	problem, err := ot.NewProblem(p.source, p.target, ot.SqEuclidean)
	if err != nil {
		return err
	}
	res, err := ot.Robust(ctx, problem, &ot.RobustOptions{Target: chisq.Ball{Rho: rho}, Tol: transportTol})
	var short *ot.ConvergenceError
	if errors.As(err, &short) {
		err = nil // feasible, and close enough to train with
	}
	if err != nil {
		return err
	}
	for i, at := range p.rows {
		weights[at] = res.B[i] * float64(len(p.rows))
	}
	return nil
}

// unit divides the features of both domains by the root mean square of the
// source's lengths, after which a cost of 1 means something. Their lengths stay
// different: what a network was not made for often shows by its length alone.
func unit(source, target [][]float64, k int) {
	sum := 0.0
	for _, row := range source {
		for _, v := range row[:len(row)-k] {
			sum += v * v
		}
	}
	if sum == 0 {
		return
	}
	scale := math.Sqrt(float64(len(source)) / sum)
	for _, rows := range [][][]float64{source, target} {
		for _, row := range rows {
			for j := range row[:len(row)-k] {
				row[j] *= scale
			}
		}
	}
}

// embedStep runs the networks in use over samples: features and logits.
func (t *Trainer) embedStep(s *nn.Scope, in []*Node) []*Node {
	s = s.Eval()
	step := train.Unpack(in[1], 0)
	f := t.features(s.In("M").In("F"), t.samples(in[0], step.Index))
	return []*Node{Concatenate([]*Node{f, t.classify(s.In("M"), f)}, 1)}
}
