package metrics

import (
	"fmt"
	"math"
)

// InceptionScore judges images by the class probabilities that a classifier
// gives them, one row an image (Salimans et al. 2016):
//
//	exp mean KL( p(class|image) ‖ p(class) ).
//
// It lies between 1 and the number of classes, and is large when each image
// clearly shows something and all of them together show everything. The rows
// are cut, in their order, into the given number of parts, 0 meaning 10, and
// the score is the mean over the parts; images that come sorted must be
// shuffled first.
//
// It returns ErrShape, ErrValue where a row is not a distribution, and ErrFew
// for fewer rows than parts.
func InceptionScore(p Vectors, splits int) (Estimate, error) {
	if splits == 0 {
		splits = 10
	}
	if err := checkDistributions(p, splits); err != nil {
		return Estimate{}, fmt.Errorf("metrics: inception score: %w", err)
	}
	parts, n := make([]float64, splits), p.Len()
	for k := range parts {
		from, to := k*n/splits, (k+1)*n/splits
		parts[k] = inceptionScore(Vectors{p.Dim, p.Values[from*p.Dim : to*p.Dim]})
	}
	return estimate(parts), nil
}

func checkDistributions(p Vectors, splits int) error {
	if err := p.check(); err != nil {
		return err
	}
	if splits < 1 {
		return fmt.Errorf("%d parts: %w", splits, ErrValue)
	}
	if p.Len() < splits {
		return fmt.Errorf("%d rows in %d parts: %w", p.Len(), splits, ErrFew)
	}
	for i := range p.Len() {
		sum := 0.0
		for j, v := range p.at(i) {
			if v < 0 {
				return fmt.Errorf("row %d has probability %g of class %d: %w", i, v, j, ErrValue)
			}
			sum += float64(v)
		}
		if math.Abs(sum-1) > 1e-3 { // float32, thousands of classes
			return fmt.Errorf("row %d has probabilities that sum to %g: %w", i, sum, ErrValue)
		}
	}
	return nil
}

func inceptionScore(p Vectors) float64 {
	n := float64(p.Len())
	mean := make([]float64, p.Dim)
	var sum float64 // of p log p
	for i, v := range p.Values {
		mean[i%p.Dim] += float64(v) / n
		sum += xlogx(float64(v))
	}
	sum /= n
	for _, q := range mean {
		sum -= xlogx(q)
	}
	return math.Exp(sum)
}

// xlogx is x log x, 0 at 0.
func xlogx(x float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x)
}
