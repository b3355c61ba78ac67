package engine

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/ot"
)

// A Sweeper helps the solvers of package ot on a backend, which should be one
// with a GPU, opened with Options.FullFloat32. Points stay on the device; prices
// go there, and the minima of blocks of sources come back.
type Sweeper struct {
	backend *Backend
	opts    SweeperOptions

	owned bool // the backend is closed with it

	mu       sync.Mutex
	programs map[any]*graph.Graph // by sweepShape or joinShape
}

// SweeperOptions tunes NewSweeper. The zero value is ready to use.
type SweeperOptions struct {
	// Least is the work from which on a sweep is worth it: targets times
	// sources times dimensions, at least 8 of them. 0 means 2e9.
	Least float64
	// Pairs bounds how many pairs of points the device works on at a time, each
	// of which takes 4 bytes there, twice. 0 means 2²⁹.
	Pairs int

	piece int // numbers that go to the device at a time; 0 means pieceFloats
}

// SweeperPays reports whether a problem with m sources and n targets is so large
// that opening a GPU for its sweeps pays, which takes some seconds.
func SweeperPays(m, n, dim int) bool { return sweepWork(m, n, dim) >= 1e11 }

// sweepWork is the work of a sweep. Few dimensions cost about the same.
func sweepWork(m, n, dim int) float64 {
	return float64(m) * float64(n) * float64(max(dim, 8))
}

// OpenSweeper opens a backend called name, xla or auto, for the sweeps of p. It
// returns nil where nothing would come of it: for other names, costs that are
// given as a matrix, and with auto also without a GPU or where p is too small to
// pay.
func OpenSweeper(name string, p *ot.Problem, opts *Options) (*Sweeper, error) {
	m, n := p.Cost.Dims()
	if name != "xla" && name != "auto" || p.Cost.Metric() == ot.Given || name == "auto" && !SweeperPays(m, n, p.Cost.Dim()) {
		return nil, nil
	}
	full := Options{FullFloat32: true}
	if opts != nil {
		full = *opts
		full.FullFloat32 = true
	}
	b, err := Open(name, &full)
	if err != nil {
		return nil, err
	}
	if b.Kind != "xla" {
		b.Close()
		return nil, nil
	}
	s := NewSweeper(b, nil)
	s.owned = true
	return s, nil
}

// Device describes where s runs; "" for nil.
func (s *Sweeper) Device() string {
	if s == nil {
		return ""
	}
	return s.backend.String()
}

// Option returns s as the options of package ot want it; nil for nil.
func (s *Sweeper) Option() ot.Sweeper {
	if s == nil {
		return nil
	}
	return s
}

// NewSweeper returns a Sweeper on b, which must stay open as long as it is in
// use.
func NewSweeper(b *Backend, opts *SweeperOptions) *Sweeper {
	s := &Sweeper{backend: b, programs: map[any]*graph.Graph{}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Least == 0 {
		s.opts.Least = 2e9
	}
	if s.opts.Pairs == 0 {
		s.opts.Pairs = 1 << 29
	}
	if s.opts.piece == 0 {
		s.opts.piece = pieceFloats
	}
	return s
}

// Close frees the programs, and closes a backend that OpenSweeper has opened.
// Sessions must have been closed. A nil Sweeper may be closed.
func (s *Sweeper) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.programs {
		g.Finalize()
	}
	clear(s.programs)
	if s.owned {
		s.backend.Close()
	}
}

// Pays implements ot.Sweeper.
func (s *Sweeper) Pays(m, n, dim int) bool {
	return sweepWork(m, n, dim) >= s.opts.Least
}

// differencesUpTo is the number of dimensions up to which a graph spells out
// distances that are not to be made of inner products.
const differencesUpTo = 64

// mostMinima bounds how many minima come back at a time. The host has room for
// several of these answers, 16 MiB each.
const mostMinima = 1 << 22

