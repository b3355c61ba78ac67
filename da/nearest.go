package da

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Nearest returns the accuracy on the target of a vote among the k nearest source
// samples, by Euclidean distance between feature vectors: a baseline without any
// training. It is −1 where the target has no known labels, or the
// data are images.
func Nearest(d *Domains, k int) float64 {
	s, t := d.Source, d.Target
	if s.Rows == nil || t.Rows == nil {
		return -1
	}
	k = min(k, s.N)
	dim := s.Shape[0]
	half := make([]float32, s.N) // ‖source‖²/2
	for i := range half {
		row := s.Rows[i*dim : (i+1)*dim]
		half[i] = blas32.Dot(blas32.Vector{N: dim, Inc: 1, Data: row}, blas32.Vector{N: dim, Inc: 1, Data: row}) / 2
	}
	const block = 256
	right, all := 0, 0
	near := make([]float32, block*s.N)
	for from := 0; from < t.N; from += block {
		n := min(block, t.N-from)
		// ‖s − t‖²/2 without ‖t‖²/2, which is the same for all sources.
		for i := range n {
			copy(near[i*s.N:], half)
		}
		blas32.Gemm(blas.NoTrans, blas.Trans, -1,
			blas32.General{Rows: n, Cols: dim, Stride: dim, Data: t.Rows[from*dim:]},
			blas32.General{Rows: s.N, Cols: dim, Stride: dim, Data: s.Rows},
			1, blas32.General{Rows: n, Cols: s.N, Stride: s.N, Data: near})
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
