package ot

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Sinkhorn's iteration crawls where a few light rows decide, or where ε is
// small. Its dual as a function of the targets' potentials alone,
//
//	J(g) = Σ b_j g_j − ε Σ a_i log Σ_j b_j exp((g_j − C_ij)/ε),
//
// is smooth and concave, and for few targets Newton's method finishes what the
// iteration began.

const (
	newtonTargets = 200  // at most so many
	newtonAfter   = 2000 // passes of Sinkhorn
	newtonSteps   = 200
)

// newton maximizes J from the potentials at hand until the marginals are right
// to tol, and returns how far they are.
func (s *sinkhorn) newton(ctx context.Context, tol float64) (miss float64, err error) {
	n := len(s.b)
	at := newSemiDual(s)
	if err := at.eval(ctx, s.g, true); err != nil {
		return 0, err
	}
	g, d := make([]float64, n), mat.NewVecDense(n, nil)
	for range newtonSteps {
		if at.miss <= tol {
			break
		}
		if !at.direction(d) {
			break
		}
		climb := mat.Dot(d, mat.NewVecDense(n, at.slope))
		before, short := at.value, at.miss
		better := false
		for t := 1.0; t > 1e-12; t /= 2 {
			for j := range g {
				g[j] = s.g[j] + t*d.AtVec(j)
			}
			if err := at.eval(ctx, g, false); err != nil {
				return 0, err
			}
			if at.value >= before+1e-4*t*climb || at.value >= before-1e-13*math.Abs(before) && at.miss < 0.9*short {
				better = true
				break
			}
		}
		if !better {
			if err := at.eval(ctx, s.g, false); err != nil {
				return 0, err
			}
			break
		}
		copy(s.g, g)
		if err := at.eval(ctx, s.g, true); err != nil {
			return 0, err
		}
	}
	copy(s.f, at.f)
	return at.miss, nil
}

// A semiDual is J with its derivatives at one point.
type semiDual struct {
	s     *sinkhorn
	value float64
	slope []float64
	bend  *mat.SymDense // −J″, in units of 1/ε
	miss  float64       // L1 norm of the slope
	f     []float64     // the sources' potentials
}

func newSemiDual(s *sinkhorn) *semiDual {
	return &semiDual{s: s, slope: make([]float64, len(s.b)), bend: mat.NewSymDense(len(s.b), nil), f: make([]float64, len(s.a))}
}

// eval computes J and its slope at g; second: −J″ as well.
func (q *semiDual) eval(ctx context.Context, g []float64, second bool) error {
	s := q.s
	n := len(s.b)
	row, cost := make([]float64, n), make([]float64, n)
	copy(q.slope, s.b)
	if second {
		q.bend.Zero()
	}
	var value sum
	for j, b := range s.b {
		if b > 0 {
			value.add(b * g[j])
		}
	}
	for i, a := range s.a {
		if i&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if a == 0 {
			continue
		}
		c := s.rows.row(i, cost)
		top := math.Inf(-1)
		for j, b := range s.b {
			if b > 0 {
				row[j] = (g[j] - c[j]) / s.eps
				top = math.Max(top, row[j])
			}
		}
		var total float64
		for j, b := range s.b {
			if b > 0 {
				row[j] = b * math.Exp(row[j]-top)
				total += row[j]
			}
		}
		q.f[i] = -s.eps * (top + math.Log(total))
		value.add(a * q.f[i])
		for j := range row {
			row[j] *= a / total
			q.slope[j] -= row[j]
		}
		if second {
			q.bend.SymRankOne(q.bend, -1/a, mat.NewVecDense(n, row))
		}
	}
	q.value, q.miss = value.total(), 0
	for j, v := range q.slope {
		q.miss += math.Abs(v)
		if second {
			q.bend.SetSym(j, j, q.bend.At(j, j)+s.b[j]-v)
		}
	}
	return nil
}

// direction is Newton's: −J″·d = J′. J does not change with the level of g,
// which is held; a ridge holds what rounding leaves without curvature.
func (q *semiDual) direction(d *mat.VecDense) bool {
	n := len(q.slope)
	top := 0.0
	for j := range n {
		top = math.Max(top, q.bend.At(j, j))
	}
	h := mat.NewSymDense(n, nil)
	for ridge := 1e-15; ridge < 1; ridge *= 100 {
		for i := range n {
			for j := i; j < n; j++ {
				h.SetSym(i, j, q.bend.At(i, j)+top/float64(n)*q.s.b[i]*q.s.b[j])
			}
			h.SetSym(i, i, h.At(i, i)+ridge*q.s.b[i]+1e-300)
		}
		var chol mat.Cholesky
		if !chol.Factorize(h) {
			continue
		}
		if err := chol.SolveVecTo(d, mat.NewVecDense(n, q.slope)); err != nil {
			if _, near := err.(mat.Condition); !near {
				continue
			}
		}
		d.ScaleVec(q.s.eps, d)
		ok := true
		for j := range n {
			ok = ok && !math.IsNaN(d.AtVec(j)) && !math.IsInf(d.AtVec(j), 0)
		}
		if ok {
			return true
		}
	}
	return false
}
