package ot

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A screen is a float32 copy of an instance's sources, in groups with
// coordinates interleaved, that tells quickly which sources can have
// cost + price below a threshold. It errs on the side of keeping: survivors
// are confirmed in float64 (docs/math.md §9).
type screen struct {
	blocks  int       // of 8 sources; a multiple of 8
	group   int       // sources whose coordinates are neighbours: 8, or 16 for AVX-512
	x       []float32 // [group][coordinate][source of the group]
	single  []float32 // instead of x: a row after the other, as they are
	rows    []int32   // which of these the sources are
	dot     bool      // inner products instead of differences
	squares []float32 // ‖x‖² of every source, for dot
	maxima  bool      // sums of maxima instead of absolute differences
	totals  []float32 // Σx of every source, for maxima
	center  []float64 // subtracted from every point before rounding
	scale   float64   // then multiplied; a power of two
	costs   float64   // factor on costs, prices and thresholds
	mode    int       // which distance the kernel adds up
	wide    bool      // coordinates too spread for float32: screen in float64

	boxes boxes // of the sources, in few dimensions

	session  SweepSession // the points on a device; nil for none
	onDevice SweepPoints  // as the device has them
	checked  bool         // what the device said was compared with float64
	jobs     []*deviceJob // room for what it says
}

const (
	modeSquare = iota
	modeEuclid
	modeCity
)

const lanes = 8

// eps32 is half the spacing of float32 numbers around 1.
const eps32 = 1.0 / (1 << 24)

func (in *instance) screened() *screen {
	if in.screen != nil {
		return in.screen
	}
	s := &screen{blocks: (in.m + 8*lanes - 1) / (8 * lanes) * 8, group: lanes}
	if useAVX512 {
		s.group = 2 * lanes
	}
	in.screen = s
	if in.matrix != nil {
		s.costs = 1
		return s
	}
	s.center = make([]float64, in.d)
	spread := 0.0
	var sample []float64
	for k := range in.d {
		sample = sample[:0]
		for _, pts := range []*coords{&in.x, &in.y} {
			rows := pts.len()
			for r := range min(rows, 257) {
				sample = append(sample, pts.at(r*rows/min(rows, 257), k))
			}
		}
		slices.Sort(sample)
		s.center[k] = sample[len(sample)/2]
		spread = math.Max(spread, math.Max(sample[len(sample)*9/10]-s.center[k], s.center[k]-sample[len(sample)/10]))
	}
	if spread == 0 || math.IsInf(spread, 0) {
		spread = 1
	}
	_, e := math.Frexp(spread)
	s.scale = math.Ldexp(1, -e)
	s.costs, s.mode = s.scale*s.scale, modeSquare
	switch in.metric {
	case Euclidean:
		s.costs, s.mode = s.scale, modeEuclid
	case Cityblock:
		s.costs, s.mode = s.scale, modeCity
	}
	if in.x.single != nil {
		s.ofRows(in)
		return s
	}
	s.x = make([]float32, s.blocks*lanes*in.d)
	var wide atomic.Bool
	inParts(in.m, in.d, func(from, to int) {
		for i := from; i < to; i++ {
			at := s.at(i, 0, in.d)
			for k := range in.d {
				v := (in.x.double[i*in.d+k] - s.center[k]) * s.scale
				if !(math.Abs(v) < 1e15) {
					wide.Store(true)
				}
				s.x[at+k*s.group] = float32(v)
			}
		}
	})
	inParts(in.n, in.d, func(from, to int) {
		for j := from; j < to; j++ {
			for k := range in.d {
				if !(math.Abs((in.y.double[j*in.d+k]-s.center[k])*s.scale) < 1e15) {
					wide.Store(true)
				}
			}
		}
	})
	s.wide = wide.Load()
	if c := s.costs; c == 0 || math.IsInf(c, 0) {
		s.wide = true
	}
	s.boxed(in.m, in.d)
	if s.dot = useAVX2 && in.d >= dotFrom && s.mode != modeCity; s.dot {
		s.squares = make([]float32, s.blocks*lanes)
		inParts(in.m, in.d, func(from, to int) {
			for i := from; i < to; i++ {
				var sq float64
				at := s.at(i, 0, in.d)
				for k := range in.d {
					v := float64(s.x[at+k*s.group])
					sq += v * v
				}
				s.squares[i] = float32(sq)
			}
		})
	}
	if s.maxima = useAVX512 && s.mode == modeCity && s.boxes == nil && !s.wide; s.maxima {
		s.totals = make([]float32, s.blocks*lanes)
		inParts(in.m, in.d, func(from, to int) {
			for i := from; i < to; i++ {
				var sum float64
				at := s.at(i, 0, in.d)
				for k := range in.d {
					sum += float64(s.x[at+k*s.group])
				}
				s.totals[i] = float32(sum)
			}
		})
	}
	return s
}

// at is where coordinate k of source i is; the next one is group further on.
func (s *screen) at(i, k, d int) int { return (i/s.group*d+k)*s.group + i%s.group }

// inParts splits n rows of d numbers among the cores, where there are many.
func inParts(n, d int, do func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n*d/(1<<17))
	if parts < 2 {
		do(0, n)
		return
	}
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() { do(n*p/parts, n*(p+1)/parts) })
	}
	wg.Wait()
}

// dotFrom is the dimension from which inner products pay for their larger
// rounding errors.
const dotFrom = 4

// prices32 are prices as the kernel wants them.
type prices32 struct {
	u          []float32 // less shift, scaled; the padding never passes a threshold
	base       []float32 // u + ‖x‖², for dot; (u − Σx)/2, for maxima
	least      []float32 // of every unit, where there are boxes
	shift, top float64   // what was subtracted; the largest price left
}

