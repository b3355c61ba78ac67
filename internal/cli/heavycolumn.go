package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
	tab "rot.example/rot/table"
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

// heavyColumn warns of a column that nearly alone makes the cost of moving rows
// of x to y, because its unit is so small; "" when none does.
func heavyColumn(x, y *dataset.Table, metric ot.Metric) string {
	groups := columnGroups(x)
	if metric == ot.Cosine || len(groups) < 2 || min(x.Points.Len(), y.Points.Len()) < heavyRows || (x.Encoding != nil && x.Encoding.Scale != tab.ScaleNone) {
		return ""
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
			shown := fmt.Sprintf("%.1f %%", 100*share)
			if share > 0.999 {
				shown = "nearly all"
			}
			return fmt.Sprintf("column %s makes %s of the cost: --scale std or robust gives the columns a common unit, --scale none says that this is meant", groups[k].Name, shown)
		}
	}
	return ""
}

// columnGroups are the components of each column of a table.
func columnGroups(t *dataset.Table) []tab.Group {
	if t.Encoding != nil {
		return t.Encoding.Groups()
	}
	groups := make([]tab.Group, t.Points.Dim)
	for j := range groups {
		groups[j] = tab.Group{Name: strconv.Itoa(j + 1), First: j, Width: 1}
	}
	return groups
}
