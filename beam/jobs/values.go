package jobs

import (
	"encoding/json"
	"errors"
	"math"

	"rot.example/rot/summary"
)

// A valuesSpec is two 1-Lipschitz functions, and sums them over rows: the cones
// f(z) = min_k (Heights[k] + |z − Points[k]|), and the slope
// max(⟨Slope, z − Origin⟩, Floor), where Slope is no longer than 1.
type valuesSpec struct {
	Dim       int
	Points    []float64
	Heights   []float64
	Low, High float64 // of the histogram of cones

	Slope, Origin    []float64
	Clip             bool    // Floor counts
	Floor, SlopeHigh float64 // of the histogram of slopes
	Side             float64 // −1 rounds slopes down and 1 up: to the safe side of each

	shift []float64 // from the mean of the target to that of the source
}

const valueBins = 8192

// with is the functions for the rows of one side.
func (s *valuesSpec) with(side float64) *valuesSpec {
	c := *s
	c.Side = side
	return &c
}

// slope is the second function, rounded to the side.
func (s *valuesSpec) slope(x []float64) float64 {
	var sum, size float64
	for j, v := range x {
		term := s.Slope[j] * (v - s.Origin[j])
		sum += term
		size += math.Abs(term)
	}
	sum += s.Side * s.rounding() * size
	if s.Clip {
		sum = max(sum, s.Floor)
	}
	return sum
}

// value is f(x), up to rounding: see slack.
func (s *valuesSpec) value(x []float64) float64 {
	best := math.Inf(1)
	for k, at := 0, 0; k < len(s.Heights); k, at = k+1, at+s.Dim {
		room := best - s.Heights[k]
		if room <= 0 {
			continue
		}
		if v := s.Heights[k] + math.Sqrt(squaredWithin(x, s.Points[at:at+s.Dim], room*room)); v < best {
			best = v
		}
	}
	return best
}

// rounding is the relative error of a computed distance, and more.
func (s *valuesSpec) rounding() float64 { return float64(s.Dim+16) * 0x1p-52 }

// highest is the largest height, without its sign.
func (s *valuesSpec) highest() (h float64) {
	for _, v := range s.Heights {
		h = max(h, math.Abs(v))
	}
	return h
}

// slack bounds the mean error of the computed values: a distance is at most the
// value less the height.
func (s *valuesSpec) slack(v *valueSums) float64 {
	return s.rounding() * (v.Sizes.Mean(v.Rows) + 2*s.highest())
}

// valueSums are the values of rows: of the cones their sum, that of their sizes,
// and a histogram; of the slopes their sum and a histogram.
type valueSums struct {
	Rows      int64
	Sum       summary.Sum
	Sizes     summary.Sum
	Hist      *summary.Histogram
	Slopes    summary.Sum
	SlopeHist *summary.Histogram
}

type valueBytes struct {
	Rows                                int64
	Sum, Sizes, Hist, Slopes, SlopeHist []byte
}

func (v *valueSums) bytes() ([]byte, error) {
	b := valueBytes{Rows: v.Rows}
	var errs [5]error
	b.Sum, errs[0] = v.Sum.MarshalBinary()
	b.Sizes, errs[1] = v.Sizes.MarshalBinary()
	b.Hist, errs[2] = v.Hist.MarshalBinary()
	b.Slopes, errs[3] = v.Slopes.MarshalBinary()
	b.SlopeHist, errs[4] = v.SlopeHist.MarshalBinary()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return json.Marshal(&b)
}

func parseValues(data []byte) (*valueSums, error) {
	var b valueBytes
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	v := &valueSums{Rows: b.Rows, Hist: new(summary.Histogram), SlopeHist: new(summary.Histogram)}
	return v, errors.Join(v.Sum.UnmarshalBinary(b.Sum), v.Sizes.UnmarshalBinary(b.Sizes), v.Hist.UnmarshalBinary(b.Hist),
		v.Slopes.UnmarshalBinary(b.Slopes), v.SlopeHist.UnmarshalBinary(b.SlopeHist))
}

// sums returns the values of no rows.
func (s *valuesSpec) sums() *valueSums {
	return &valueSums{Hist: summary.NewHistogram(s.Low, s.High, valueBins), SlopeHist: summary.NewHistogram(s.Floor, s.SlopeHigh, valueBins)}
}

// add adds the values of a row.
func (v *valueSums) add(s *valuesSpec, x []float64) {
	f := s.value(x)
	v.Rows++
	v.Sum.Add(f)
	v.Sizes.Add(math.Abs(f))
	v.Hist.Add(f)
	g := s.slope(x)
	v.Slopes.Add(g)
	v.SlopeHist.Add(g)
}

func (v *valueSums) merge(w *valueSums) error {
	v.Rows += w.Rows
	v.Sum.Merge(&w.Sum)
	v.Sizes.Merge(&w.Sizes)
	v.Slopes.Merge(&w.Slopes)
	return errors.Join(v.Hist.Merge(w.Hist), v.SlopeHist.Merge(w.SlopeHist))
}
