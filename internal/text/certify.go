package text

import (
	"fmt"
	"strings"

	"rot.example/rot/ot"
)

// A Certified is a plan that was looked at.
type Certified struct {
	*ot.Certificate
	Input
	Plan       string            // file
	Potentials string            // file; "" for none
	Asked      ot.CertifyOptions // which weights the plan may have
	Entries    int               // of the plan
	Seconds    float64
}

// CertifiedJSON is a Certified as JSON has it; scripts rely on the names.
type CertifiedJSON struct {
	Feasible  bool       `json:"feasible"`
	Violation Number     `json:"violation"`
	Worst     *faultJSON `json:"worst"`
	Value     Number     `json:"value"`
	Upper     Number     `json:"upper"`
	Lower     Number     `json:"lower"`
	Gap       Number     `json:"gap"`
	RelGap    Number     `json:"rel_gap"`

	Rho       float64 `json:"rho"`
	TargetRho float64 `json:"target_rho"`

	Divergence string  `json:"divergence,omitempty"`
	Share      float64 `json:"share,omitempty"` // of the mass that should move, where that is not all
	TrimSide   string  `json:"trim_side,omitempty"`
	Penalty    float64 `json:"penalty,omitempty"` // of unbalanced transport

	Metric  string  `json:"metric"`
	M       int     `json:"m"`
	N       int     `json:"n"`
	Dim     int     `json:"dim"`
	Entries int     `json:"entries"` // of the plan
	Mass    Number  `json:"mass"`    // that it moves, of 1
	Sweeps  int     `json:"sweeps"`
	Solved  bool    `json:"solved"`
	Seconds float64 `json:"seconds"`
}

type faultJSON struct {
	Kind string `json:"kind"`
	Row  int    `json:"row"` // -1 where a whole side is meant
	Col  int    `json:"col"`
	Have Number `json:"have"`
	Want Number `json:"want"`
	Text string `json:"text"`
}

// JSON returns a as JSON has it.
func (a *Certified) JSON() *CertifiedJSON {
	c := a.Cost
	m, n := c.Dims()
	j := &CertifiedJSON{
		Feasible: a.Feasible, Violation: Number(a.Violation), Value: Number(a.Value), Upper: Number(a.Upper), Lower: Number(a.Lower),
		Gap: Number(a.Gap()), RelGap: Number(a.RelGap()), Rho: a.Asked.Source.Rho, TargetRho: a.Asked.Target.Rho,
		Metric: c.Metric().String(), M: m, N: n, Dim: c.Dim(), Entries: a.Entries, Mass: Number(a.Total),
		Sweeps: a.Sweeps, Solved: a.Solved, Seconds: a.Seconds,
	}
	if o := &a.Asked; o.Divergence != ot.Chi2 {
		j.Divergence = o.Divergence.String()
	}
	j.Penalty = a.Asked.Penalty
	if o := &a.Asked; o.Mass > 0 && o.Mass < 1 {
		j.Share, j.TrimSide = o.Mass, "both"
		if o.OneSided {
			j.TrimSide = "source"
		}
	}
	if f := a.Worst; f != nil {
		j.Worst = &faultJSON{string(f.Kind), f.Row, f.Col, Number(f.Have), Number(f.Want), f.String()}
	}
	return j
}

// Text is the answer in words.
func (a *Certified) Text() string {
	var b strings.Builder
	a.describe(&b)
	fmt.Fprintf(&b, "Plan %s: %s\n\n", a.Plan, plural(a.Entries, "move"))
	if a.Feasible {
		fmt.Fprintf(&b, "Feasible, and %s\n", a.verdict())
	} else {
		fmt.Fprintf(&b, "Not feasible: %s of the mass is in the wrong place.\n", share(a.Violation))
	}
	if f := a.Worst; f != nil && !a.Feasible {
		fmt.Fprintf(&b, "  worst       %s\n", f)
	}
	fmt.Fprintf(&b, "  cost        %s%s\n", digits(a.Value, 6), a.priced())
	if !a.Feasible {
		fmt.Fprintf(&b, "  repaired    %s, the cost once %s\n", digits(a.Upper, 6), a.repair())
	}
	fmt.Fprintf(&b, "  at least    %s, by %s\n", digits(a.Lower, 6), a.source())
	fmt.Fprintf(&b, "  gap         %s at most", digits(a.Gap(), 3))
	if !a.Feasible {
		b.WriteString(", of the repaired plan")
	}
	b.WriteString("\n")
	return b.String()
}

// priced says what the cost has in it beside the moves.
func (a *Certified) priced() string {
	if a.Asked.Penalty == 0 {
		return ""
	}
	o := &a.Asked
	penalty := digits(o.Penalty, 6)
	if o.TargetPenalty > 0 && o.TargetPenalty != o.Penalty {
		penalty += " (targets " + digits(o.TargetPenalty, 6) + ")"
	}
	return fmt.Sprintf(", the weights' %s penalty of %s included; it moves %s of the mass", o.Divergence, penalty, share(a.Total))
}

// repair says what makes the plan feasible.
func (a *Certified) repair() string {
	if a.Asked.Penalty > 0 {
		return "what no plan may move stays where it is"
	}
	return "every row has the mass that it should"
}

// verdict says how good a feasible plan is.
func (a *Certified) verdict() string {
	switch gap := a.RelGap(); {
	case gap < 1e-12:
		return "optimal up to rounding."
	case gap < 1e-4:
		return fmt.Sprintf("at most %s of its cost above the optimum.", digits(gap, 2))
	default:
		return fmt.Sprintf("at most %s of its cost above the optimum.", share(gap))
	}
}

// share is a part of a whole as a percentage.
func share(v float64) string {
	if v < 1e-4 {
		return digits(v, 2)
	}
	return digits(100*v, 3) + " %"
}

// source says where the lower bound comes from.
func (a *Certified) source() string {
	switch {
	case a.Solved:
		return "a solve of the problem"
	case a.Potentials != "":
		return "the given potentials"
	case a.Sweeps > 0:
		return fmt.Sprintf("%s over all pairs", plural(a.Sweeps, "sweep"))
	}
	return "costs that are never negative"
}
