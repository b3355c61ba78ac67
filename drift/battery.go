package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"rot.example/rot/internal/parallel"
)

const (
	nearestRows = 5   // neighbours of a row in the graph
	trees       = 100 // that cut the rows into cells at random
	cellRows    = 12  // of a cell, about
)

// labels are 1/n for a row of the reference and −1/m for a new one, in every
// arrangement of the test: the first is the true one, the others are random.
type labels struct {
	n, m, times int
	v           []float64 // a row of times numbers for each pooled row
	first       [][]int32 // the rows that an arrangement takes for the reference
	second      [][]int32
}

func newLabels(n, m, permutations int, seed uint64) *labels {
	l := &labels{n: n, m: m, times: permutations + 1}
	l.v = make([]float64, (n+m)*l.times)
	rng := rand.New(rand.NewPCG(seed, 2))
	order := make([]int32, n+m)
	for i := range order {
		order[i] = int32(i)
	}
	for b := range l.times {
		if b > 0 {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for k, i := range order {
			w := 1 / float64(n)
			if k >= n {
				w = -1 / float64(m)
			}
			l.v[int(i)*l.times+b] = w
		}
		l.first = append(l.first, slices.Sorted(slices.Values(order[:n])))
		l.second = append(l.second, slices.Sorted(slices.Values(order[n:])))
	}
	return l
}

func (l *labels) row(i int) []float64 { return l.v[i*l.times : (i+1)*l.times] }

// A score is a statistic in every arrangement, high where the two differ.
type score struct {
	name   string
	values []float64
}

// each calls f with the numbers below n, several at once, until ctx ends.
func each(ctx context.Context, n int, f func(k int)) error {
	parallel.For(n, func(k int) {
		if ctx.Err() == nil {
			f(k)
		}
	})
	return ctx.Err()
}

// A look is which statistics of the distances between all rows are made, by
// their names; "" leaves one out.
type look struct{ energy, wide, narrow, neighbours string }

// The looks at the rows as they are, and along their principal axes, where
// columns that go together do not count twice.
var (
	plainLook = look{"energy", "kernel", "narrow kernel", "neighbours"}
	axesLook  = look{narrow: "narrow kernel along axes", neighbours: "neighbours along axes"}
)

// distances are statistics of the distances between all rows: the energy
// distance, two kernels, and the graph of nearest neighbours. Each is aᵀKa for
// the labels a and a matrix K, which is made row by row and never as a whole.
func distances(ctx context.Context, x *scaled, l *labels, want look) ([]score, error) {
	const block = 32 // rows of K at a time
	unit := typicalDistance(x)
	names := []string{want.energy, want.wide, want.narrow, want.neighbours}
	var mu sync.Mutex
	blocks := (x.n + block - 1) / block
	parts := make([][]float64, blocks) // sums in a fixed order, so that nothing depends on timing
	err := each(ctx, blocks, func(k int) {
		lo, hi := k*block, min((k+1)*block, x.n)
		rows := hi - lo
		d := make([]float64, rows*x.n)
		wide, narrow := make([]float64, rows*x.n), make([]float64, rows*x.n)
		edges := make([][]int, rows)
		near := make([]float64, nearestRows+1)
		for a := range rows {
			line := d[a*x.n : (a+1)*x.n]
			for j := range line {
				line[j] = distance(x.row(lo+a), x.row(j))
			}
			edges[a] = nearestOf(line, lo+a, near)
			for j, v := range line {
				g := math.Exp(-v * v / (2 * unit * unit))
				wide[a*x.n+j] = g
				g *= g // exp(−9v²/2u²) is the ninth power
				g8 := g * g
				g8 *= g8
				narrow[a*x.n+j] = g8 * wide[a*x.n+j]
			}
		}
		part := make([]float64, 4*l.times)
		product := make([]float64, rows*l.times)
		for s, m := range [][]float64{d, wide, narrow} {
			if names[s] == "" {
				continue
			}
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: rows, Cols: x.n, Stride: x.n, Data: m},
				blas64.General{Rows: x.n, Cols: l.times, Stride: l.times, Data: l.v}, 0,
				blas64.General{Rows: rows, Cols: l.times, Stride: l.times, Data: product})
			sign := 1.
			if s == 0 {
				sign = -1
			}
			for a := range rows {
				for b, w := range l.row(lo + a) {
					part[s*l.times+b] += sign * w * product[a*l.times+b]
				}
			}
		}
		for a, places := range edges {
			own := l.row(lo + a)
			for _, j := range places {
				for b, w := range l.row(j) {
					part[3*l.times+b] += own[b] * w
				}
			}
		}
		mu.Lock()
		parts[k] = part
		mu.Unlock()
	})
	if err != nil {
		return nil, err
	}
	var out []score
	for s, name := range names {
		if name == "" {
			continue
		}
		sum := make([]float64, l.times)
		for _, part := range parts {
			for b := range sum {
				sum[b] += part[s*l.times+b]
			}
		}
		out = append(out, score{name, sum})
	}
	return out, nil
}

