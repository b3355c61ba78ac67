package cli

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
)

const (
	// Weights below this are zero: solvers give exact zeros, up to the
	// rounding of flows that are added up.
	zeroWeight = 1e-12
	// suspects is how many rows a report lists.
	suspects = 10
	// rankBudget bounds the multiplications spent on ranking rows to a
	// fraction of a second.
	rankBudget = 1 << 27
)

// A side is what became of the weights of the source or the target.
type side struct {
	name    string         // "source" or "target"
	table   *dataset.Table // nil for a cost matrix
	moves   bool           // the method may change the weights
	weights []float64      // relative to base, mean 1; nil when nothing was moved
	base    []float64      // weights of the problem; rows of base weight 0 are ignored
	counted int            // rows with a base weight
	dropped int            // rows of weight zero
	low     int            // rows below figure.DefaultLow
	ess     float64        // effective sample size
	suspect []suspectRow   // rows below figure.DefaultLow, the worst first
}

// A suspectRow is a row of low weight.
type suspectRow struct {
	Row     int     `json:"row"`
	ID      string  `json:"id"`
	Weight  float64 `json:"weight"`
	Nearest float64 `json:"nearest"` // cost to the nearest row of the other side
	Label   *string `json:"label,omitempty"`
}

// newSide sums up the weights of a side of r.
func newSide(name string, in *input, r *ot.Result, moves bool) side {
	s := side{name: name, table: in.source, moves: moves, base: r.BaseA}
	m, n := in.problem.Cost.Dims()
	marginal, own, other := r.A, r.F, r.G
	at := in.problem.Cost.At
	if name == "target" {
		s.table, s.base = in.target, r.BaseB
		m, n, marginal, own, other = n, m, r.B, r.G, r.F
		at = func(j, i int) float64 { return in.problem.Cost.At(i, j) }
	}
	s.setWeights(marginal)
	if s.weights == nil {
		return s
	}
	order := s.rank(own)
	few := max(rankBudget/(n*max(in.problem.Cost.Dim(), 1)), suspects)
	order = order[:min(len(order), few)]
	score := make([]float64, m)
	for _, i := range order {
		score[i] = transform(i, n, at, other)
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(s.weights[i], s.weights[k]), cmp.Compare(score[k], score[i]))
	})
	for _, i := range order[:min(len(order), suspects)] {
		s.suspect = append(s.suspect, s.row(i, n, at))
	}
	return s
}

// setWeights divides the marginal by the base weights and scales the mean to
// one, which only methods that leave mass behind need.
func (s *side) setWeights(marginal []float64) {
	var total float64
	for _, v := range marginal {
		total += v
	}
	if !(total > 0) {
		return
	}
	if math.Abs(total-1) < 1e-12 {
		total = 1
	}
	s.weights = make([]float64, len(marginal))
	s.ess = chisq.EffectiveSampleSize(marginal)
	for i, v := range marginal {
		if s.base[i] <= 0 {
			continue
		}
		s.counted++
		w := v / s.base[i] / total
		if w < figure.DefaultLow {
			s.low++
		}
		if w < zeroWeight {
			w = 0
			s.dropped++
		}
		s.weights[i] = w
	}
}

// rank orders the rows of low weight by weight and potential. Rows of weight
// zero may share one potential; transform tells those apart.
func (s *side) rank(potential []float64) []int {
	var order []int
	for i, w := range s.weights {
		if s.base[i] > 0 && w < figure.DefaultLow {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int {
		c := cmp.Compare(s.weights[i], s.weights[k])
		if c == 0 && potential != nil {
			c = cmp.Compare(potential[k], potential[i])
		}
		return c
	})
	return order
}

// transform is min_j C_ij − ψ_j: the price of row i at the potentials of the
// other side, which grows without limit where its own potential is capped.
func transform(i, n int, at func(i, j int) float64, other []float64) float64 {
	best := math.Inf(1)
	for j := range n {
		v := at(i, j)
		if other != nil {
			v -= other[j]
		}
		best = min(best, v)
	}
	return best
}

func (s *side) row(i, n int, at func(i, j int) float64) suspectRow {
	r := suspectRow{Row: i, ID: strconv.Itoa(i), Weight: s.weights[i], Nearest: transform(i, n, at, nil)}
	if s.table != nil {
		r.ID = s.table.Points.ID(i)
		if s.table.Labels != nil {
			r.Label = &s.table.Labels[i]
		}
	}
	return r
}

// writeWeights writes index,weight.
func (s *side) writeWeights(w io.Writer) error {
	if s.weights == nil {
		return errors.New("the plan moves nothing, so that there are no weights")
	}
	line := []byte("index,weight\n")
	for i := range s.weights {
		line = strconv.AppendInt(line, int64(i), 10)
		line = append(line, ',')
		line = strconv.AppendFloat(line, s.weights[i], 'g', -1, 64)
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// writePlan writes i,j,mass.
func writePlan(w io.Writer, p *ot.Plan) error {
	line := []byte("i,j,mass\n")
	for k, mass := range p.Mass {
		line = strconv.AppendInt(line, int64(p.I[k]), 10)
		line = append(line, ',')
		line = strconv.AppendInt(line, int64(p.J[k]), 10)
		line = append(line, ',')
		line = strconv.AppendFloat(line, mass, 'g', -1, 64)
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}
