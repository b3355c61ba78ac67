package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"rot.example/rot/ot"
)

// errRequest reports a request that no caller of the libraries could make.
var errRequest = errors.New("request is not usable")

// A request is the args and arrays of a message. Which of them an operation
// looks at is said there; the zero value of each is the library's default.
type request struct {
	Metric        string `json:"metric"`
	Rho           number `json:"rho"`
	TargetRho     number `json:"target_rho"`
	Tol           number `json:"tol"`
	MaxIters      int    `json:"max_iters"`
	Mass          number `json:"mass"`
	Epsilon       number `json:"epsilon"`
	OneSided      bool   `json:"one_sided"`
	Truncate      number `json:"truncate"`
	Divergence    string `json:"divergence"`
	Penalty       number `json:"penalty"`
	TargetPenalty number `json:"target_penalty"`
	Gamma         number `json:"gamma"`
	Core          int    `json:"core"`
	Unscaled      bool   `json:"unscaled"`
	Seed          uint64 `json:"seed"`
	Alpha         number `json:"alpha"`
	FDR           number `json:"fdr"`
	Permutations  int    `json:"permutations"`
	Rows          int    `json:"rows"`
	Slack         number `json:"slack"`
	Sweeps        int    `json:"sweeps"`
	tableRequest
	Names    [2]string `json:"names"` // of X and Y on a page
	Kept     *solution `json:"kept"`  // the answer that a page is of
	Want     []string  `json:"want"`  // plan, marginals, potentials: which arrays to send back
	Progress bool      `json:"progress"`
	Patience number    `json:"patience"` // seconds in which nobody wants to know of progress

	arrays  map[string]*Array
	report  func(progress)  // nil unless Progress
	encoded *encodingAnswer // of the problem's tables
}

// A progress is the args of a "progress".
type progress struct {
	Stage string `json:"stage"`
	Iters int    `json:"iters"`
	Done  number `json:"done"` // in [0, 1], or nan
}

// operations is all that can be asked for.
var operations map[string]func(context.Context, *request) (answer, error)

func init() {
	operations = map[string]func(context.Context, *request) (answer, error){
		"exact":      exact,
		"robust":     robust,
		"one_d":      oneD,
		"partial":    partial,
		"unbalanced": unbalanced,
		"entropic":   entropic,
		"curve":      curve,
		"certify":    certify,
		"weights":    weights,
		"find":       find,
		"fit":        fit,
		"score":      score,
		"encode":     encode,
		"drift":      compare,
		"drift_page": driftPage,
		"page":       distancePage,
		"curve_page": curvePage,
	}
}

// Operations lists what Serve can be asked for.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }

func newRequest(m *Message) (*request, error) {
	q := &request{arrays: map[string]*Array{}}
	if len(m.Args) > 0 {
		if err := json.Unmarshal(m.Args, q); err != nil {
			return nil, fmt.Errorf("worker: args of %q: %v: %w", m.Op, err, errRequest)
		}
	}
	for i := range m.Arrays {
		q.arrays[m.Arrays[i].Name] = &m.Arrays[i]
	}
	return q, nil
}

// progress is what the solvers call, nil when nobody wants to know.
func (q *request) progress() func(ot.Progress) {
	if q.report == nil {
		return nil
	}
	return func(p ot.Progress) { q.report(progress{p.Stage, p.Iters, number(p.Done)}) }
}

// floats is the array name, nil where there is none.
func (q *request) floats(name string) []float64 {
	if a := q.arrays[name]; a != nil {
		return a.Floats
	}
	return nil
}

// points is the array name of two dimensions, one row a point.
func (q *request) points(name string) (*ot.Points, error) {
	a := q.arrays[name]
	if a == nil {
		return nil, fmt.Errorf("worker: array %q is missing: %w", name, errRequest)
	}
	if a.DType != float64s || len(a.Shape) != 2 || a.Shape[1] == 0 {
		return nil, fmt.Errorf("worker: array %q has the shape %v, not rows of numbers: %w", name, a.Shape, errRequest)
	}
	return &ot.Points{Dim: a.Shape[1], Coords: a.Floats}, nil
}

// problem is made of M, a cost matrix, or of the points X and Y; a and b are
// the weights, uniform where they are missing.
func (q *request) problem() (*ot.Problem, error) {
	if m := q.arrays["M"]; m != nil {
		if m.DType != float64s || len(m.Shape) != 2 {
			return nil, fmt.Errorf("worker: cost of shape %v is not a matrix of numbers: %w", m.Shape, errRequest)
		}
		cost, err := ot.NewMatrixCost(m.Shape[0], m.Shape[1], m.Floats)
		if err != nil {
			return nil, err
		}
		p := &ot.Problem{Cost: cost, A: q.floats("a"), B: q.floats("b")}
		return p, q.truncate(p)
	}
	s, err := q.sides("X", "Y")
	if err != nil {
		return nil, err
	}
	if s[0].encoding != nil {
		e := newEncodingAnswer(s...)
		q.encoded = &e
	}
	return q.between(s[0].points, s[1].points)
}

// sides are the rows of two samples: arrays as they are, or by an encoding.
func (q *request) sides(x, y string) ([]*sample, error) {
	if q.isTable(x) || q.isTable(y) {
		return q.samples(x, y)
	}
	var out []*sample
	for _, name := range []string{x, y} {
		p, err := q.points(name)
		if err != nil {
			return nil, err
		}
		out = append(out, &sample{points: p})
	}
	return out, nil
}

// between is the problem of two samples.
func (q *request) between(x, y *ot.Points) (*ot.Problem, error) {
	metric := ot.Euclidean
	if q.Metric != "" {
		var err error
		if metric, err = ot.ParseMetric(q.Metric); err != nil {
			return nil, err
		}
	}
	x.Weights, y.Weights = q.floats("a"), q.floats("b")
	p, err := ot.NewProblem(x, y, metric)
	if err != nil {
		return nil, err
	}
	return p, q.truncate(p)
}

// truncate cuts the costs of a problem off where the request says so.
func (q *request) truncate(p *ot.Problem) (err error) {
	if q.Truncate != 0 {
		p.Cost, err = p.Cost.Truncated(float64(q.Truncate))
	}
	return err
}
