package cli

import (
	"cmp"
	"slices"
	"strconv"

	"rot/figure"
)

// sortedGrid shows the images of the lowest weights, a selection in between,
// and those of the highest, in that order, row by row. Outliers that were mixed
// in have a frame.
func (s *weighted) sortedGrid() *figure.ImageGrid {
	const cols, rows, ends = 12, 8, 3 // the first and last rows are the very lowest and highest
	order := make([]int, len(s.w))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.w[i], s.w[j]) })
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
		H: s.size, W: s.size, C: s.channels, Cols: cols,
		Title: "From the lowest weight to the highest",
	}
	if s.outlier != nil {
		g.Mark = make([]bool, len(pick))
	}
	for k, i := range pick {
		g.Images = append(g.Images, s.image(i))
		g.Captions = append(g.Captions, strconv.FormatFloat(s.w[i], 'f', 2, 64))
		if s.outlier != nil {
			g.Mark[k] = s.outlier[i]
		}
	}
	return g
}
