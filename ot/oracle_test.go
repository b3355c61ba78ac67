package ot

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"rot.example/rot/chisq"
)

// An oracleCase is an instance with what solvers that share no code with this
// package say about it; bench/peers/oracles makes the files.
type oracleCase struct {
	Name   string
	Metric string // empty for a given matrix
	X, Y   [][]float64
	Cost   [][]float64
	A, B   []float64 // nil: uniform

	Method string
	Value  float64
	Tol    float64 // relative to Scale
	Scale  float64

	Rho1, Rho2    float64
	Divergence    string
	Penalty       float64
	TargetPenalty float64 `json:"target_penalty"`
	Mass          float64
	Epsilon       float64
}

// loadOracles reads testdata/name.json.
func loadOracles(t *testing.T, name string) []oracleCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []oracleCase }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("no cases in %s", name)
	}
	return file.Cases
}

// problem is the instance as a Problem.
func (c *oracleCase) problem(t *testing.T) *Problem {
	t.Helper()
	if c.Metric == "" {
		var flat []float64
		for _, row := range c.Cost {
			flat = append(flat, row...)
		}
		cost, err := NewMatrixCost(len(c.Cost), len(c.Cost[0]), flat)
		if err != nil {
			t.Fatal(err)
		}
		return &Problem{Cost: cost, A: c.A, B: c.B}
	}
	metric, err := ParseMetric(c.Metric)
	if err != nil {
		t.Fatal(err)
	}
	x, err := FromRows(c.X)
	if err != nil {
		t.Fatal(err)
	}
	y, err := FromRows(c.Y)
	if err != nil {
		t.Fatal(err)
	}
	x.Weights, y.Weights = c.A, c.B
	p, err := NewProblem(x, y, metric)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// check asserts that the oracle's value lies between the bounds.
func (c *oracleCase) check(t *testing.T, r *Result) {
	t.Helper()
	tol := c.Tol * c.Scale
	if math.Abs(r.Value-c.Value) > tol || r.Lower > c.Value+tol {
		t.Errorf("bounds [%v, %v], oracle says %v ± %v", r.Lower, r.Value, c.Value, tol)
	}
}

func TestOracleExact(t *testing.T) {
	for _, c := range loadOracles(t, "plain") {
		t.Run(c.Name, func(t *testing.T) {
			p := c.problem(t)
			r, err := Exact(context.Background(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, p, r, 0, 0, 1e-9)
			c.check(t, r)
		})
	}
}

func TestOracleRobust(t *testing.T) {
	for _, c := range append(loadOracles(t, "robust"), loadOracles(t, "plain")...) {
		t.Run(fmt.Sprint(c.Name, " ", c.Rho1, " ", c.Rho2), func(t *testing.T) {
			c.check(t, certified(t, c.problem(t), c.Rho1, c.Rho2))
		})
	}
}

func TestOracleOneD(t *testing.T) {
	for _, c := range loadOracles(t, "oned") {
		t.Run(c.Name, func(t *testing.T) {
			p := c.problem(t)
			r, err := OneD(context.Background(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkPlain(t, p, r)
			c.check(t, r)
		})
	}
}

func TestOracleEntropic(t *testing.T) {
	for _, c := range loadOracles(t, "entropic") {
		t.Run(c.Name, func(t *testing.T) {
			p := c.problem(t)
			r, err := Entropic(context.Background(), p, &EntropicOptions{Epsilon: c.Epsilon, Tol: 1e-12, MaxIters: 100000})
			if err != nil {
				t.Fatal(err)
			}
			checkPlain(t, p, r)
			c.check(t, r)
		})
	}
}

func TestOracleUnbalanced(t *testing.T) {
	for _, c := range loadOracles(t, "unbalanced") {
		t.Run(c.Name, func(t *testing.T) {
			div, err := ParseDivergence(c.Divergence)
			if err != nil {
				t.Fatal(err)
			}
			p := c.problem(t)
			o := &UnbalancedOptions{Divergence: div, Penalty: c.Penalty, TargetPenalty: c.TargetPenalty}
			r, err := Unbalanced(context.Background(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			checkUnbalanced(t, p, o, r)
			c.check(t, r)
		})
	}
}

func TestOraclePartial(t *testing.T) {
	for _, c := range loadOracles(t, "partial") {
		t.Run(c.Name, func(t *testing.T) {
			p := c.problem(t)
			r, err := Partial(context.Background(), p, &PartialOptions{Mass: c.Mass})
			if err != nil {
				t.Fatal(err)
			}
			checkPartial(t, p, c.Mass, r)
			c.check(t, r)
		})
	}
}

func TestOracleBalls(t *testing.T) {
	for _, c := range loadOracles(t, "balls") {
		t.Run(fmt.Sprint(c.Name, " ", c.Divergence, " ", c.Rho1, " ", c.Rho2, " ", c.Mass), func(t *testing.T) {
			p := c.problem(t)
			var r *Result
			var err error
			if c.Method == "trim" {
				r, err = Partial(context.Background(), p, &PartialOptions{Mass: c.Mass, OneSided: true})
			} else {
				o := &RobustOptions{Source: chisq.Ball{Rho: c.Rho1}, Target: chisq.Ball{Rho: c.Rho2}}
				if o.Divergence, err = ParseDivergence(c.Divergence); err != nil {
					t.Fatal(err)
				}
				r, err = Robust(context.Background(), p, o)
			}
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, r)
		})
	}
}
