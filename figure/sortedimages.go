package figure

import (
	"slices"
	"strconv"
)

// SortedImages shows images of h×w pixels and c channels in an order, such as that
// from the lowest weight to the highest: the first ones, a selection in between, and
// the last, row by row, each with its value. Marked ones, where mark is not nil, have
// a frame.
func SortedImages(h, w, c int, values []float64, order []int, mark []bool, image func(i int) []uint8) *ImageGrid {
	const cols, rows, ends = 12, 8, 3 // the first and last rows are the very lowest and highest
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
	g := &ImageGrid{H: h, W: w, C: c, Cols: cols, Title: "From the lowest weight to the highest"}
	if mark != nil {
		g.Mark = make([]bool, len(pick))
	}
	for k, i := range pick {
		g.Images = append(g.Images, image(i))
		g.Captions = append(g.Captions, strconv.FormatFloat(values[i], 'f', 2, 64))
		if mark != nil {
			g.Mark[k] = mark[i]
		}
	}
	return g
}
