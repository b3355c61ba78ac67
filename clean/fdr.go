package clean

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultFDR is the false discovery rate of the suspects unless Options says
// otherwise: the part of them that may belong after all, on average.
const DefaultFDR = 0.1

// storey is the p-value from which on rows are taken for good ones when their
// share is estimated.
const storey = 0.5

// conformal is a p-value for every score: the part of the calibration rows that
// score as high, the row itself among them. Where the row and the calibration
// rows are exchangeable, it is at most t with a probability of at most t.
func conformal(score, calibration []float64) []float64 {
	c := slices.Sorted(slices.Values(calibration))
	p := make([]float64, len(score))
	for i, s := range score {
		below := sort.SearchFloat64s(c, s) // scores < s
		p[i] = float64(1+len(c)-below) / float64(1+len(c))
	}
	return p
}

// discover marks the rows that stand out at a false discovery rate q, by
// Benjamini and Hochberg. With p-values of conformal, goodShare of these may
// stand for the part of the rows that are good, and the rate still holds
// (Marandon, Lei, Mary and Roquain 2024, theorem 3.6).
func discover(p []float64, q, goodShare float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	last := -1
	for k, i := range order {
		if p[i]*goodShare <= q*float64(k+1)/float64(len(p)) {
			last = k
		}
	}
	out := make([]bool, len(p))
	for k := 0; k <= last; k++ {
		out[order[k]] = true
	}
	return out
}

// StandOut marks the rows that stand out at a false discovery rate q by their
// scores alone: those whose P Benjamini and Hochberg's rule rejects. Without a
// reference that is fewer rows than Suspect, or as many. It returns nil where P
// is nil.
func (r *Result) StandOut(q float64) []bool {
	if r.P == nil {
		return nil
	}
	return discover(r.P, q, 1)
}

// farHigh is the quantile up to which the bulk reaches that FarOut sees.
const farHigh = 0.95

// FarOut marks the rows that stand out even from a bulk that takes in all but a
// twentieth of the rows, with the tail of Student's t: where the scores have
// several heaps, as those of rows of rare categories, StandOut takes a heap for
// odd rows, and this one only what is far from all of them.
func (r *Result) FarOut(q float64) []bool {
	return discover(tails(r.Score, farHigh, student5{}), q, 1)
}

// goodShare is Storey's estimate of the part of the rows that are good, a
// little too high so that no guarantee is lost. It may exceed 1.
func goodShare(p []float64) float64 {
	high := 1.
	for _, v := range p {
		if v > storey {
			high++
		}
	}
	return high / (float64(len(p)) * (1 - storey))
}

// What a null of scores is made from: quantiles of the bulk, which reach up to
// where outliers may begin. Fewer rows say too little about a tail.
const (
	bulkLow   = 0.1
	bulkSteps = 60
	bulkRows  = 30
)

// tail is a p-value for every score, from what the bulk of the scores says
// about the tail that good rows would have. It is an estimate: nothing guarantees
// that the tail goes on as the bulk begins.
func tail(score []float64) []float64 { return tails(score, scoreHigh, normal{}) }

// tails is tail with a bulk that reaches up to the quantile high, by the shape
// of a distribution.
func tails(score []float64, high float64, shape shape) []float64 {
	p := slices.Repeat([]float64{1}, len(score))
	if len(score) < bulkRows {
		return p
	}
	b := newBulk(score, high, shape)
	for i, t := range score {
		p[i] = b.tail(t)
	}
	return p
}

// A shape is a distribution around 0.
type shape interface {
	quantile(level float64) float64
	tail(z float64) float64 // the part beyond z
}

type normal struct{}

func (normal) quantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(2*level-1) }
func (normal) tail(z float64) float64         { return 0.5 * math.Erfc(z/math.Sqrt2) }

// student5 is Student's t with five degrees of freedom.
type student5 struct{}

func (student5) quantile(level float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: 5}.Quantile(level)
}
func (student5) tail(z float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: 5}.Survival(z) }

