package dataset

import (
	"errors"
	"io"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// WriteWeights writes the weights of a side in the format of the file name path:
// index and weight, or in a .npy file the weights alone. LoadWeights reads them.
func WriteWeights(w io.Writer, path string, weights []float64) error {
	if weights == nil {
		return errors.New("the plan moves nothing, so that there are no weights")
	}
	columns := []table.NumberColumn{{Name: "index", Ints: counting(len(weights))}, {Name: "weight", Floats: weights}}
	if table.IsVector(path) {
		columns = columns[1:]
	}
	return table.WriteNumbers(w, path, columns)
}

// WritePlan writes a plan in the format of the file name path: i, j and mass of
// each move.
func WritePlan(w io.Writer, path string, p *ot.Plan) error {
	return table.WriteNumbers(w, path, []table.NumberColumn{{Name: "i", Ints: wide(p.I)}, {Name: "j", Ints: wide(p.J)}, {Name: "mass", Floats: p.Mass}})
}

// WritePotentials writes the dual potentials in the format of the file name
// path: f of the source and g of the target where the format has room for two
// lengths; else side (0 for the source), index and potential.
func WritePotentials(w io.Writer, path string, r *ot.Result) error {
	if r.F == nil || r.G == nil {
		return errors.New("this method has no potentials")
	}
	if table.IsRagged(path) {
		return table.WriteNumbers(w, path, []table.NumberColumn{{Name: "f", Floats: r.F}, {Name: "g", Floats: r.G}})
	}
	m, n := len(r.F), len(r.G)
	side := make([]int64, m+n)
	for k := m; k < m+n; k++ {
		side[k] = 1
	}
	index := append(counting(m), counting(n)...)
	all := append(append(make([]float64, 0, m+n), r.F...), r.G...)
	return table.WriteNumbers(w, path, []table.NumberColumn{{Name: "side", Ints: side}, {Name: "index", Ints: index}, {Name: "potential", Floats: all}})
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
