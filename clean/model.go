package clean

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"rot.example/rot/ot"
)

// A Model scores rows one by one, as Find would score them among the rows that
// it was made from. It holds no rows but the points of comparison and depends on
// nothing but itself, so that the same row always gets the same score.
type Model struct {
	Dim      int
	Rows     int  // that it was made from
	Core     int  // see Options.Core
	Unscaled bool // see Options.Unscaled
	Seed     uint64

	scaler  *scaler
	columns []int        // those that are not constant
	rounds  []modelRound // points of comparison
	ranges  [2]standardized
	total   standardized
	usual   []column
	// held are the scores of rows that took no part in the points of comparison,
	// in ascending order.
	held []float64
	tail excess // of held, where there are enough
}

// A modelRound is a set of points, and how a row's distance to them counts.
type modelRound struct {
	part   int // 0 coarse, 1 fine
	near   int
	points *rows
	unit   standardized
}

// standardized says which value is 0, and which is 1 more.
type standardized struct{ middle, unit float64 }

func standardOf(v []float64) standardized {
	middle, unit := spread(v)
	return standardized{middle, unit}
}

func (s standardized) of(v float64) float64 {
	if s.unit == 0 {
		return v - s.middle
	}
	return (v - s.middle) / s.unit
}

// modelHeld is the part of the rows that calibrate a model, and modelRows the
// number of rows that it is made from at most.
const (
	modelHeld = 0.5
	modelRows = 20_000
)

// Fit makes a model of x, which may hold outliers: what looks odd takes no part
// in what rows are compared with. Half of the rows only say how odd good ones
// look. Options.Gamma and Options.FDR are not used. Its errors are those of Find.
func Fit(ctx context.Context, x *ot.Points, opts *Options) (*Model, error) {
	o, err := opts.checked()
	if err != nil {
		return nil, err
	}
	if err := check("row", x); err != nil {
		return nil, err
	}
	if x.Len() < 2*MinRows {
		return nil, fmt.Errorf("clean: %d rows are too few for a model, want %d or more: %w", x.Len(), 2*MinRows, ot.ErrShape)
	}
	order := lexical(x)
	perm := rand.New(rand.NewPCG(o.Seed, 1<<44)).Perm(x.Len())
	if len(perm) > modelRows {
		perm = perm[:modelRows]
	}
	cut := int(modelHeld * float64(len(perm)))
	held, made := &ot.Points{Dim: x.Dim}, &ot.Points{Dim: x.Dim}
	for k, i := range perm {
		part := made
		if k < cut {
			part = held
		}
		part.Coords = append(part.Coords, x.Row(order[i])...)
	}
	m := &Model{Dim: x.Dim, Rows: x.Len(), Core: o.Core, Unscaled: o.Unscaled, Seed: o.Seed, usual: usual(x, order)}
	madeOrder := lexical(made)
	m.scaler = newScaler(made, madeOrder, o.Unscaled, o.Groups)
	m.columns = m.scaler.kept()
	f := &finder{rows: m.scaler.apply(made, madeOrder), core: o.Core, seed: o.Seed, progress: o.Progress, model: m}
	if _, err := f.scores(ctx); err != nil {
		return nil, err
	}
	s := m.NewScorer()
	m.held = make([]float64, held.Len())
	for i := range m.held {
		m.held[i] = s.Score(held.Row(i))
	}
	slices.Sort(m.held)
	m.setTail()
	return m, nil
}

func (m *Model) setTail() {
	if len(m.held) >= bulkRows {
		m.tail = newExcess(m.held)
	}
}

// A Scorer scores rows by a model. It must not be used by two goroutines at
// once; a model may have many.
type Scorer struct {
	model  *Model
	scaled []float64
	best   []float64
}

// NewScorer returns a scorer for m.
func (m *Model) NewScorer() *Scorer {
	return &Scorer{model: m, scaled: make([]float64, len(m.columns)), best: make([]float64, max(coarseNear, fineNear))}
}

