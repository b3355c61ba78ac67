package clean

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rot.example/rot/internal/median"
	"rot.example/rot/ot"
)

// DuplicateOptions tunes Duplicates. The zero value is ready to use.
type DuplicateOptions struct {
	// Near is how close two rows are that nearly repeat each other, as a part of
	// the distance that rows usually have to their nearest; 0 means
	// DefaultNear, and below 0 only rows that are equal are looked for.
	Near     float64
	Unscaled bool    // see Options
	Groups   []Group // see Options
	Limit    int     // pairs at most; 0 means 10 000
	Seed     uint64
}

// DefaultNear is what DuplicateOptions.Near means when it is 0.
const DefaultNear = 0.05

// A Pair is two rows and how far they are apart, in parts of the distance that
// rows usually have to their nearest.
type Pair struct {
	A, B     int
	Distance float64
}

// Repeated are the rows of a sample that are there more than once.
type Repeated struct {
	Equal [][]int // groups of equal rows, by the first of each
	Near  []Pair  // first rows of groups that nearly repeat each other, the closest first
	More  bool    // there are more pairs than DuplicateOptions.Limit
}

// Duplicates finds rows that are equal and rows that nearly are. Its errors are
// those of Find; any number of rows will do.
func Duplicates(ctx context.Context, x *ot.Points, opts *DuplicateOptions) (*Repeated, error) {
	var o DuplicateOptions
	if opts != nil {
		o = *opts
	}
	if err := check("row", x); err != nil {
		return nil, err
	}
	if math.IsNaN(o.Near) || o.Near >= 1 {
		return nil, fmt.Errorf("clean: near %v is not below 1: %w", o.Near, ot.ErrOption)
	}
	if o.Near == 0 {
		o.Near = DefaultNear
	}
	if o.Limit <= 0 {
		o.Limit = 10_000
	}
	out := &Repeated{}
	order := lexical(x)
	var firsts []int
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && slices.Equal(x.Row(order[hi]), x.Row(order[lo])) {
			hi++
		}
		if hi-lo > 1 {
			group := slices.Sorted(slices.Values(order[lo:hi]))
			out.Equal = append(out.Equal, group)
		}
		firsts = append(firsts, slices.Min(order[lo:hi]))
		lo = hi
	}
	slices.SortFunc(out.Equal, func(a, b []int) int { return a[0] - b[0] })
	if o.Near < 0 || len(firsts) < MinRows {
		return out, ctx.Err()
	}
	s := newScaler(x, order, o.Unscaled, o.Groups)
	return out, out.near(ctx, s.apply(x, firsts), firsts, o)
}

// near looks for pairs of rows. Two that are close are so in any direction:
// along a random one only neighbours need to be compared.
func (r *Repeated) near(ctx context.Context, x *rows, names []int, o DuplicateOptions) error {
	if x.d == 0 {
		return ctx.Err()
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1<<45))
	usual, err := usualGap(ctx, x, rng)
	if err != nil || usual == 0 {
		return err
	}
	limit := o.Near * usual
	direction := make([]float64, x.d)
	for j := range direction {
		direction[j] = rng.NormFloat64()
	}
	length := distance(direction, make([]float64, x.d))
	at := make([]near, x.n)
	for i := range at {
		var sum float64
		for j, v := range x.row(i) {
			sum += v * direction[j] / length
		}
		at[i] = near{sum, i}
	}
	slices.SortFunc(at, byDistance)
	for a := range at {
		if a&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for b := a + 1; b < len(at) && at[b].far-at[a].far <= limit*(1+1e-9); b++ {
			d := distance(x.row(at[a].place), x.row(at[b].place))
			if d > limit {
				continue
			}
			if len(r.Near) == o.Limit {
				r.More = true
				break
			}
			i, j := names[at[a].place], names[at[b].place]
			r.Near = append(r.Near, Pair{min(i, j), max(i, j), d / usual})
		}
	}
	slices.SortFunc(r.Near, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), a.A-b.A, a.B-b.B)
	})
	return nil
}

// usualGap is the middle one of the distances that some rows have to their
// nearest.
func usualGap(ctx context.Context, x *rows, rng *rand.Rand) (float64, error) {
	some := rng.Perm(x.n)[:min(x.n, 300)]
	gaps := make([]float64, len(some))
	err := eachPart(ctx, len(some), 4, func(lo, hi int) {
		var best [1]float64
		for k := lo; k < hi; k++ {
			gaps[k] = gap(x.row(some[k]), x, some[k], best[:])
		}
	})
	if err != nil {
		return 0, err
	}
	return median.Of(gaps), nil
}
