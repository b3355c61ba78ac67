package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors that a malformed input causes; test for them with errors.Is.
var (
	ErrShape = errors.New("shapes do not fit")
	ErrValue = errors.New("value is not usable")
	ErrClass = errors.New("both classes are needed")
	ErrFew   = errors.New("too few samples")
)

// AUROC returns the area under the receiver operating characteristic: the
// probability that a random positive sample has a larger score than a random
// negative one, where ties count half. It is 1 for a perfect score, ½ for
// chance, and depends on the order of the scores only; they may be infinite.
//
// It returns ErrShape unless there are as many marks as scores, ErrValue for a
// NaN, and ErrClass when one class is empty.
func AUROC(score []float64, positive []bool) (float64, error) {
	groups, err := rank(score, positive)
	if err != nil {
		return 0, fmt.Errorf("metrics: AUROC: %w", err)
	}
	var wins, pos, neg float64 // positives and negatives above the present group
	for _, g := range groups {
		wins += g.neg * (pos + g.pos/2)
		pos += g.pos
		neg += g.neg
	}
	return wins / pos / neg, nil
}

// AUPRC returns the area under the curve of precision against recall, by the sum
//
//	Σ (recallₖ − recallₖ₋₁) precisionₖ
//
// over the distinct scores k from the largest down: the average precision. It
// is 1 for a perfect score and about the part of positives for chance, so
// unlike AUROC it shows how pure a short list of suspects is. Its errors are
// those of AUROC.
func AUPRC(score []float64, positive []bool) (float64, error) {
	groups, err := rank(score, positive)
	if err != nil {
		return 0, fmt.Errorf("metrics: AUPRC: %w", err)
	}
	var sum, pos, all float64
	for _, g := range groups {
		pos += g.pos
		all += g.pos + g.neg
		sum += g.pos * pos / all
	}
	return sum / pos, nil
}

// A tie counts the samples of one score.
type tie struct{ pos, neg float64 }

// rank checks the data and counts both classes for each distinct score, from
// the largest down.
func rank(score []float64, positive []bool) ([]tie, error) {
	if len(score) != len(positive) {
		return nil, fmt.Errorf("%d scores and %d marks: %w", len(score), len(positive), ErrShape)
	}
	order := make([]int, len(score))
	n := 0
	for i, s := range score {
		if math.IsNaN(s) {
			return nil, fmt.Errorf("score %d is NaN: %w", i, ErrValue)
		}
		if order[i] = i; positive[i] {
			n++
		}
	}
	if n == 0 || n == len(score) {
		return nil, fmt.Errorf("%d of %d samples are positive: %w", n, len(score), ErrClass)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	var groups []tie
	for k, i := range order {
		if k == 0 || score[i] != score[order[k-1]] {
			groups = append(groups, tie{})
		}
		if g := &groups[len(groups)-1]; positive[i] {
			g.pos++
		} else {
			g.neg++
		}
	}
	return groups, nil
}
