package cpu

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

var _ compute.Executable = (*executable)(nil)

// A run is one execution of an executable. It is used again.
type run struct {
	e       *executable
	arrays  []unsafe.Pointer
	temps   []unsafe.Pointer
	splats  unsafe.Pointer
	frames  []frame
	outputs []*Buffer
	done    []bool // parameters whose memory was given back
}

// idle keeps runs that are over. More than one runs at a time only if the
// caller executes the same graph from several goroutines.
type idle struct {
	mu   sync.Mutex
	runs []*run
}

func (e *executable) newRun() *run {
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	if k := len(e.idle.runs); k > 0 {
		r := e.idle.runs[k-1]
		e.idle.runs = e.idle.runs[:k-1]
		return r
	}
	r := &run{e: e, arrays: make([]unsafe.Pointer, len(e.places)), temps: make([]unsafe.Pointer, len(e.temps))}
	r.frames, r.done = make([]frame, e.backend.workers.n), make([]bool, len(e.inputs))
	r.splats = unsafe.Pointer(unsafe.SliceData(make([]uint64, e.splats*vectorBytes/8+1)))
	for i := range r.frames {
		// A line apart, so that workers do not share one.
		words := make([]uint64, (e.scratch+2*align)/8)
		r.frames[i] = frame{r: r, scratch: unsafe.Pointer(unsafe.SliceData(words))}
	}
	return r
}

// place tells where the arrays are.
func (r *run) place(arena []uint64, in []*Buffer) {
	base := unsafe.Pointer(unsafe.SliceData(arena))
	for i, p := range r.e.places {
		if p.constant != nil {
			r.arrays[i] = p.constant.pointer()
		} else {
			r.arrays[i] = unsafe.Add(base, p.offset)
		}
	}
	for i, off := range r.e.temps {
		r.temps[i] = unsafe.Add(base, off)
	}
	for i, b := range in {
		r.arrays[r.e.params[i]] = b.pointer()
	}
}

// keep takes a run that is over, without the memory that it used.
func (e *executable) keep(r *run) {
	clear(r.arrays)
	clear(r.temps)
	for i := range r.frames {
		f := &r.frames[i]
		f.o, f.t = operands{}, tile{}
	}
	r.outputs = nil
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	if len(e.idle.runs) < 2 {
		e.idle.runs = append(e.idle.runs, r)
	}
}

// each calls f for the pieces of 0…n−1, size at a time.
func (r *run) each(n, size int, f func(w *frame, lo, hi int)) {
	if n <= few && n <= size {
		f(&r.frames[0], 0, n)
		return
	}
	r.tasks((n+size-1)/size, func(w *frame, i int) { f(w, i*size, min(n, (i+1)*size)) })
}

// tasks calls f for 0…n−1, several at a time.
func (r *run) tasks(n int, f func(w *frame, i int)) {
	r.e.backend.workers.each(n, func(worker, i int) { f(&r.frames[worker], i) })
}

// Finalize implements compute.Executable.
func (e *executable) Finalize() {
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	e.idle.runs, e.steps = nil, nil
}

// Inputs implements compute.Executable.
func (e *executable) Inputs() (names []string, inputShapes []shapes.Shape) { return e.names, e.inputs }

// Outputs implements compute.Executable.
func (e *executable) Outputs() []shapes.Shape { return e.outputs }

// Execute implements compute.Executable.
func (e *executable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	if e.steps == nil || e.backend.IsFinalized() {
		return nil, errFinalized
	}
	if len(inputs) != len(e.inputs) || len(donate) != 0 && len(donate) != len(inputs) {
		return nil, fmt.Errorf("cpu: %d inputs for a graph of %d", len(inputs), len(e.inputs))
	}
	if device != 0 {
		return nil, fmt.Errorf("cpu: there is no device %d", device)
	}
	in := make([]*Buffer, len(inputs))
	for i, x := range inputs {
		b, ok := x.(*Buffer)
		switch {
		case !ok || b == nil || b.backend != e.backend:
			return nil, fmt.Errorf("cpu: input %q is no buffer of this backend", e.names[i])
		case b.words == nil:
			return nil, fmt.Errorf("cpu: input %q: %w", e.names[i], errFinalized)
		case !b.shape.Equal(e.inputs[i]):
			return nil, fmt.Errorf("cpu: input %q is %s, and the graph wants %s", e.names[i], b.shape, e.inputs[i])
		}
		in[i] = b
	}
	r := e.newRun()
	arena := e.backend.memory.arena(e.arena)
	r.place(arena, in)
	r.outputs = make([]*Buffer, len(e.outputs))
	clear(r.done)
	for k, s := range e.steps {
		for _, i := range e.made[k] {
			out := e.places[i].output - 1
			r.outputs[out] = e.backend.newBuffer(e.outputs[out])
			r.arrays[i] = r.outputs[out].pointer()
		}
		s.exec(r)
		for _, i := range s.ends {
			if len(donate) > 0 && donate[i] {
				// Memory for what comes, which is often as large.
				r.giveBack(in, i)
			}
		}
	}
	results := make([]compute.Buffer, len(r.outputs))
	for i, b := range r.outputs {
		if b == nil {
			return nil, errors.New("cpu: a result was not computed")
		}
		results[i] = b
	}
	for i := range donate {
		if donate[i] {
			r.giveBack(in, i)
		}
	}
	e.keep(r)
	e.backend.memory.putArena(arena)
	return results, nil
}

// giveBack takes a donated input. One that was given twice goes back once.
func (r *run) giveBack(in []*Buffer, i int) {
	if r.done[i] || in[i].words == nil {
		return
	}
	for k, b := range in {
		if k != i && b == in[i] && !r.done[k] {
			r.done[i] = true // the other one will
			return
		}
	}
	r.done[i] = true
	_ = in[i].Finalize() // it has memory, as checked
}
