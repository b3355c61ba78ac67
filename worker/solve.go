package worker

import (
	"context"
	"slices"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// A solution is the args of the "result" of a solver.
type solution struct {
	Value        number          `json:"value"`
	Lower        number          `json:"lower"`
	Transport    number          `json:"transport"`
	SourceLambda number          `json:"source_lambda"`
	TargetLambda number          `json:"target_lambda"`
	Iters        int             `json:"iters"`
	Encoded      *encodingAnswer `json:"encoded,omitempty"` // of tables
}

// solved is the answer that r makes, also with an error as long as there is an
// r. Only the arrays that were asked for travel.
func (q *request) solved(r *ot.Result, err error) (answer, error) {
	if r == nil {
		return answer{}, err
	}
	a := answer{args: solution{number(r.Value), number(r.Lower), number(r.Transport), number(r.SourceLambda), number(r.TargetLambda), r.Iters, q.encoded}}
	if slices.Contains(q.Want, "plan") && r.Plan != nil {
		a.arrays = append(a.arrays, Ints("i", r.Plan.I), Ints("j", r.Plan.J), Floats("mass", r.Plan.Mass))
	}
	if slices.Contains(q.Want, "marginals") {
		a.arrays = append(a.arrays, Floats("A", r.A), Floats("B", r.B), Floats("base_a", r.BaseA), Floats("base_b", r.BaseB))
	}
	if slices.Contains(q.Want, "potentials") {
		a.arrays = append(a.arrays, Floats("F", r.F), Floats("G", r.G))
	}
	return a, err
}

// exact takes tol and max_iters.
func exact(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	return q.solved(ot.Exact(ctx, p, &ot.ExactOptions{Tol: float64(q.Tol), MaxIters: q.MaxIters, Progress: q.progress()}))
}

// divergence is that of the request, chi-square where it has none.
func (q *request) divergence() (ot.Divergence, error) {
	if q.Divergence == "" {
		return ot.Chi2, nil
	}
	return ot.ParseDivergence(q.Divergence)
}

// robust takes rho, target_rho, divergence, tol and max_iters.
func robust(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	d, err := q.divergence()
	if err != nil {
		return answer{}, err
	}
	return q.solved(ot.Robust(ctx, p, &ot.RobustOptions{
		Source: chisq.Ball{Rho: float64(q.Rho)}, Target: chisq.Ball{Rho: float64(q.TargetRho)}, Divergence: d,
		Tol: float64(q.Tol), MaxIters: q.MaxIters, Progress: q.progress(),
	}))
}

// oneD takes points of one coordinate.
func oneD(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	return q.solved(ot.OneD(ctx, p, nil))
}

// partial takes mass, one_sided, tol and max_iters.
func partial(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	return q.solved(ot.Partial(ctx, p, &ot.PartialOptions{Mass: float64(q.Mass), OneSided: q.OneSided, Tol: float64(q.Tol), MaxIters: q.MaxIters, Progress: q.progress()}))
}

// unbalanced takes divergence, penalty, target_penalty, tol and max_iters.
func unbalanced(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	d, err := q.divergence()
	if err != nil {
		return answer{}, err
	}
	return q.solved(ot.Unbalanced(ctx, p, &ot.UnbalancedOptions{
		Divergence: d, Penalty: float64(q.Penalty), TargetPenalty: float64(q.TargetPenalty), Tol: float64(q.Tol), MaxIters: q.MaxIters, Progress: q.progress(),
	}))
}

// entropic takes epsilon, tol and max_iters.
func entropic(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	return q.solved(ot.Entropic(ctx, p, &ot.EntropicOptions{
		Epsilon: float64(q.Epsilon), Tol: float64(q.Tol), MaxIters: q.MaxIters, Progress: q.progress(),
		NoPlan: !slices.Contains(q.Want, "plan"),
	}))
}

// A curveAnswer is the args of the "result" of curve.
type curveAnswer struct {
	Plain     number          `json:"plain"`
	Elbow     number          `json:"elbow"`
	RhoMax    number          `json:"rho_max"`
	Sharpness number          `json:"sharpness"`
	Encoded   *encodingAnswer `json:"encoded,omitempty"` // of tables
}

// curve solves for the radii of the request.
func (q *request) curve(ctx context.Context) (*ot.CurveResult, error) {
	p, err := q.problem()
	if err != nil {
		return nil, err
	}
	return ot.Curve(ctx, p, q.floats("rhos"), &ot.CurveOptions{Tol: float64(q.Tol), Progress: q.progress()})
}

// curve takes tol and the array rhos, by default ot.DefaultRhos.
func curve(ctx context.Context, q *request) (answer, error) {
	c, err := q.curve(ctx)
	if c == nil {
		return answer{}, err
	}
	columns := make([][]float64, 4)
	for _, at := range c.Points {
		for k, v := range []float64{at.Rho, at.Value, at.Lower, at.Lambda} {
			columns[k] = append(columns[k], v)
		}
	}
	a := answer{args: curveAnswer{number(c.Plain), number(c.Elbow), number(c.RhoMax), number(c.Sharpness), q.encoded}}
	for k, name := range []string{"rho", "value", "lower", "lambda"} {
		a.arrays = append(a.arrays, Floats(name, columns[k]))
	}
	return a, err
}

// weights takes rho and the array scores; base weights are the array a.
func weights(_ context.Context, q *request) (answer, error) {
	w, s, err := chisq.Ball{Rho: float64(q.Rho)}.Solve(nil, q.floats("scores"), q.floats("a"))
	if err != nil {
		return answer{}, err
	}
	args := map[string]number{"value": number(s.Value), "lambda": number(s.Lambda), "threshold": number(s.Threshold)}
	return answer{args, []Array{Floats("weights", w)}}, nil
}
