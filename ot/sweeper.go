package ot

// A Sweeper does the arithmetic of sweeps on a device of its own, such as a
// GPU. A sweep looks at all pairs of sources and targets under the sources'
// prices; the Sweeper says which blocks of sources can matter to a target, and
// these are looked at again here in float64. So results and bounds are those of
// a solve without a Sweeper whatever its precision is, as long as its rounding
// errors are no larger than it says (docs/math.md §9).
//
// Where a Sweeper fails, returns NaN, or is found to be less precise than it
// says, the solve goes on without it, and the Result says why.
type Sweeper interface {
	// Pays reports whether a sweep of n targets over m sources in dim
	// dimensions is worth the way to the device.
	Pays(m, n, dim int) bool
	// Load copies points to the device.
	Load(p *SweepPoints) (SweepSession, error)
}

// SweepPoints are the points of one problem as a Sweeper gets them: shifted and
// scaled so that float32 serves them well.
type SweepPoints struct {
	Metric  Metric // SqEuclidean, Euclidean or Cityblock
	M, N    int    // sources and targets
	Dim     int
	Block   int                            // sources that share a minimum; the last block may have fewer
	Sources func(dst []float32, first int) // fills in the coordinates of sources, a point after the other from first on
	Targets func(dst []float32, first int) // of targets

	// Products asks for ‖x−y‖² as ‖x‖² − 2x·y + ‖y‖². Otherwise x−y is to be
	// calculated first, whose rounding errors are smaller.
	Products bool
}

// Blocks is the number of blocks of sources.
func (p *SweepPoints) Blocks() int { return (p.M + p.Block - 1) / p.Block }

// A SweepSession holds points on a device.
type SweepSession interface {
	// Rounding bounds the rounding errors of Minima.
	Rounding() SweepRounding
	// Batch is how many targets Minima takes at most.
	Batch() int
	// SetPrices sets the price of every source; +Inf takes one out. It is not
	// called while Minima is at work.
	SetPrices(u []float32) error
	// Minima sets dst[t·Blocks+k] to the least cost + price of the sources in
	// block k for the target targets[t]. It may be called by several goroutines
	// at a time.
	Minima(dst []float32, targets []int32) error
	// Close frees the memory on the device.
	Close()
}

// SweepRounding says how a device rounds. Terms of a sum may be added in any
// order.
type SweepRounding struct {
	Sum     float64 // relative error of one addition, multiplication or root: at least 2⁻²⁴
	Product float64 // relative error of each factor before it is multiplied in an inner product: 0, or 2⁻¹⁰ for TF32
}
