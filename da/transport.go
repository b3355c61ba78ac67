package da

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"

	. "github.com/gomlx/gomlx/core/graph"

	"rot/chisq"
	"rot/nn"
	"rot/ot"
	"rot/train"
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
	// transportRows are the rows of a problem at most: larger targets are
	// solved in random parts, each against a random part of the source, which
	// takes time in proportion to the target and not to its square.
	transportRows = 2000
	// transportTol is the relative gap. The weights change by less than a
	// refresh changes them.
	transportTol = 1e-4
)

// The use of random numbers in a refresh; the batches of its step use 0.
const useTransport = 1

// transport returns the weights of the target.
func (t *Trainer) transport() ([]float64, error) {
	k := len(t.c.Classes)
	source, err := t.over(t.embedding, t.data.Source)
	if err != nil {
		return nil, err
	}
	target, err := t.over(t.embedding, t.data.Target)
	if err != nil {
		return nil, err
	}
	unit(source, target, k)
	scale := math.Sqrt(t.c.LabelCost)
	for i, row := range source {
		p := row[len(row)-k:]
		clear(p)
		p[t.data.Source.Labels[i]] = scale
	}
	for _, row := range target {
		p := row[len(row)-k:]
		softmax(p, p)
		for j := range p {
			p[j] *= scale
		}
	}
	rng := train.Random(t.c.Seed, t.saved.Step, useTransport)
	order := rng.Perm(len(target))
	parts := (len(order) + transportRows - 1) / transportRows
	var problems []*transportPart
	for i := range parts {
		p := &transportPart{rows: order[i*len(order)/parts : (i+1)*len(order)/parts]}
		from := rng.Perm(len(source))
		p.source = gather(source, from[:min(len(from), transportRows)])
		p.target = gather(target, p.rows)
		problems = append(problems, p)
	}
	return solve(problems, len(target), t.c.Rho)
}

// A transportPart is a problem between some rows of the target and of the
// source.
type transportPart struct {
	rows           []int // of the target
	source, target *ot.Points
	err            error
}

// gather copies rows into points.
func gather(all [][]float64, rows []int) *ot.Points {
	p := &ot.Points{Dim: len(all[0])}
	p.Coords = make([]float64, 0, len(rows)*p.Dim)
	for _, i := range rows {
		p.Coords = append(p.Coords, all[i]...)
	}
	return p
}

// solve solves the parts side by side. Their weights have mean 1 and lie in the
// ball part by part, so those of the whole do.
func solve(parts []*transportPart, n int, rho float64) ([]float64, error) {
	weights := make([]float64, n)
	var wait sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0))
	for _, p := range parts {
		wait.Add(1)
		free <- true
		go func() {
			defer wait.Done()
			p.err = p.solve(weights, rho)
			<-free
		}()
	}
	wait.Wait()
	for _, p := range parts {
		if p.err != nil {
			return nil, p.err
		}
	}
	return weights, nil
}

func (p *transportPart) solve(weights []float64, rho float64) error {
	problem, err := ot.NewProblem(p.source, p.target, ot.SqEuclidean)
	if err != nil {
		return err
	}
	res, err := ot.Robust(context.Background(), problem, &ot.RobustOptions{Target: chisq.Ball{Rho: rho}, Tol: transportTol})
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
	f := t.features(s.In("M").In("F"), t.samples(step, in[0], step.Index, false))
	return []*Node{Concatenate([]*Node{f, t.classify(s.In("M"), f)}, 1)}
}
