package clean

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// The forest. More trees change the ranking by less than another seed does.
const (
	forestTrees = 200
	forestRows  = 1000 // of each sample, a tree
	forestPart  = 0.63 // of a small sample, a tree: about what a bootstrap takes
	forestLeaf  = 3    // rows of each side of a split at least
	forestDepth = 14
	forestBins  = 255 // values of a column that a split can tell apart
)

// A node of a tree sends a row left when its value is at most cut. A leaf has
// no children and a value.
type node struct {
	column      int32
	left, right int32
	cut         float64
	value       float64
}

type tree []node

func (t tree) value(row []float64) float64 {
	k := int32(0)
	for t[k].left > 0 {
		if row[t[k].column] <= t[k].cut {
			k = t[k].left
		} else {
			k = t[k].right
		}
	}
	return t[k].value
}

// forestScores scores rows by how surely a random forest takes them for rows and not
// for the reference. A row is judged by the trees that were grown without it.
// The scores of the rows do not depend on their order beyond the draws.
func forestScores(ctx context.Context, x, reference *rows, seed uint64) (score, own []float64, err error) {
	score, own = make([]float64, x.n), make([]float64, reference.n)
	if x.d == 0 {
		return score, own, ctx.Err()
	}
	all := &rows{n: x.n + reference.n, d: x.d, v: slices.Concat(x.v, reference.v)}
	g := &grower{rows: all, class: make([]bool, all.n), steps: steps(all)}
	for i := range x.n {
		g.class[i] = true
	}
	g.code(ctx)
	size := max(1, min(forestRows, int(forestPart*float64(min(x.n, reference.n)))))
	trees := make([]tree, forestTrees)
	used := make([][]bool, forestTrees)
	err = eachPart(ctx, forestTrees, 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			rng := rand.New(rand.NewPCG(seed, uint64(k)|1<<40))
			sample := append(pickSome(rng, 0, x.n, size), pickSome(rng, x.n, reference.n, size)...)
			used[k] = make([]bool, all.n)
			for _, i := range sample {
				used[k][i] = true
			}
			trees[k] = g.grow(rng, sample)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	votes := make([]float64, all.n)
	err = each(ctx, all.n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			sum, count := 0., 0.
			for k, t := range trees {
				if !used[k][i] {
					sum += t.value(all.row(i))
					count++
				}
			}
			votes[i] = (sum + 0.5) / (count + 1)
		}
	})
	copy(score, votes[:x.n])
	copy(own, votes[x.n:])
	alike(score, x)
	return score, own, err
}

// alike gives equal rows, which follow each other, their mean score: which
// trees had one of them in their sample is chance.
func alike(score []float64, x *rows) {
	for lo := 0; lo < x.n; {
		hi, sum := lo, 0.
		for ; hi < x.n && slices.Equal(x.row(hi), x.row(lo)); hi++ {
			sum += score[hi]
		}
		for i := lo; i < hi; i++ {
			score[i] = sum / float64(hi-lo)
		}
		lo = hi
	}
}

// pickSome draws k of the n numbers from first on.
func pickSome(rng *rand.Rand, first, n, k int) []int {
	out := make([]int, 0, k)
	seen := make(map[int]bool, k)
	for j := n - k; j < n; j++ { // Floyd's way, without a permutation of n
		t := rng.IntN(j + 1)
		if seen[t] {
			t = j
		}
		seen[t] = true
		out = append(out, first+t)
	}
	return out
}

// steps are the cuts of each column: at most forestBins values between rows.
func steps(x *rows) [][]float64 {
	out := make([][]float64, x.d)
	values := make([]float64, x.n)
	for j := range out {
		for i := range values {
			values[i] = x.v[i*x.d+j]
		}
		slices.Sort(values)
		for k := 1; k <= forestBins; k++ {
			at := k*x.n/(forestBins+1) - 1
			if x.n <= forestBins {
				at = k - 1
			}
			if at < 0 || at+1 >= x.n {
				continue
			}
			for at+1 < x.n && values[at+1] == values[at] { // a cut lies between two values
				at++
			}
			if at+1 >= x.n {
				continue
			}
			cut := values[at]/2 + values[at+1]/2
			if cut >= values[at+1] {
				cut = values[at]
			}
			if len(out[j]) == 0 || cut > out[j][len(out[j])-1] {
				out[j] = append(out[j], cut)
			}
		}
	}
	return out
}

// A grower grows trees that tell two classes apart, on coded columns.
type grower struct {
	rows  *rows
	class []bool
	steps [][]float64
	codes []uint8 // of a row's values: how many cuts lie below
}

func (g *grower) code(ctx context.Context) {
	g.codes = make([]uint8, len(g.rows.v))
	_ = each(ctx, g.rows.n, func(lo, hi int) { // an end of ctx shows in the next step
		for i := lo; i < hi; i++ {
			for j, v := range g.rows.row(i) {
				k, _ := slices.BinarySearchFunc(g.steps[j], v, func(cut, v float64) int {
					if cut < v {
						return -1
					}
					return 1
				})
				g.codes[i*g.rows.d+j] = uint8(k)
			}
		}
	})
}

func (g *grower) grow(rng *rand.Rand, sample []int) tree {
	var t tree
	tries := max(1, int(math.Sqrt(float64(g.rows.d))+0.5))
	var split func(part []int, depth int) int32
	split = func(part []int, depth int) int32 {
		here := int32(len(t))
		ones := 0
		for _, i := range part {
			if g.class[i] {
				ones++
			}
		}
		t = append(t, node{value: float64(ones) / float64(len(part))})
		if ones == 0 || ones == len(part) || depth == forestDepth || len(part) < 2*forestLeaf {
			return here
		}
		column, bin := g.best(rng, part, ones, tries)
		if column < 0 {
			return here
		}
		mid := 0
		for k, i := range part {
			if g.codes[i*g.rows.d+column] <= bin {
				part[mid], part[k] = part[k], part[mid]
				mid++
			}
		}
		t[here].column, t[here].cut = int32(column), g.steps[column][bin]
		left := split(part[:mid], depth+1)
		right := split(part[mid:], depth+1)
		t[here].left, t[here].right = left, right
		return here
	}
	split(sample, 0)
	return t
}

// best is the split with the least impurity among some columns; column −1 when
// none of them can be split.
func (g *grower) best(rng *rand.Rand, part []int, ones, tries int) (column int, bin uint8) {
	column = -1
	least := math.Inf(1)
	n := len(part)
	var all, one [forestBins + 1]int
	for _, j := range pickSome(rng, 0, g.rows.d, min(tries, g.rows.d)) {
		last := len(g.steps[j])
		if last == 0 {
			continue
		}
		clear(all[:last+1])
		clear(one[:last+1])
		for _, i := range part {
			c := g.codes[i*g.rows.d+j]
			all[c]++
			if g.class[i] {
				one[c]++
			}
		}
		a, b := 0, 0
		for k := range last {
			a += all[k]
			b += one[k]
			if all[k] == 0 || a < forestLeaf || n-a < forestLeaf {
				continue
			}
			p, q := float64(b)/float64(a), float64(ones-b)/float64(n-a)
			impurity := float64(a)*p*(1-p) + float64(n-a)*q*(1-q)
			if impurity < least {
				least, column, bin = impurity, j, uint8(k)
			}
		}
	}
	return column, bin
}
