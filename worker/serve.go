package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"rot.example/rot/chisq"
	"rot.example/rot/clean"
	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// Options tunes Serve. The zero value is ready to use.
type Options struct {
	Version string // of the program, for the hello; may be empty
}

const (
	// buffer is larger than most requests, which then take one read.
	buffer = 1 << 20
	// large is the size of the arrays of a request from which on the memory
	// goes back to the system once the request is answered.
	large = 256 << 20
)

// The kinds of errors that a client tells apart.
const (
	kindInput       = "input"       // the caller's arrays or options
	kindConvergence = "convergence" // comes with the arrays of the best result
	kindCancelled   = "cancelled"
	kindInternal    = "internal" // nothing that a caller could do better
)

// A failure is the args of an "error".
type failure struct {
	Kind   string  `json:"kind"`
	Text   string  `json:"text"`
	Solver string  `json:"solver,omitempty"`
	Gap    *number `json:"gap,omitempty"`
	Tol    *number `json:"tol,omitempty"`
	Iters  int     `json:"iters,omitempty"`
	Result any     `json:"result,omitempty"` // as in a "result"
}

// An answer is what an operation returns: a JSON object and arrays.
type answer struct {
	args   any
	arrays []Array
}

// A server is one conversation.
type server struct {
	mu      sync.Mutex // guards all below
	out     *bufio.Writer
	err     error // of out
	running map[uint64]context.CancelFunc
}

// Serve answers the requests that come from in until in ends, which cancels
// what is running and returns nil without waiting for it. It returns an error
// that wraps ErrMessage when in makes no sense, and that of out when nobody
// listens any more.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts *Options) error {
	var o Options
	if opts != nil {
		o = *opts
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{out: bufio.NewWriterSize(out, buffer), running: map[uint64]context.CancelFunc{}}
	hello := map[string]any{"protocol": Protocol, "version": o.Version, "operations": Operations()}
	if err := s.send(0, "hello", answer{args: hello}); err != nil {
		return err
	}
	r := bufio.NewReaderSize(in, buffer)
	for {
		m, err := ReadMessage(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.take(ctx, m); err != nil {
			return err
		}
	}
}

// take starts what m asks for.
func (s *server) take(ctx context.Context, m *Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	stop, busy := s.running[m.ID]
	switch {
	case m.Op == "cancel":
		if busy {
			stop()
		}
		return nil
	case m.ID == 0 || busy:
		return fmt.Errorf("worker: id %d is taken: %w", m.ID, ErrMessage)
	}
	ctx, cancel := context.WithCancel(ctx)
	s.running[m.ID] = cancel
	go s.run(ctx, m)
	return nil
}

// run answers one request.
func (s *server) run(ctx context.Context, m *Message) {
	a, err := s.do(ctx, m)
	op := "result"
	if err != nil {
		op, a = "error", answer{failed(ctx, err, a), a.arrays}
	}
	s.mu.Lock()
	s.running[m.ID]()
	delete(s.running, m.ID)
	s.mu.Unlock()
	s.send(m.ID, op, a) // An error ends the conversation at the next request.
	var size uint64
	for i := range m.Arrays {
		n, _ := m.Arrays[i].bytes()
		size += n
	}
	if size >= large {
		m.Arrays = nil
		debug.FreeOSMemory()
	}
}

// do runs the operation and turns a panic into an error, so that one request
// cannot take the others down with it.
func (s *server) do(ctx context.Context, m *Message) (a answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = answer{}, fmt.Errorf("worker: internal error in %q: %v\n%s", m.Op, p, debug.Stack())
		}
	}()
	op, ok := operations[m.Op]
	if !ok {
		return answer{}, fmt.Errorf("worker: there is no operation %q: %w", m.Op, errRequest)
	}
	q, err := newRequest(m)
	if err != nil {
		return answer{}, err
	}
	if q.Progress {
		start, patience := time.Now(), time.Duration(float64(q.Patience)*float64(time.Second))
		q.report = func(p progress) {
			if time.Since(start) >= patience {
				s.send(m.ID, "progress", answer{args: p})
			}
		}
	}
	return op(ctx, q)
}

// failed describes err to the client. a is the best answer there is, if any.
func failed(ctx context.Context, err error, a answer) failure {
	f := failure{Kind: kindInternal, Text: plainText(err)}
	var short *ot.ConvergenceError
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		f.Kind = kindCancelled
	case errors.As(err, &short):
		gap, tol := number(short.Gap), number(short.Tol)
		f.Kind, f.Solver, f.Iters, f.Gap, f.Tol, f.Result = kindConvergence, short.Solver, short.Iters, &gap, &tol, a.args
	default:
		var meet *table.MeetError
		var encoding *table.EncodingError
		var unknown *table.UnknownError
		var bad *table.Error
		if errors.As(err, &meet) || errors.As(err, &encoding) || errors.As(err, &unknown) || errors.As(err, &bad) {
			f.Kind = kindInput
		}
		for _, e := range []error{errRequest, clean.ErrModel, table.ErrEncoding, ot.ErrShape, ot.ErrValue, ot.ErrWeights, ot.ErrOption, chisq.ErrRadius, chisq.ErrScore, chisq.ErrWeights, chisq.ErrLength} {
			if errors.Is(err, e) {
				f.Kind = kindInput
			}
		}
	}
	return f
}

// plainText is the message of err without the package that it starts with.
func plainText(err error) string {
	text := err.Error()
	for _, pkg := range []string{"worker: ", "ot: ", "chisq: ", "clean: ", "drift: ", "table: ", "page: "} {
		text = strings.TrimPrefix(text, pkg)
	}
	return text
}

func (s *server) send(id uint64, op string, a answer) error {
	args, err := json.Marshal(a.args)
	if err != nil {
		return fmt.Errorf("worker: answer to %d: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = WriteMessage(s.out, &Message{ID: id, Op: op, Args: args, Arrays: a.arrays})
	}
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}
