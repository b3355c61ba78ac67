package worker

import (
	"context"
	"fmt"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// A certificateAnswer is the args of the "result" of certify.
type certificateAnswer struct {
	Feasible  bool            `json:"feasible"`
	Violation number          `json:"violation"`
	Worst     string          `json:"worst"` // the largest violation in words; "" for none
	Value     number          `json:"value"`
	Upper     number          `json:"upper"`
	Lower     number          `json:"lower"`
	Sweeps    int             `json:"sweeps"`
	Solved    bool            `json:"solved"`
	Encoded   *encodingAnswer `json:"encoded,omitempty"` // of tables
}

// certify takes rho, target_rho, divergence, mass, one_sided, penalty, target_penalty, slack, tol, sweeps, the
// plan as the arrays i, j and mass, and potentials as F and G.
func certify(ctx context.Context, q *request) (answer, error) {
	p, err := q.problem()
	if err != nil {
		return answer{}, err
	}
	plan := &ot.Plan{Mass: q.floats("mass")}
	for _, side := range []struct {
		name string
		to   *[]int32
	}{{"i", &plan.I}, {"j", &plan.J}} {
		for _, v := range q.floats(side.name) {
			k := int32(v)
			if float64(k) != v {
				return answer{}, fmt.Errorf("worker: %v in %s is not a row number: %w", v, side.name, ot.ErrShape)
			}
			*side.to = append(*side.to, k)
		}
	}
	d, err := q.divergence()
	if err != nil {
		return answer{}, err
	}
	c, err := ot.Certify(ctx, p, plan, &ot.CertifyOptions{
		Source: chisq.Ball{Rho: float64(q.Rho)}, Target: chisq.Ball{Rho: float64(q.TargetRho)}, Divergence: d, Mass: float64(q.Mass), OneSided: q.OneSided,
		Penalty: float64(q.Penalty), TargetPenalty: float64(q.TargetPenalty),
		F: q.floats("F"), G: q.floats("G"), Slack: float64(q.Slack), Tol: float64(q.Tol), Sweeps: q.Sweeps, Progress: q.progress(),
	})
	if c == nil || err != nil {
		return answer{}, err
	}
	args := certificateAnswer{c.Feasible, number(c.Violation), "", number(c.Value), number(c.Upper), number(c.Lower), c.Sweeps, c.Solved, q.encoded}
	if c.Worst != nil {
		args.Worst = c.Worst.String()
	}
	return answer{args, []Array{Floats("F", c.F), Floats("G", c.G)}}, nil
}