// target32 is a target as the kernel wants it.
type target32 struct {
	y      []float32
	minus2 []float32 // −2y
	square float32   // ‖y‖²
	total  float32   // Σy
	norm   float64   // what rounding errors are measured by
}

// prices rounds the sources' prices for the kernel, less their median so that
// a common level costs no precision.
func (s *screen) prices(u []float64, e *depots) *prices32 {
	q := &prices32{u: make([]float32, s.blocks*lanes)}
	sample := make([]float64, 0, 257)
	for k := range min(len(u), 257) {
		sample = append(sample, u[k*len(u)/min(len(u), 257)])
	}
	slices.Sort(sample)
	q.shift = sample[len(sample)/2]
	for i, v := range u {
		if e.isSource(i) {
			q.u[i] = float32(math.Inf(1)) // no point: sweeps look at it without a screen
			continue
		}
		v = (v - q.shift) * s.costs
		q.u[i] = float32(v)
		q.top = math.Max(q.top, math.Abs(v))
	}
	for i := len(u); i < len(q.u); i++ {
		q.u[i] = float32(math.Inf(1))
	}
	if s.boxes != nil {
		q.least = leastPrices(q.u)
	}
	if s.dot && s.mode == modeSquare {
		q.base = make([]float32, len(q.u))
		for i, v := range q.u {
			q.base[i] = v + s.squares[i]
		}
	}
	if s.maxima {
		q.base = make([]float32, len(q.u))
		for i, v := range q.u {
			q.base[i] = (v - s.totals[i]) / 2
		}
	}
	return q
}

// target rounds target j for the kernel.
func (s *screen) target(in *instance, t *target32, j int) {
	if t.y == nil {
		t.y, t.minus2 = make([]float32, in.d), make([]float32, in.d)
	}
	if s.single != nil {
		s.targetRow(in, t, j)
		return
	}
	var sum, square, total float64
	for k := range t.y {
		v := (in.y.double[j*in.d+k] - s.center[k]) * s.scale
		t.y[k], t.minus2[k] = float32(v), -2*float32(v)
		sum += math.Abs(v)
		square += float64(t.y[k]) * float64(t.y[k])
		total += float64(t.y[k])
	}
	t.square, t.total, t.norm = float32(square), float32(total), math.Sqrt(square)
	if s.mode == modeCity {
		t.norm = sum
	}
}

// limit is the float32 threshold that no source with cost + price ≤ v can
// miss, whatever the rounding of points, prices and sums.
func (s *screen) limit(v float64, y *target32, q *prices32) float32 {
	v = (v - q.shift) * s.costs
	d, norm, top := len(y.y), y.norm, q.top
	most := math.Max(0, v+top) // no such source costs more than this
	if s.single != nil {
		norm = 0 // points are as they are
	}
	var slack float64
	switch s.mode {
	case modeSquare:
		slack = float64(d+4)*most + 4*math.Sqrt(most)*norm
	case modeEuclid:
		slack = float64(d+6)*most + 4*norm
	case modeCity:
		slack = float64(d+4)*most + 2*norm
	}
	if s.maxima { // Σ max(x, y) and Σx are rounded, and Σ|x| ≤ Σ|y| + the distance
		slack += float64(d+8) * (4*(norm+most) + 2*top + math.Abs(v))
	}
	if s.dot { // ‖x‖², ‖y‖² and 2x·y are rounded, and ‖x‖ ≤ ‖y‖ + the distance
		far := 2*norm + most
		if s.mode == modeSquare {
			far = 2*norm + math.Sqrt(most)
		}
		square := float64(d+8) * far * far // error of the squared distance
		if s.mode == modeSquare {
			slack += square + float64(d)*(math.Abs(v)+2*top) // the sum starts from the price
		} else {
			slack += math.Sqrt(square / eps32) // of its root, however small it is
		}
	}
	f := v + eps32*(slack+4*norm*norm*eps32+2*math.Abs(v)+2*top)
	if s.mode == modeEuclid { // for kernels that compare squares
		f += 4 * eps32 * (math.Abs(f) + top)
	}
	return math.Nextafter32(float32(f), float32(math.Inf(1)))
}

// masksGo is the portable kernel: bit l of mask[b] says that source
// 8·(b0+b)+l has cost + price ≤ thr for the target y.
func (s *screen) masksGo(b0 int, y32 *target32, q *prices32, mask []byte, thr float32) {
	if s.single != nil {
		s.rowMasks(b0, y32, q, mask, thr)
		return
	}
	y, u8 := y32.y, q.u
	d := len(y)
	for b := range mask {
		var acc [lanes]float32
		for k, yk := range y {
			x := s.x[s.at((b0+b)*lanes, k, d):][:lanes:lanes]
			if s.mode == modeCity {
				for l, v := range x {
					t := v - yk
					if t < 0 {
						t = -t
					}
					acc[l] += t
				}
				continue
			}
			t0, t1, t2, t3 := x[0]-yk, x[1]-yk, x[2]-yk, x[3]-yk
			t4, t5, t6, t7 := x[4]-yk, x[5]-yk, x[6]-yk, x[7]-yk
			acc[0] += t0 * t0
			acc[1] += t1 * t1
			acc[2] += t2 * t2
			acc[3] += t3 * t3
			acc[4] += t4 * t4
			acc[5] += t5 * t5
			acc[6] += t6 * t6
			acc[7] += t7 * t7
		}
		uu := u8[(b0+b)*lanes : (b0+b)*lanes+lanes]
		var m byte
		for l, v := range acc {
			if s.mode == modeEuclid {
				v = float32(math.Sqrt(float64(v)))
			}
			if v+uu[l] <= thr {
				m |= 1 << l
			}
		}
		mask[b] = m
	}
}
