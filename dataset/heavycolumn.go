package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

const (
	// heavyShare of the cost is what a column must make to be warned of.
	heavyShare = 0.9
	// heavyPairs of rows are enough to tell such a share.
	heavyPairs = 4000
	// heavyRows is how many rows a side must have: of fewer, columns of the same
	// unit differ as much by chance.
	heavyRows = 5
)

// HeavyColumn finds a column that nearly alone makes the cost of moving rows of
// the source to the target, because its unit is so small, and its share of the
// cost; "" when none does, when the columns were brought to a common unit, and
// for a cost matrix.
func (p *Problem) HeavyColumn() (name string, share float64) {
	x, y, metric := p.Source, p.Target, p.Cost.Metric()
	if x == nil || metric == ot.Cosine || min(x.Points.Len(), y.Points.Len()) < heavyRows || (x.Encoding != nil && x.Encoding.Scale != table.ScaleNone) {
		return "", 0
	}
	groups := x.columnGroups()
	if len(groups) < 2 {
		return "", 0
	}
	cost := make([]float64, len(groups))
	total := 0.0
	rng := rand.New(rand.NewPCG(1, 0))
	for range heavyPairs {
		a, b := x.Points.Row(rng.IntN(x.Points.Len())), y.Points.Row(rng.IntN(y.Points.Len()))
		for k, g := range groups {
			for j := g.First; j < g.First+g.Width; j++ {
				d := math.Abs(a[j] - b[j])
				if metric != ot.Cityblock {
					d *= d
				}
				cost[k] += d
				total += d
			}
		}
	}
	for k, c := range cost {
		if share := c / total; share > heavyShare {
			return groups[k].Name, share
		}
	}
	return "", 0
}

// columnGroups are the components of each column of t.
func (t *Table) columnGroups() []table.Group {
	if t.Encoding != nil {
		return t.Encoding.Groups()
	}
	groups := make([]table.Group, t.Points.Dim)
	for j := range groups {
		groups[j] = table.Group{Name: strconv.Itoa(j + 1), First: j, Width: 1}
	}
	return groups
}
