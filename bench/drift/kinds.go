package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"rot.example/rot/ot"
)

// The ways in which the new sample differs.
var (
	dirtyKinds = []string{"dirty: scattered", "dirty: clump", "dirty: one column"}
	powerKinds = []string{"mean, all columns", "mean, one column", "scale, all columns", "scale, one column", "correlation", "class prior", "domain"}
)

// draw is two samples of the source, of which the second has the kind done to
// it. The sizes of the effects are such that some are found and some are not.
func (s source) draw(kind string, number, rows int, rng *rand.Rand) trial {
	perm := rng.Perm(s.rows.Len())
	var a, b []int
	switch kind {
	case "class prior":
		a, b = s.priors(perm, min(rows, 150), rng)
	case "domain":
		a, b = s.domains(perm, min(rows, 40), rng)
	default:
		n := min(len(perm)/2, rows)
		a, b = perm[:n], perm[n:2*n]
	}
	t := trial{source: s.name, kind: kind, number: number, old: pick(s.rows, a), fresh: pick(s.rows, b), feature: s.feature}
	t.change(spreads(s.rows), rng)
	return t
}

func pick(x *ot.Points, rows []int) *ot.Points {
	out := &ot.Points{Dim: x.Dim}
	for _, i := range rows {
		out.Coords = append(out.Coords, x.Row(i)...)
	}
	return out
}

// priors draws a with the classes as they are, and b with one class in three
// half as often. Both are of one domain.
func (s source) priors(perm []int, n int, rng *rand.Rand) (a, b []int) {
	domain := s.domain[perm[0]]
	for _, i := range perm[1:] {
		switch {
		case s.domain[i] != domain:
		case len(a) < n && rng.IntN(2) == 0:
			a = append(a, i)
		case len(b) < n && (s.class[i]%3 != 0 || rng.IntN(2) == 0):
			b = append(b, i)
		}
	}
	return a, b
}

// domains draws a from one domain and b from a mixture that has every fifth row
// from another.
func (s source) domains(perm []int, n int, rng *rand.Rand) (a, b []int) {
	first := s.domain[perm[0]]
	second := first
	for _, i := range perm {
		if second = s.domain[i]; second != first {
			break
		}
	}
	other := 0
	for _, i := range perm {
		switch {
		case s.domain[i] == first && len(a) < n:
			a = append(a, i)
		case s.domain[i] == second && other < n/5:
			b = append(b, i)
			other++
		case s.domain[i] == first && len(b)-other < n-n/5:
			b = append(b, i)
		}
	}
	return a, b
}

// spreads are the deviations of the columns, with the ends of the values left
// out.
func spreads(x *ot.Points) []float64 {
	out := make([]float64, x.Dim)
	for j := range out {
		var mean, square float64
		n := float64(x.Len())
		for i := range x.Len() {
			mean += x.Row(i)[j] / n
		}
		for i := range x.Len() {
			square += (x.Row(i)[j] - mean) * (x.Row(i)[j] - mean) / n
		}
		out[j] = math.Sqrt(square)
	}
	return out
}

func (t trial) change(sd []float64, rng *rand.Rand) {
	x, d := t.fresh, t.fresh.Dim
	n := float64(x.Len())
	one := rng.IntN(d)
	for k := 0; k < 50 && sd[one] == 0; k++ {
		one = rng.IntN(d)
	}
	sign := make([]float64, d)
	mean := make([]float64, d)
	for j := range sign {
		sign[j] = float64(2*rng.IntN(2) - 1)
		for i := range x.Len() {
			mean[j] += x.Row(i)[j] / n
		}
	}
	unit := 17 / math.Sqrt(n) // about 1 for 300 rows
	centre := rng.IntN(x.Len())
	middle := append([]float64(nil), x.Row(centre)...)
	for i := range x.Len() {
		row := x.Row(i)
		switch t.kind {
		case "mean, all columns":
			for j := range row {
				row[j] += 0.3 * unit / math.Sqrt(float64(d)) * sign[j] * sd[j] * 1.5
			}
		case "mean, one column":
			row[one] += 0.35 * unit * sign[0] * sd[one]
		case "scale, all columns":
			for j := range row {
				row[j] = mean[j] + (row[j]-mean[j])*(1+0.12*unit)
			}
		case "scale, one column":
			row[one] = mean[one] + (row[one]-mean[one])*(1+0.5*unit)
		case "correlation": // half of the rows have half of their columns from another
			if float64(i) < 0.5*n*min(1, unit) && i%2 == 0 && i+1 < x.Len() {
				next := x.Row(i + 1)
				for j := range row {
					if sign[j] > 0 {
						row[j], next[j] = next[j], row[j]
					}
				}
			}
		case "dirty: scattered":
			if i%50 == 7 {
				for j := range row {
					row[j] = mean[j] + 12*sd[j]*(2*rng.Float64()-1)
				}
			}
		case "dirty: clump":
			if i%50 == 7 {
				for j := range row {
					row[j] = middle[j] + 8*sign[j]*sd[j] + 0.1*sd[j]*rng.NormFloat64()
				}
			}
		case "dirty: one column":
			if i%50 == 7 {
				j := rng.IntN(d)
				row[j] = mean[j] + sign[j]*30*(sd[j]+1e-3)
			}
		}
	}
}

// write saves trials as .npy files, a pair each.
func write(dir string, plans []plan, rows int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for k, p := range plans {
		t := p.draw(rows)
		for side, x := range map[string]*ot.Points{"old": t.old, "new": t.fresh} {
			name := fmt.Sprintf("%05d|%s|%s|%s.npy", k, t.kind, t.source, side)
			if err := writeNPY(filepath.Join(dir, name), x); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeNPY(path string, x *ot.Points) error {
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", x.Len(), x.Dim)
	for (len(head)+11)%64 != 0 {
		head += " "
	}
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)+1), byte((len(head)+1)>>8))
	out = append(append(out, head...), '\n')
	for _, v := range x.Coords {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
	}
	return os.WriteFile(path, out, 0o666)
}
