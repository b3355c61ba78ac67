package table

import (
	"math/rand/v2"
	"slices"
)

// A sampler keeps a random part of the rows that stream by, all equally likely,
// in memory that does not grow with their number. Every row draws a key, and
// those with the smallest keys stay: which these are depends on the seed and on
// the places of the rows alone.
type sampler struct {
	limit  int
	rng    *rand.Rand
	seen   int
	most   float64 // rows with keys above this are lost
	blocks []*Table
	keys   [][]float64
	kept   int
	budget *account
}

func newSampler(opts *Options, budget *account) *sampler {
	return &sampler{limit: opts.Sample, rng: rand.New(rand.NewPCG(opts.SampleSeed, 1<<45)), most: 1, budget: budget}
}

// add takes rows of a block in; all of them where there is no limit.
func (s *sampler) add(b *Table) {
	if s.limit <= 0 {
		s.blocks = append(s.blocks, b)
		return
	}
	keys := make([]float64, b.Rows)
	b.Sampled = make([]int, b.Rows)
	for i := range keys {
		keys[i] = s.rng.Float64()
		b.Sampled[i] = s.seen + i
	}
	s.seen += b.Rows
	s.blocks, s.keys = append(s.blocks, b), append(s.keys, keys)
	s.kept += b.Rows
	s.thin(len(s.blocks) - 1)
	if s.kept > 2*s.limit {
		s.shrink()
	}
}

// shrink loses rows until the limit is met.
func (s *sampler) shrink() {
	if s.limit <= 0 || s.kept <= s.limit {
		return
	}
	all := slices.Concat(s.keys...)
	slices.Sort(all)
	s.most = all[s.limit-1]
	for k := range s.blocks {
		s.thin(k)
	}
}

// thin loses the rows of block k with keys that are too large.
func (s *sampler) thin(k int) {
	b, keys := s.blocks[k], s.keys[k]
	var rows []int
	var left []float64
	for i, key := range keys {
		if key <= s.most {
			rows, left = append(rows, i), append(left, key)
		}
	}
	if len(rows) == len(keys) {
		return
	}
	thin := b.Pick(rows)
	thin.cost = b.cost
	for j := range thin.Columns {
		thin.Columns[j].dropLevels()
	}
	s.budget.free(b.held() - thin.held())
	s.blocks[k], s.keys[k] = thin, left
	s.kept -= len(keys) - len(rows)
}

// places are which rows of the file are kept; nil for all.
func (s *sampler) places() []int {
	if s.kept == s.seen {
		return nil
	}
	var out []int
	for _, b := range s.blocks {
		out = append(out, b.Sampled...)
	}
	return out
}

// held is what the cells take, in bytes.
func (t *Table) held() (sum int64) {
	for _, c := range t.Columns {
		sum += int64(8*cap(c.Numbers) + 4*cap(c.Codes))
	}
	return sum
}

// dropLevels forgets words that no row has.
func (c *Column) dropLevels() {
	if !c.Kind.words() {
		return
	}
	place := make([]int32, len(c.Levels))
	var levels []string
	for i, k := range c.Codes {
		if k < 0 {
			continue
		}
		if place[k] == 0 {
			levels = append(levels, c.Levels[k])
			place[k] = int32(len(levels))
		}
		c.Codes[i] = place[k] - 1
	}
	c.Levels = levels
}
