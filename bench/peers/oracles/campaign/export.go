package main

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"time"

	"rot.example/rot/internal/oracle"
	"rot.example/rot/ot"
)

// exported is an instance and its answer, as compare.py reads them.
type exported struct {
	Family        string        `json:"family"`
	Seed          uint64        `json:"seed"`
	Method        oracle.Method `json:"method"`
	M             int           `json:"m"`
	N             int           `json:"n"`
	Cost          []*float64    `json:"cost"` // row-major; null is a forbidden pair
	A             []float64     `json:"a"`    // null means uniform
	B             []float64     `json:"b"`
	Rho           float64       `json:"rho"`
	TargetRho     float64       `json:"target_rho"`
	Mass          float64       `json:"mass"`
	OneSided      bool          `json:"one_sided"`
	Divergence    string        `json:"divergence"`
	Penalty       float64       `json:"penalty"`
	TargetPenalty float64       `json:"target_penalty"`
	Value         float64       `json:"value"`
	Lower         float64       `json:"lower"`
	Error         string        `json:"error"`
}

// exportAll writes instances with the solvers' answers, one JSON object a line.
// Instances without an answer in finite numbers are left out: the campaign
// itself reports those.
func exportAll(o options, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for k := range o.n {
		in, err := oracle.Generate(o.families[k%len(o.families)], o.first+uint64(k/len(o.families)))
		if err != nil {
			return err
		}
		if err := exportOne(f, in, o.limit); err != nil {
			return err
		}
	}
	return f.Close()
}

func exportOne(w io.Writer, in *oracle.Instance, limit time.Duration) error {
	if in.Method == oracle.Curve {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, failed := in.Solve(ctx)
	if r == nil || math.IsNaN(r.Value+r.Lower) || math.IsInf(r.Value, 0) || math.IsInf(r.Lower, 0) {
		return nil
	}
	e := exported{
		Family: in.Family, Seed: in.Seed, Method: in.Method, M: in.M, N: in.N, A: in.A, B: in.B,
		Rho: in.Rho, TargetRho: in.TargetRho, Mass: in.Mass, OneSided: in.OneSided, Divergence: in.Divergence.String(),
		Penalty: in.Penalty, TargetPenalty: in.TargetPenalty, Value: r.Value, Lower: r.Lower,
	}
	if failed != nil {
		e.Error = failed.Error()
	}
	p, err := in.Problem()
	if err != nil {
		return err
	}
	for i := range in.M {
		for j := range in.N {
			e.Cost = append(e.Cost, finite(p.Cost, i, j))
		}
	}
	return json.NewEncoder(w).Encode(e)
}

// finite is a cost, nil for a forbidden pair.
func finite(c *ot.Cost, i, j int) *float64 {
	v := c.At(i, j)
	if math.IsInf(v, 1) {
		return nil
	}
	return &v
}
