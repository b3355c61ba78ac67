package ot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind names what was computed, such as "robust transport".
func (s *Solution) Kind() string {
	o := &s.Options
	switch {
	case o.Method == MethodPartial && o.OneSided:
		return fmt.Sprintf("partial transport from %s of the source", asPercent(o.Mass))
	case o.Method == MethodPartial:
		return fmt.Sprintf("partial transport of %s of the mass", asPercent(o.Mass))
	case o.Method == MethodUnbalanced:
		return fmt.Sprintf("unbalanced transport (%s, penalty %s)", o.Divergence, shortFloat(o.Penalty, 4))
	case o.Method == MethodEntropic:
		return "entropic transport"
	case s.Robust() && o.Divergence == TV:
		return "robust transport in total variation"
	case s.Robust() && o.Divergence == KL:
		return "robust transport in KL divergence"
	case s.Robust():
		return "robust transport"
	}
	return "optimal transport"
}

// Title is Kind as a heading, with the radii.
func (s *Solution) Title() string {
	o := &s.Options
	kind := s.Kind()
	title := strings.ToUpper(kind[:1]) + kind[1:]
	if o.Rho > 0 {
		title += fmt.Sprintf(", ρ = %s (γ = %s)", shortFloat(o.Rho, 4), asPercent(o.Gamma(o.Rho)))
	}
	if o.TargetRho > 0 {
		title += fmt.Sprintf(", target ρ = %s", shortFloat(o.TargetRho, 4))
	}
	return title
}

// Certificate says in words how exact the value is.
func (s *Solution) Certificate() string {
	r := s.Result
	of := "the optimum"
	if s.Options.Method == MethodEntropic {
		of = "plain transport without smoothing"
	}
	switch gap := r.RelGap(); {
	case s.Stopped != nil:
		return fmt.Sprintf("%s lies between %s and %s (relative gap %s)", of, shortFloat(r.Lower, 6), shortFloat(r.Value, 6), shortFloat(gap, 2))
	case math.Abs(gap) < 1e-12:
		return fmt.Sprintf("exact up to rounding (relative gap %s)", shortFloat(math.Max(gap, 0), 2))
	case s.Short == nil && math.Abs(r.Gap()) < 1e-14 && s.Options.Method != MethodEntropic:
		return "exact up to rounding"
	case s.Short == nil && s.Options.Method != MethodEntropic:
		return fmt.Sprintf("at most %s above the optimum (relative gap %s)", shortFloat(r.Gap(), 2), shortFloat(gap, 2))
	default:
		return fmt.Sprintf("%s lies between %s and %s (relative gap %s)", of, shortFloat(r.Lower, 6), shortFloat(r.Value, 6), shortFloat(gap, 2))
	}
}

// RadiusChoice says in words how an automatic radius was chosen.
func (s *Solution) RadiusChoice() string {
	switch {
	case s.Options.Rho == 0:
		return "the curve V(ρ) has no elbow: plain transport"
	case s.Curve != nil && s.Curve.Sharpness < FaintElbow:
		return "where the curve V(ρ) bends most, though hardly: a very rough guess"
	}
	return "the elbow of the curve V(ρ), a rough guess"
}

func shortFloat(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) }

func asPercent(v float64) string { return shortFloat(100*v, 3) + " %" }
