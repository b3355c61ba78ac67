package figure

import (
	"fmt"

	"rot.example/rot/ot"
)

// Plane maps clouds of points, all with the same two or more columns, to where a
// figure draws them: as they are with two columns, and otherwise on the first
// two principal components of all of them together, which the labels then name. The clouds
// that it returns have two columns, and neither ids nor weights.
func Plane(clouds ...*ot.Points) (flat []*ot.Points, xLabel, yLabel string, err error) {
	if len(clouds) == 0 {
		return nil, "", "", fmt.Errorf("figure: plane: no points: %w", ot.ErrShape)
	}
	for k, c := range clouds {
		if err := checkCloud(fmt.Sprintf("cloud %d", k), c, nil); err != nil {
			return nil, "", "", fmt.Errorf("figure: plane: %w", err)
		}
		if c.Dim < 2 || c.Dim != clouds[0].Dim {
			return nil, "", "", fmt.Errorf("figure: plane: cloud %d has %d columns, the first %d, want two or more and the same: %w", k, c.Dim, clouds[0].Dim, ot.ErrShape)
		}
	}
	pr, err := project(clouds)
	if err != nil {
		return nil, "", "", err
	}
	for _, c := range clouds {
		p := &ot.Points{Dim: 2, Coords: make([]float64, 0, 2*c.Len())}
		for _, at := range pr.apply(c, 0) {
			p.Coords = append(p.Coords, at.x, at.y)
		}
		flat = append(flat, p)
	}
	xLabel, yLabel = pr.labels()
	return flat, xLabel, yLabel, nil
}
