package ot

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"rot.example/rot/chisq"
)

const (
	// LowWeight is the relative weight below which a row has lost most of it.
	LowWeight = 0.5
	// zeroWeight is the relative weight below which a row has none: solvers give
	// exact zeros, up to the rounding of flows that are added up.
	zeroWeight = 1e-12
	// suspects is how many rows of a Side are ranked with care.
	suspects = 10
	// rankBudget bounds the multiplications spent on that to a fraction of a
	// second.
	rankBudget = 1 << 27
)

// A Side is what became of the weights of the source or the target.
type Side struct {
	Name     string    // "source" or "target"
	Moves    bool      // the method may change the weights
	Weights  []float64 // relative to Base, mean 1; nil when nothing was moved
	Base     []float64 // weights of the problem; rows of base weight 0 are ignored
	Counted  int       // rows with a base weight
	Dropped  int       // rows of weight zero
	Low      int       // rows below LowWeight, dropped ones included
	ESS      float64   // effective sample size of the weights
	Suspects []Suspect // at most ten rows below LowWeight, the worst first

	cost  func(i, j int) float64 // from a row of this side to one of the other
	other int                    // rows of the other side
}

// A Suspect is a row of low weight.
type Suspect struct {
	Row     int
	Weight  float64
	Nearest float64 // cost to the nearest row of the other side
}

// newSide sums up the weights of a side of r.
func newSide(name string, p *Problem, r *Result, moves bool) *Side {
	m, n := p.Cost.Dims()
	s := &Side{Name: name, Moves: moves, Base: r.BaseA, cost: p.Cost.At, other: n}
	marginal, own, other := r.A, r.F, r.G
	if name == "target" {
		s.Base, s.cost, s.other = r.BaseB, func(j, i int) float64 { return p.Cost.At(i, j) }, m
		marginal, own, other = r.B, r.G, r.F
	}
	s.setWeights(marginal)
	if s.Weights == nil {
		return s
	}
	order := s.Ranked(own)
	few := max(rankBudget/(s.other*max(p.Cost.Dim(), 1)), suspects)
	order = order[:min(len(order), few)]
	price := make(map[int]float64, len(order))
	for _, i := range order {
		price[i] = s.cheapest(i, other)
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return cmp.Or(cmp.Compare(s.Weights[i], s.Weights[k]), cmp.Compare(price[k], price[i]))
	})
	for _, i := range order[:min(len(order), suspects)] {
		s.Suspects = append(s.Suspects, s.Suspect(i))
	}
	return s
}

// setWeights divides the marginal by the base weights and scales the mean to
// one, which only methods that leave mass behind need.
func (s *Side) setWeights(marginal []float64) {
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
	s.Weights = make([]float64, len(marginal))
	s.ESS = chisq.EffectiveSampleSize(marginal)
	for i, v := range marginal {
		if s.Base[i] <= 0 {
			continue
		}
		s.Counted++
		w := v / s.Base[i] / total
		if w < LowWeight {
			s.Low++
		}
		if w < zeroWeight {
			w = 0
			s.Dropped++
		}
		s.Weights[i] = w
	}
}

// Ranked lists the rows below LowWeight by weight, the lowest first, and those
// of one weight by their potentials, the highest first, where these are given.
func (s *Side) Ranked(potential []float64) []int {
	var order []int
	for i, w := range s.Weights {
		if s.Base[i] > 0 && w < LowWeight {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int {
		c := cmp.Compare(s.Weights[i], s.Weights[k])
		if c == 0 && potential != nil {
			c = cmp.Compare(potential[k], potential[i])
		}
		return c
	})
	return order
}

// cheapest is min_j C_ij − ψ_j: the price of row i at the potentials of the
// other side, which grows without limit where its own potential is capped. It
// tells rows of weight zero apart, which may share one potential.
func (s *Side) cheapest(i int, psi []float64) float64 {
	best := math.Inf(1)
	for j := range s.other {
		v := s.cost(i, j)
		if psi != nil {
			v -= psi[j]
		}
		best = min(best, v)
	}
	return best
}

// Suspect returns row i with the cost to its nearest row of the other side.
func (s *Side) Suspect(i int) Suspect {
	return Suspect{Row: i, Weight: s.Weights[i], Nearest: s.cheapest(i, nil)}
}

// Weight returns the weight of row i; 0 where the plan moves nothing.
func (s *Side) Weight(i int) float64 {
	if s.Weights == nil {
		return 0
	}
	return s.Weights[i]
}

// Lowest returns the smallest weight of a row that counts.
func (s *Side) Lowest() float64 {
	low := math.Inf(1)
	for i, w := range s.Weights {
		if s.Base[i] > 0 {
			low = min(low, w)
		}
	}
	return low
}

// LowRows reports which rows have lost most of their weight, and which had
// none to begin with.
func (s *Side) LowRows() (low, ignored []bool) {
	low, ignored = make([]bool, len(s.Base)), make([]bool, len(s.Base))
	for i, b := range s.Base {
		ignored[i] = b <= 0
		low[i] = b > 0 && s.Moves && s.Weights != nil && s.Weights[i] < LowWeight
	}
	return low, ignored
}

// WriteCSV writes the weights as lines of index,weight.
func (s *Side) WriteCSV(w io.Writer) error {
	if s.Weights == nil {
		return errors.New("the plan moves nothing, so that there are no weights")
	}
	line := []byte("index,weight\n")
	for i := range s.Weights {
		line = strconv.AppendInt(line, int64(i), 10)
		line = append(line, ',')
		line = strconv.AppendFloat(line, s.Weights[i], 'g', -1, 64)
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

// WriteCSV writes the plan as lines of i,j,mass.
func (p *Plan) WriteCSV(w io.Writer) error {
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
