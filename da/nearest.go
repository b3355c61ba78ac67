package da

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Nearest returns the accuracy on the target of a vote among the k nearest source
// samples, by the angle between feature vectors, each domain in its own units: a
// baseline without any training. By Euclidean distance, long rows would be far
// from everything, and most of the votes would go to the few shortest ones. It
// is −1 where the target has no known labels, or the data are images.
func Nearest(d *Domains, k int) float64 {
	s, t := d.Source, d.Target
	if s.Rows == nil || t.Rows == nil {
		return -1
	}
	k = min(k, s.N)
	dim := s.Shape[0]
	source := make([]float32, 0, len(s.Rows)) // of length 1
	for i := range s.N {
		source = append(source, direction(s.Rows[i*dim:(i+1)*dim])...)
	}
	const block = 256
	right, all := 0, 0
	near := make([]float32, block*s.N)
	for from := 0; from < t.N; from += block {
		n := min(block, t.N-from)
		// Minus the cosines, times a length of the target's that is the same
		// for all sources.
		blas32.Gemm(blas.NoTrans, blas.Trans, -1,
			blas32.General{Rows: n, Cols: dim, Stride: dim, Data: t.Rows[from*dim:]},
			blas32.General{Rows: s.N, Cols: dim, Stride: dim, Data: source},
			0, blas32.General{Rows: n, Cols: s.N, Stride: s.N, Data: near})
		for i := range n {
			known := d.Known[from+i]
			if known < 0 {
				continue
			}
			all++
			if vote(near[i*s.N:(i+1)*s.N], s.Labels, k, len(s.ClassNames)) == known {
				right++
			}
		}
	}
	if all == 0 {
		return -1
	}
	return float64(right) / float64(all)
}

// direction returns a row over its length; zeros stay zeros.
func direction(row []float32) []float32 {
	sum := 0.0
	for _, v := range row {
		sum += float64(v) * float64(v)
	}
	if sum == 0 {
		return row
	}
	scale := float32(1 / math.Sqrt(sum))
	out := make([]float32, len(row))
	for j, v := range row {
		out[j] = v * scale
	}
	return out
}

// vote returns the class that most of the k nearest samples have; of several, the
// one with the nearest sample.
func vote(distance []float32, labels []int32, k, classes int) int32 {
	nearest := make([]int, 0, k+1) // in order of distance
	for i, v := range distance {
		if len(nearest) == k && v >= distance[nearest[k-1]] {
			continue
		}
		at := len(nearest)
		for at > 0 && v < distance[nearest[at-1]] {
			at--
		}
		nearest = append(nearest, 0)
		copy(nearest[at+1:], nearest[at:])
		nearest[at] = i
		nearest = nearest[:min(len(nearest), k)]
	}
	votes := make([]int, classes)
	for _, i := range nearest {
		votes[labels[i]]++
	}
	best := labels[nearest[0]]
	for _, i := range nearest {
		if votes[labels[i]] > votes[best] {
			best = labels[i]
		}
	}
	return best
}