// Score is how little a row of Dim finite numbers belongs: 0 for the middle row
// of those that the model was made from.
func (s *Scorer) Score(row []float64) float64 {
	m := s.model
	for k, j := range m.columns {
		s.scaled[k] = m.scaler.scaled(row[j], j)
	}
	var sums [2]float64
	var times [2]float64
	for r := range m.rounds {
		round := &m.rounds[r]
		sums[round.part] += round.unit.of(meanNearest(s.scaled, round.points, s.best[:round.near]))
		times[round.part]++
	}
	var sum float64
	for k := range sums {
		sum += 0.5 * m.ranges[k].of(sums[k]/max(1, times[k]))
	}
	return m.total.of(sum)
}

// P is how likely a row of the kind that the model was made from would score as
// high: a p-value that holds for rows that come one by one, as long as they
// come from where the model's rows do. Beyond all scores that were held back it
// goes on as the upper fifth of these does, which is an estimate.
func (m *Model) P(score float64) float64 {
	if below := sort.SearchFloat64s(m.held, score); below < len(m.held) || len(m.held) < bulkRows {
		return float64(1+len(m.held)-below) / float64(1+len(m.held))
	}
	return min(1/float64(1+len(m.held)), m.tail.tail(score))
}

// Causes are the columns in which row is most unusual; see Result.Causes.
func (m *Model) Causes(row []float64, limit int) []Cause {
	return (&Result{columns: m.usual}).Causes(row, limit)
}

// A Tally counts p-values as rows stream by and says at the end which of them
// are suspects, by Benjamini and Hochberg. It needs room for a fixed number of
// different p-values, whatever the number of rows: those far below all others
// are rounded up to three digits.
type Tally struct {
	counts map[float64]int
	rows   int
}

// Add counts the p-value of a row.
func (t *Tally) Add(p float64) {
	if t.counts == nil {
		t.counts = make(map[float64]int)
	}
	t.counts[rounded(p)]++
	t.rows++
}

// rounded is p, and far below 1 the next number of three digits above it.
func rounded(p float64) float64 {
	if p > 1e-4 || p == 0 {
		return p
	}
	unit := math.Pow(10, math.Floor(math.Log10(p))-2)
	if unit == 0 {
		return p
	}
	return math.Ceil(p/unit) * unit
}

// Cut is the largest p-value of a suspect at a false discovery rate, and how
// many suspects there are; both are 0 where there are none.
func (t *Tally) Cut(fdr float64) (p float64, suspects int) {
	var values []float64
	high := 1.
	for v, n := range t.counts {
		values = append(values, v)
		if v > storey {
			high += float64(n)
		}
	}
	slices.Sort(values)
	good := high / (float64(t.rows) * (1 - storey))
	count := 0
	for _, v := range values {
		count += t.counts[v]
		if v*good <= fdr*float64(count)/float64(t.rows) {
			p, suspects = v, count
		}
	}
	return p, suspects
}

// meanNearest is the mean distance to the nearest of the points, as many as
// best has room for, or all where there are fewer; 0 where there are none, as
// for columns that are all constant.
func meanNearest(x []float64, points *rows, best []float64) float64 {
	var some [32]float64
	best = noneNear(best, points.n)
	for j := 0; j < points.n; j += len(some) {
		part := some[:min(len(some), points.n-j)]
		points.squares(part, x, j)
		keepNearest(best, part)
	}
	return meanRoot(best)
}

// noneNear returns room for the nearest of n points.
func noneNear(best []float64, n int) []float64 {
	best = best[:min(len(best), n)]
	for k := range best {
		best[k] = math.Inf(1)
	}
	return best
}

// keepNearest brings the smallest of the squares into best, which is in order.
func keepNearest(best, squares []float64) {
	last := len(best) - 1
	for _, v := range squares {
		if v >= best[last] {
			continue
		}
		k := last
		for ; k > 0 && v < best[k-1]; k-- {
			best[k] = best[k-1]
		}
		best[k] = v
	}
}

// meanRoot is the mean of the roots; 0 where there are none.
func meanRoot(squares []float64) float64 {
	var sum float64
	for _, v := range squares {
		sum += math.Sqrt(v)
	}
	return sum / float64(max(1, len(squares)))
}