// nearestOf is the places of the smallest distances but the own, as many as near
// has room for less one. Where several rows are as far as the last of them, none
// of these is a neighbour: which one it was would be chance.
func nearestOf(d []float64, own int, near []float64) []int {
	for k := range near {
		near[k] = math.Inf(1)
	}
	last := len(near) - 1
	for j, v := range d {
		if j == own || v >= near[last] {
			continue
		}
		at := last
		for ; at > 0 && v < near[at-1]; at-- {
			near[at] = near[at-1]
		}
		near[at] = v
	}
	var places []int
	for j, v := range d {
		if j != own && v < near[last] {
			places = append(places, j)
		}
	}
	return places
}

// typicalDistance is the middle one of the distances between some of the rows.
func typicalDistance(x *scaled) float64 {
	var d []float64
	step := max(1, x.n/300)
	for i := 0; i < x.n; i += step {
		for j := 0; j < i; j += step {
			d = append(d, distance(x.row(i), x.row(j)))
		}
	}
	slices.Sort(d)
	if m := d[len(d)/2]; m > 0 {
		return m
	}
	if m := d[len(d)-1]; m > 0 {
		return m
	}
	return 1
}

func distance(x, y []float64) float64 {
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		s, t, u, v := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		a += s * s
		b += t * t
		c += u * u
		d += v * v
		x, y = x[4:], y[4:]
	}
	for i, t := range x {
		t -= y[i]
		a += t * t
	}
	return math.Sqrt((a + b) + (c + d))
}

// cells cuts the rows at random, one column after the other, and compares how
// many rows of each sample are in each cell.
func cells(ctx context.Context, x *scaled, l *labels, seed uint64) (score, error) {
	out := score{"cells", make([]float64, l.times)}
	parts := make([][]float64, trees)
	err := each(ctx, trees, func(k int) {
		rng := rand.New(rand.NewPCG(seed, uint64(k)|1<<32))
		rows := make([]int, x.n)
		for i := range rows {
			rows[i] = i
		}
		part := make([]float64, l.times)
		var cut func(rows []int)
		cut = func(rows []int) {
			if len(rows) > 2*cellRows {
				for range 8 { // columns may be constant in a cell
					j := rng.IntN(x.d)
					at := x.row(rows[rng.IntN(len(rows))])[j]
					mid := 0
					for k, i := range rows {
						if x.row(i)[j] < at {
							rows[mid], rows[k] = rows[k], rows[mid]
							mid++
						}
					}
					if mid >= len(rows)/8 && len(rows)-mid >= len(rows)/8 && mid > 0 {
						cut(rows[:mid])
						cut(rows[mid:])
						return
					}
				}
			}
			sum := make([]float64, l.times)
			for _, i := range rows {
				for b, w := range l.row(i) {
					sum[b] += w
				}
			}
			for b, v := range sum {
				part[b] += v * v
			}
		}
		cut(rows)
		parts[k] = part
	})
	if err != nil {
		return out, err
	}
	for _, part := range parts {
		for b, v := range part {
			out.values[b] += v
		}
	}
	return out, nil
}
