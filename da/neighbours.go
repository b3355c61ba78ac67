package da

import (
	"context"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/internal/parallel"
	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// The graph of the target's neighbours: each sample with those that point in
// the most similar directions, which know nothing of the source.

const (
	// neighbours are the edges that each sample gives; between 5 and 20 it
	// makes no difference (docs/experiments.md).
	neighbours = 10
	// neighbourRows are the samples of a graph at most: a larger target is cut
	// at random into parts, which takes time in proportion to it.
	neighbourRows = 5000
	// neighbourBlock are the rows that are compared with all others at a time.
	neighbourBlock = 256
)

// An edge leads to another sample, with the cosine between the two.
type edge struct {
	to     int32
	cosine float32
}

// A neighbourhood is a graph on samples: the edges of each, the same in both
// directions, ordered by where they lead.
type neighbourhood [][]edge

// neighbourhood returns the graph of the target, on its rows or, for images, on
// their features at this step.
func (t *Trainer) neighbourhood(ctx context.Context) (neighbourhood, error) {
	if t.graph != nil {
		return t.graph, nil
	}
	d := t.data.Target
	rows, dim := d.Rows, d.Shape[0]
	if rows == nil {
		embedded, err := t.over(ctx, t.embedding, d, nil)
		if err != nil {
			return nil, err
		}
		dim = len(embedded[0]) - len(t.c.Classes)
		for _, row := range embedded {
			rows = append(rows, train.Float32s(row[:dim])...)
		}
	}
	g := make(neighbourhood, d.N)
	order := train.Random(t.c.Seed, 0, useNeighbours).Perm(d.N)
	for part := range parts(order, neighbourRows) {
		if err := t.connect(ctx, g, rows, dim, part); err != nil {
			return nil, err
		}
	}
	if d.Rows != nil {
		t.graph = g // it stays as it is
	}
	return g, nil
}

// connect adds the edges among some rows to g.
func (t *Trainer) connect(ctx context.Context, g neighbourhood, rows []float32, dim int, at []int) error {
	unit := make([]float32, 0, len(at)*dim)
	for _, i := range at {
		unit = append(unit, direction(rows[i*dim:(i+1)*dim])...)
	}
	all := tensors.FromFlatDataAndDimensions(unit, len(at), dim)
	near := make([][]edge, len(at))
	block := min(neighbourBlock, len(at))
	for from := 0; from < len(at); from += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := min(from, len(at)-block) // one shape is one program
		some := tensors.FromFlatDataAndDimensions(unit[from*dim:(from+block)*dim], block, dim)
		cosines, err := t.run(t.cosines, t.saved.Step, all, some)
		if err != nil {
			return err
		}
		parallel.For(block, func(i int) { near[from+i] = nearest(cosines[i*len(at):(i+1)*len(at)], from+i, neighbours) })
	}
	for i, edges := range near {
		for _, e := range edges {
			j := int(e.to)
			g[at[i]] = append(g[at[i]], edge{int32(at[j]), e.cosine})
			if !slices.ContainsFunc(near[j], func(e edge) bool { return int(e.to) == i }) {
				g[at[j]] = append(g[at[j]], edge{int32(at[i]), e.cosine})
			}
		}
	}
	for _, i := range at {
		slices.SortFunc(g[i], func(a, b edge) int { return int(a.to - b.to) })
	}
	return nil
}

// cosinesStep multiplies some rows with all.
func cosinesStep(_ *nn.Scope, in []*Node) []*Node {
	return []*Node{MatMul(in[1], Transpose(in[0], 0, 1))}
}

// nearest returns the edges to the k samples with the largest positive cosines,
// largest first, leaving out the sample itself.
func nearest(cosines []float64, self, k int) []edge {
	out := make([]edge, 0, k+1)
	for j, v := range cosines {
		c := float32(v)
		if j == self || !(c > 0) || len(out) == k && c <= out[k-1].cosine {
			continue
		}
		at := len(out)
		for at > 0 && c > out[at-1].cosine {
			at--
		}
		out = slices.Insert(out, at, edge{int32(j), c})
		out = out[:min(len(out), k)]
	}
	return out
}

// propagate spreads labels over the graph: a sample's labels become those of
// its neighbours, mixed with what it came with (Zhou et al. 2004), that is
// F = α·S·F + (1−α)·p with S = D^(−½)·A·D^(−½), by iteration. Samples count alike
// here: garbage is nobody's neighbour but garbage's, and where weights err they
// would take good samples out of the graph.
func (g neighbourhood) propagate(p [][]float64) [][]float64 {
	const (
		alpha = 0.9
		iters = 20 // alpha^20 = 0.12 of the start is left, and it is smooth by then
	)
	k := len(p[0])
	root := make([]float64, len(g))
	for i, edges := range g {
		for _, e := range edges {
			root[i] += float64(e.cosine)
		}
		if root[i] > 0 {
			root[i] = 1 / math.Sqrt(root[i])
		}
	}
	now, next := cloneRows(p), cloneRows(p)
	for range iters {
		parallel.For(len(g), func(i int) {
			f := next[i]
			for c := range k {
				f[c] = (1 - alpha) * p[i][c]
			}
			for _, e := range g[i] {
				s := alpha * float64(e.cosine) * root[i] * root[e.to]
				for c, v := range now[e.to] {
					f[c] += s * v
				}
			}
		})
		now, next = next, now
	}
	for _, f := range now {
		normalize(f)
	}
	return now
}

// agreement returns the mean over the samples, by the weights w, nil for all
// alike, of how far the predictions p for a sample and its neighbours agree: the
// mean of the products p·p' by cosine and weight of the neighbour, which is 1
// where both are sure of the same class.
func (g neighbourhood) agreement(p [][]float64, w []float64) float64 {
	if w == nil {
		w = train.EqualWeights(len(g))
	}
	var sum, total float64
	for i, edges := range g {
		var same, all float64
		for _, e := range edges {
			part := float64(e.cosine) * w[e.to]
			all += part
			for c, v := range p[e.to] {
				same += part * v * p[i][c]
			}
		}
		if all > 0 {
			sum += w[i] * same / all
			total += w[i]
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// cloneRows returns a copy of all rows.
func cloneRows(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
	}
	return out
}

// normalize divides p by its sum.
func normalize(p []float64) {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for j := range p {
		p[j] /= sum
	}
}
