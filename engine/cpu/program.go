package cpu

import (
	"unsafe"

	"github.com/gomlx/compute/dtypes"
)

// A program computes the nodes of a group block by block: every instruction
// does one block before the next instruction begins, so that what passes
// between them stays in the first cache.
type program struct {
	size    int // elements in all
	block   int // elements at a time
	regs    int // blocks of scratch memory
	splats  []splat
	before  []instruction // once for each piece of work: what is the same in every block
	code    []instruction
	result  operand // of a reduction: what to reduce
	heavy   bool    // has operations that take long
	scratch int     // bytes
}

// maxBlock is the number of elements in a block. Blocks of float32 take 4 KB,
// of which eight fit the usual first cache.
const maxBlock = 1024

// An operand is where a block is.
type operand struct {
	kind operandKind
	i    int // number of the register, array or splat
	off  int // element of the array that the first block begins with
	size int // bytes of an element
}

type operandKind uint8

const (
	nothing operandKind = iota
	register
	array
	scalar
)

// A splat is a scalar input, repeated to fill a vector at the start of a run.
type splat struct {
	array, off int
	dtype      dtypes.DType
}

// An instruction is a kernel and its operands, or the load of a view.
type instruction struct {
	kernel kernel
	dst    operand
	in     [4]operand
	load   *view // of in[0], if not nil
	store  *view // of dst, if not nil
	n      int   // operands in use
}

// begin prepares the scalars of a run.
func (p *program) begin(r *run) {
	for i, s := range p.splats {
		at := unsafe.Add(r.splats, i*vectorBytes)
		from := unsafe.Add(r.arrays[s.array], s.off*sizeOf(s.dtype))
		switch {
		case s.dtype == dtypes.BFloat16:
			v := (*(*bfloat)(from)).Float32()
			for k := range 8 {
				*(*float32)(unsafe.Add(at, k*4)) = v
			}
		default:
			n := sizeOf(s.dtype)
			src := unsafe.Slice((*byte)(from), n)
			dst := unsafe.Slice((*byte)(at), vectorBytes)
			for k := 0; k < vectorBytes; k += n {
				copy(dst[k:], src)
			}
		}
	}
}

// A frame is what one worker needs to run programs.
type frame struct {
	r       *run
	scratch unsafe.Pointer
	o       operands
	t       tile
	segs    [1]segment
	lines   []segment
	ends    []int
	buf     [tileRows * tileCols]float64 // a tile that goes elsewhere later
	spare   [wideCols]float64            // for rows that do not count
}

// start runs what comes before the blocks from element i on.
func (p *program) start(f *frame, i int) {
	for k := range p.before {
		p.step(f, &p.before[k], i, p.block)
	}
}

// compute runs the block of n elements from element i on.
func (p *program) compute(f *frame, i, n int) {
	for k := range p.code {
		p.step(f, &p.code[k], i, n)
	}
}

func (p *program) step(f *frame, c *instruction, i, n int) {
	if c.load != nil {
		dst, _ := p.at(f, &c.dst, i)
		load(dst, f.r.arrays[c.in[0].i], c.load, i, n, c.dst.size)
		return
	}
	if c.store != nil {
		src, _ := p.at(f, &c.in[0], i)
		store(f.r.arrays[c.dst.i], c.store, i, src, n, c.dst.size)
		return
	}
	o := &f.o
	o.dst, _ = p.at(f, &c.dst, i)
	for k := range c.n {
		o.in[k], o.step[k] = p.at(f, &c.in[k], i)
	}
	c.kernel(o, n)
}

// at is where the block from element i on of an operand is.
func (p *program) at(f *frame, o *operand, i int) (unsafe.Pointer, uintptr) {
	switch o.kind {
	case array:
		return unsafe.Add(f.r.arrays[o.i], (o.off+i)*o.size), vectorBytes
	case register:
		return unsafe.Add(f.scratch, o.i*p.block*8), vectorBytes
	}
	return unsafe.Add(f.r.splats, o.i*vectorBytes), 0
}
