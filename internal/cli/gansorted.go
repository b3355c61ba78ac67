package cli

import (
	"cmp"
	"slices"
	"strconv"

	"rot/figure"
	"rot/gan"
)

// sortedGrid shows the images of the lowest weights, a selection in between,
// and those of the highest, in that order, row by row. Outliers that were mixed
// in have a frame.
func sortedGrid(c gan.Config, data *gan.Data, w []float64) *figure.ImageGrid {
	const cols, rows, ends = 12, 8, 3 // the first and last rows are the very lowest and highest
	order := make([]int, len(w))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(w[i], w[j]) })
	pick := order
	if n := cols * rows; len(order) > n {
		pick = slices.Clone(order[:ends*cols])
		middle := order[ends*cols : len(order)-ends*cols]
		k := n - 2*ends*cols
		for i := range k {
			pick = append(pick, middle[(2*i+1)*len(middle)/(2*k)])
		}
		pick = append(pick, order[len(order)-ends*cols:]...)
	}
	g := &figure.ImageGrid{
		H: c.Size, W: c.Size, C: c.Channels, Cols: cols,
		Title: "From the lowest weight to the highest",
	}
	outlier := data.Outlier()
	if outlier != nil {
		g.Mark = make([]bool, len(pick))
	}
	for k, i := range pick {
		g.Images = append(g.Images, data.Image(i))
		g.Captions = append(g.Captions, strconv.FormatFloat(w[i], 'f', 2, 64))
		if outlier != nil {
			g.Mark[k] = outlier[i]
		}
	}
	return g
}