// A bulk is the distribution of scores whose quantiles from bulkLow on are
// those of a + bz + cz², where z has a shape, as closely as least squares can have
// it, and c ≥ 0.
type bulk struct {
	a, b, c, top float64
	shape        shape
}

func newBulk(score []float64, high float64, shape shape) bulk {
	s := slices.Sorted(slices.Values(score))
	z, v := make([]float64, bulkSteps), make([]float64, bulkSteps)
	for k := range z {
		level := bulkLow + (high-bulkLow)*float64(k)/(bulkSteps-1)
		z[k], v[k] = shape.quantile(level), quantile(s, level)
	}
	u := bulk{top: v[bulkSteps-1], shape: shape}
	u.a, u.b, u.c = parabola(z, v)
	if !(u.c >= 0) {
		u.c = 0
		u.a, u.b = line(z, v)
	}
	if !(u.b > 0) {
		u.b = 0
	}
	return u
}

// tail is the part of the distribution beyond t.
func (u bulk) tail(t float64) float64 {
	switch {
	case u.b == 0 && u.c == 0: // more than the bulk has one and the same score
		if t > u.top {
			return 0
		}
		return 1
	case u.c*(t-u.a) < 1e-12*u.b*u.b:
		return u.shape.tail((t - u.a) / u.b)
	}
	return u.shape.tail((-u.b + math.Sqrt(max(0, u.b*u.b+4*u.c*(t-u.a)))) / (2 * u.c))
}

// beyond is conformal with smaller p-values for scores beyond all of the
// calibration, where conformal cannot tell one from another. That part is an
// estimate.
func beyond(score, calibration []float64) []float64 {
	p := conformal(score, calibration)
	if len(calibration) < bulkRows {
		return p
	}
	least := 1 / float64(1+len(calibration))
	e := newExcess(calibration)
	for i, t := range score {
		if p[i] <= least {
			p[i] = min(p[i], e.tail(t))
		}
	}
	return p
}

// An excess is the upper fifth of a distribution as a generalized Pareto
// distribution whose tail is heavy in any case, with no more of
// a variance than Student's t has for two degrees of freedom: rows have to be
// very far away to count as odd.
type excess struct{ from, scale float64 }

const (
	excessPart  = 0.2
	excessShape = 0.5
)

func newExcess(score []float64) excess {
	s := slices.Sorted(slices.Values(score))
	e := excess{from: quantile(s, 1-excessPart)}
	var sum, count float64
	for _, t := range s {
		if t > e.from {
			sum += t - e.from
			count++
		}
	}
	e.scale = (1 - excessShape) * sum / max(count, 1)
	return e
}

// tail is the part of the distribution beyond t, which lies beyond e.from.
func (e excess) tail(t float64) float64 {
	if e.scale == 0 {
		return 0
	}
	return excessPart * math.Pow(1+excessShape*(t-e.from)/e.scale, -1/excessShape)
}

// quantile interpolates between sorted values.
func quantile(s []float64, level float64) float64 {
	at := level * float64(len(s)-1)
	k := min(int(at), len(s)-2)
	return s[k] + (at-float64(k))*(s[k+1]-s[k])
}

// line fits v = a + bz by least squares.
func line(z, v []float64) (a, b float64) {
	mz, _ := moments(z)
	mv, _ := moments(v)
	var zz, zv float64
	for k := range z {
		zz += (z[k] - mz) * (z[k] - mz)
		zv += (z[k] - mz) * (v[k] - mv)
	}
	b = zv / zz
	return mv - b*mz, b
}

// parabola fits v = a + bz + cz² by least squares: the part of z² that a line
// leaves over carries c.
func parabola(z, v []float64) (a, b, c float64) {
	squares := make([]float64, len(z))
	for k := range z {
		squares[k] = z[k] * z[k]
	}
	sa, sb := line(z, squares)
	va, vb := line(z, v)
	var ss, sv float64
	for k := range z {
		rest := squares[k] - sa - sb*z[k]
		ss += rest * rest
		sv += rest * (v[k] - va - vb*z[k])
	}
	c = sv / ss
	return va - c*sa, vb - c*sb, c
}