// Load implements ot.Sweeper.
func (s *Sweeper) Load(p *ot.SweepPoints) (ot.SweepSession, error) {
	if !p.Products && p.Dim > differencesUpTo {
		return nil, fmt.Errorf("engine: %s distances in %d dimensions are not swept on a device", p.Metric, p.Dim)
	}
	shape := sweepShape{
		metric: p.Metric, products: p.Products, dim: p.Dim, block: p.Block,
		m: padded(p.M, p.Block), n: padded(p.N, 1),
	}
	shape.batch = max(1, min(s.opts.Pairs/shape.m, padded(p.N, 1), 4096, mostMinima/(shape.m/shape.block)))
	g, err := s.program(shape)
	if err != nil {
		return nil, err
	}
	t := &sweepSession{s: s, shape: shape, g: g, blocks: p.Blocks(), n: p.N}
	if err := t.load(p); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// A sweepSession is what a Sweeper has on the device of one problem.
type sweepSession struct {
	s      *Sweeper
	shape  sweepShape
	g      *graph.Graph
	blocks int
	n      int

	x, y, squares, u compute.Buffer

	mu    sync.Mutex
	spare [][]float32 // for answers that are cut: each is 16 MiB, and garbage adds up
}

// load copies the points.
func (t *sweepSession) load(p *ot.SweepPoints) (err error) {
	h := t.shape
	squares := make([]float32, h.m)
	if h.products {
		t.x, err = t.rows(p.Sources, p.M, h.m, func(points []float32, first int) {
			for i := range len(points) / h.dim {
				var sum float64
				for _, v := range points[i*h.dim : (i+1)*h.dim] {
					sum += float64(v) * float64(v)
				}
				squares[first+i] = float32(sum)
			}
		})
	} else {
		points, turned := make([]float32, p.M*h.dim), make([]float32, h.m*h.dim)
		p.Sources(points, 0)
		for i := range p.M {
			for k := range h.dim {
				turned[k*h.m+i] = points[i*h.dim+k]
			}
		}
		t.x, err = t.copy(turned, h.dim, h.m)
	}
	if err != nil {
		return err
	}
	if t.squares, err = t.copy(squares, h.m); err != nil {
		return err
	}
	t.y, err = t.rows(p.Targets, p.N, h.n, func([]float32, int) {})
	return err
}

// pieceFloats is how many numbers go to the device at a time, 64 MiB, so that
// the host needs no second copy of many points.
const pieceFloats = 1 << 24

// rows copies n points, followed by zeros, in pieces of at most so many numbers
// that the device joins. look sees each piece before.
func (t *sweepSession) rows(fill func(dst []float32, first int), n, padded int, look func(points []float32, first int)) (compute.Buffer, error) {
	dim, most := t.shape.dim, t.s.opts.piece
	count := (padded*dim + most - 1) / most
	for padded%count != 0 {
		count++
	}
	size := padded / count
	points := make([]float32, size*dim)
	pieces := make([]compute.Buffer, 0, count)
	defer func() { _ = finalize(pieces...) }()
	for first := 0; first < padded; first += size {
		some := points[:max(0, min(size, n-first))*dim]
		fill(some, first)
		clear(points[len(some):])
		look(some, first)
		b, err := t.copy(points, size, dim)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, b)
	}
	if count == 1 {
		b := pieces[0]
		pieces = nil
		return b, nil
	}
	g, err := t.s.join(joinShape{count, size, dim})
	if err != nil {
		return nil, err
	}
	out, err := g.Executable().Execute(pieces, nil, 0)
	if err != nil {
		return nil, fmt.Errorf("engine: joining points: %w", err)
	}
	return out[0], nil
}

// copy brings numbers to the device.
func (t *sweepSession) copy(v []float32, dims ...int) (compute.Buffer, error) {
	b, err := t.s.backend.Backend.BufferFromFlatData(0, v, shapes.Make(dtypes.Float32, dims...))
	if err != nil {
		return nil, fmt.Errorf("engine: copying to the device: %w", err)
	}
	return b, nil
}

// Rounding implements ot.SweepSession. Sums may be rounded towards zero, which
// is twice as much as to the nearest; factors of TF32 have 10 bits, cut off.
func (t *sweepSession) Rounding() ot.SweepRounding {
	r := ot.SweepRounding{Sum: 0x1p-23}
	if t.s.backend.TF32 {
		r.Product = 0x1p-10
	}
	return r
}

// Batch implements ot.SweepSession.
func (t *sweepSession) Batch() int { return t.shape.batch }

// SetPrices implements ot.SweepSession.
func (t *sweepSession) SetPrices(u []float32) error {
	all := make([]float32, t.shape.m)
	for i := copy(all, u); i < len(all); i++ {
		all[i] = float32(math.Inf(1))
	}
	b, err := t.copy(all, t.shape.m)
	if err != nil {
		return err
	}
	old := t.u
	t.u = b
	return finalize(old)
}

// Minima implements ot.SweepSession.
func (t *sweepSession) Minima(dst []float32, targets []int32) (err error) {
	h := t.shape
	which := make([]int32, h.batch)
	copy(which, targets)
	b, err := t.s.backend.Backend.BufferFromFlatData(0, which, shapes.Make(dtypes.Int32, h.batch, 1))
	if err != nil {
		return fmt.Errorf("engine: copying to the device: %w", err)
	}
	defer func() { err = errors.Join(err, finalize(b)) }()
	out, err := t.g.Executable().Execute([]compute.Buffer{t.x, t.u, t.squares, t.y, b}, nil, 0)
	if err != nil {
		return fmt.Errorf("engine: a sweep: %w", err)
	}
	defer func() { err = errors.Join(err, finalize(out...)) }()
	all, per := dst, h.m/h.block
	whole := len(targets) == h.batch && t.blocks == per
	if !whole {
		all = t.take(h.batch * per)
		defer t.put(all)
	}
	if err := out[0].ToFlatData(all); err != nil {
		return fmt.Errorf("engine: copying from the device: %w", err)
	}
	if !whole {
		for k := range targets {
			copy(dst[k*t.blocks:(k+1)*t.blocks], all[k*per:])
		}
	}
	return nil
}

// take returns room for n numbers, which is to be put back.
func (t *sweepSession) take(n int) []float32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.spare) - 1; last >= 0 {
		room := t.spare[last]
		t.spare = t.spare[:last]
		return room
	}
	return make([]float32, n)
}

func (t *sweepSession) put(room []float32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spare = append(t.spare, room)
}

// Close implements ot.SweepSession.
func (t *sweepSession) Close() {
	_ = finalize(t.x, t.y, t.squares, t.u) // Nothing is lost that is still of use.
	t.x, t.y, t.squares, t.u = nil, nil, nil, nil
}

// finalize frees buffers; nil ones are none.
func finalize(buffers ...compute.Buffer) error {
	var errs []error
	for _, b := range buffers {
		if b != nil {
			errs = append(errs, b.Finalize())
		}
	}
	return errors.Join(errs...)
}
