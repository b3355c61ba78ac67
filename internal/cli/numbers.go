package cli

import (
	"errors"
	"io"

	"rot.example/rot/ot"
	tab "rot.example/rot/table"
)

// checkNumbers refuses a file of numbers whose ending no format has.
func checkNumbers(flag, path string) error {
	if path != "" && !tab.CanWrite(path) {
		return usagef("%s %s: the name must end in %s", flag, path, tab.Writable)
	}
	return nil
}

// stageWeights writes the weights of a side in the format that the name asks
// for: index and weight, or in a .npy file the weights alone.
func stageWeights(out *outputs, path string, s *ot.Side) error {
	return out.stage(path, func(w io.Writer) error {
		if s.Weights == nil {
			return errors.New("the plan moves nothing, so that there are no weights")
		}
		columns := []tab.NumberColumn{{Name: "index", Ints: counting(len(s.Weights))}, {Name: "weight", Floats: s.Weights}}
		if tab.IsVector(path) {
			columns = columns[1:]
		}
		return tab.WriteNumbers(w, path, columns)
	})
}

// stagePlan writes a plan: i, j and mass of each move.
func stagePlan(out *outputs, path string, p *ot.Plan) error {
	return out.stage(path, func(w io.Writer) error {
		return tab.WriteNumbers(w, path, []tab.NumberColumn{{Name: "i", Ints: wide(p.I)}, {Name: "j", Ints: wide(p.J)}, {Name: "mass", Floats: p.Mass}})
	})
}

// stagePotentials writes the dual potentials: f of the source and g of the
// target where the format has room for two lengths; else side (0 for the
// source), index and potential.
func stagePotentials(out *outputs, path string, r *ot.Result) error {
	return out.stage(path, func(w io.Writer) error {
		if r.F == nil || r.G == nil {
			return errors.New("this method has no potentials")
		}
		if tab.IsRagged(path) {
			return tab.WriteNumbers(w, path, []tab.NumberColumn{{Name: "f", Floats: r.F}, {Name: "g", Floats: r.G}})
		}
		m, n := len(r.F), len(r.G)
		side := make([]int64, m+n)
		for k := m; k < m+n; k++ {
			side[k] = 1
		}
		index := append(counting(m), counting(n)...)
		all := append(append(make([]float64, 0, m+n), r.F...), r.G...)
		return tab.WriteNumbers(w, path, []tab.NumberColumn{{Name: "side", Ints: side}, {Name: "index", Ints: index}, {Name: "potential", Floats: all}})
	})
}

// counting is 0, 1, …, n-1.
func counting(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

func wide(v []int32) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}
