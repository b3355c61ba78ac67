package worker

import (
	"bytes"
	"context"
	"fmt"

	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// drawn is a page as the array html.
func drawn(p *page.Page) (Array, error) {
	var b bytes.Buffer
	err := p.Write(&b)
	return Bytes("html", b.Bytes()), err
}

// sideName is what a page calls X or Y.
func (q *request) sideName(k int) string {
	if q.Names[k] != "" {
		return q.Names[k]
	}
	return []string{"X", "Y"}[k]
}

// shown is a sample as pages take it.
func (q *request) shown(k int, s *sample) *page.Sample {
	out := &page.Sample{Name: q.sideName(k), Points: s.points}
	if e := s.encoding; e != nil && e.Named {
		out.Columns, out.Levels = e.Components(), e.LevelComponents()
	}
	return out
}

// distancePage takes what robust takes, and its answer in kept and in the arrays
// of all that can be wanted. It returns the page as the array html.
func distancePage(ctx context.Context, q *request) (answer, error) {
	if q.Kept == nil {
		return answer{}, fmt.Errorf("worker: a page needs the answer that it shows: %w", errRequest)
	}
	o := &page.DistanceOptions{}
	var p *ot.Problem
	var err error
	if q.arrays["M"] != nil {
		o.Costs = "M"
		p, err = q.problem()
	} else {
		var s []*sample
		if s, err = q.sides("X", "Y"); err != nil {
			return answer{}, err
		}
		o.Source, o.Target, o.Encoding = q.shown(0, s[0]), q.shown(1, s[1]), s[0].encoding.Summary()
		p, err = q.between(s[0].points, s[1].points)
	}
	if err != nil {
		return answer{}, err
	}
	k := q.Kept
	r := &ot.Result{
		Value: float64(k.Value), Lower: float64(k.Lower), Transport: float64(k.Transport), SourceLambda: float64(k.SourceLambda), TargetLambda: float64(k.TargetLambda), Iters: k.Iters,
		A: q.floats("A"), B: q.floats("B"), F: q.floats("F"), G: q.floats("G"), BaseA: q.floats("base_a"), BaseB: q.floats("base_b"),
	}
	if i, j := q.arrays["i"], q.arrays["j"]; i != nil && j != nil {
		r.Plan = &ot.Plan{I: i.Ints, J: j.Ints, Mass: q.floats("mass")}
	}
	asked := &ot.SolveOptions{Rho: float64(q.Rho), TargetRho: float64(q.TargetRho), Tol: float64(q.Tol)}
	if asked.Divergence, err = q.divergence(); err != nil {
		return answer{}, err
	}
	if q.Mass > 0 {
		asked.Method, asked.Mass, asked.OneSided = ot.MethodPartial, float64(q.Mass), q.OneSided
	}
	s, err := ot.NewSolution(p, r, asked)
	if err != nil {
		return answer{}, err
	}
	if o.Comparison, err = page.Compare(ctx, s); err != nil {
		return answer{}, err
	}
	html, err := drawn(page.Distance(s, o))
	return answer{arrays: []Array{html}}, err
}

// curvePage takes what curve takes, and returns its page as the array html.
func curvePage(ctx context.Context, q *request) (answer, error) {
	c, err := q.curve(ctx)
	if c == nil {
		return answer{}, err
	}
	o := &page.CurveOptions{Source: q.sideName(0), Target: q.sideName(1)}
	if q.encoded != nil {
		o.Encoding = q.encoded.Text
	}
	html, err := drawn(page.Curve(c, o))
	return answer{arrays: []Array{html}}, err
}
