// Package engine runs tasks over blocks on Beam's engines, or in goroutines.
//
// A task turns an element, a block of rows, into a summary, and merges
// summaries. Everything is bytes: what they mean is the task's affair. A task is
// named, so that a worker process finds it, and made from a specification that
// travels with the pipeline.
package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // faster calls
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"rot.example/rot/beam/store"
)

// A Task works on elements and merges what came of them. Its methods may be
// called from several goroutines at once.
type Task interface {
	// Run returns the summary of an element. It may be called again for the same
	// element and must then do and return the same.
	Run(ctx context.Context, element []byte) ([]byte, error)
	// Merge joins two summaries, neither of them empty. The order must not matter.
	Merge(a, b []byte) ([]byte, error)
}

var makers = map[string]func(spec []byte) (Task, error){}

// Register names a kind of task. It is called before main.
func Register(name string, make func(spec []byte) (Task, error)) { makers[name] = make }

// tasks are those that this process has made; DoFns come and go with bundles.
var tasks struct {
	sync.Mutex
	made  map[[32]byte]Task
	order [][32]byte
}

func taskOf(name string, spec []byte) (Task, error) {
	key := sha256.Sum256(append([]byte(name+"\x00"), spec...))
	tasks.Lock()
	defer tasks.Unlock()
	if t := tasks.made[key]; t != nil {
		return t, nil
	}
	make_ := makers[name]
	if make_ == nil {
		return nil, fmt.Errorf("engine: no task is called %q", name)
	}
	t, err := make_(spec)
	if err != nil {
		return nil, err
	}
	if tasks.made == nil {
		tasks.made = map[[32]byte]Task{}
	}
	if len(tasks.order) >= 8 {
		delete(tasks.made, tasks.order[0])
		tasks.order = tasks.order[1:]
	}
	tasks.made[key] = t
	tasks.order = append(tasks.order, key)
	return t, nil
}

func init() {
	register.DoFn3x1[context.Context, []byte, func([]byte), error](&runTask{})
	register.DoFn2x1[context.Context, []byte, error](&writeResult{})
	register.Emitter1[[]byte]()
	register.Combiner1[[]byte](&mergeTask{})
}

// slots bounds the elements that a process works on at a time, so that its memory
// does not grow with their number: engines may hand over all of them at once. It
// is twice the cores, because some wait for their files.
var slots = make(chan struct{}, 2*runtime.GOMAXPROCS(0))

// runTask is the pipeline's step that does the work.
type runTask struct {
	Name string
	Spec []byte
	Temp string
}

// ProcessElement runs the task for one element. A failure is also written where
// the submitter finds it, because engines wrap errors or keep them.
func (fn *runTask) ProcessElement(ctx context.Context, element []byte, emit func([]byte)) error {
	t, err := taskOf(fn.Name, fn.Spec)
	if err != nil {
		return err
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-slots }()
	out, err := t.Run(ctx, element)
	if err != nil {
		var data *DataError
		if errors.As(err, &data) && ctx.Err() == nil {
			_ = store.WriteBytes(context.WithoutCancel(ctx), failureFile(fn.Temp), []byte(data.Error()))
		}
		return err
	}
	emit(out)
	return nil
}

// mergeTask joins the summaries.
type mergeTask struct {
	Name string
	Spec []byte
}

// CreateAccumulator returns the summary of nothing.
func (fn *mergeTask) CreateAccumulator() []byte { return []byte{} }

// AddInput joins two summaries.
func (fn *mergeTask) AddInput(a, b []byte) ([]byte, error) { return fn.MergeAccumulators(a, b) }

// MergeAccumulators joins two summaries.
func (fn *mergeTask) MergeAccumulators(a, b []byte) ([]byte, error) {
	switch {
	case len(a) == 0:
		return slices.Clone(b), nil
	case len(b) == 0:
		return slices.Clone(a), nil
	}
	t, err := taskOf(fn.Name, fn.Spec)
	if err != nil {
		return nil, err
	}
	return t.Merge(a, b)
}

// writeResult leaves the summary of all where the submitter finds it.
type writeResult struct{ Path string }

// ProcessElement writes the summary.
func (fn *writeResult) ProcessElement(ctx context.Context, all []byte) error {
	return store.WriteBytes(ctx, fn.Path, all)
}

// A DataError is about the data and not about the machinery: running the job
// again would fail again.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }
func (e *DataError) Unwrap() error { return e.Err }

// Plain is the runner that uses goroutines of this process and no engine.
const Plain = "plain"

// A Job is where and how tasks run.
type Job struct {
	Runner string // of Beam, or Plain; "" means prism
	Temp   string // a folder that the workers reach, too
}

func failureFile(temp string) string { return store.Join(temp, "failure") }

// Run runs a task over elements and returns the summary of all of them, which is
// empty where there are none.
func (j *Job) Run(ctx context.Context, name string, spec []byte, elements [][]byte) ([]byte, error) {
	if len(elements) == 0 {
		return nil, nil
	}
	if j.Runner == Plain {
		return runPlain(ctx, name, spec, elements)
	}
	result := store.Join(j.Temp, name+".result")
	if err := store.Remove(ctx, result); err != nil {
		return nil, err
	}
	if err := j.clearFailure(ctx); err != nil {
		return nil, err
	}
	p, s := beam.NewPipelineWithRoot()
	in := beam.Reshuffle(s, beam.CreateList(s, elements))
	parts := beam.ParDo(s, &runTask{Name: name, Spec: spec, Temp: j.Temp}, in)
	all := beam.Combine(s, &mergeTask{Name: name, Spec: spec}, parts)
	beam.ParDo0(s, &writeResult{Path: result}, all)
	runner := j.Runner
	if runner == "" {
		runner = "prism"
	}
	if _, err := beam.Run(ctx, runner, p); err != nil {
		if text, readErr := store.Read(context.WithoutCancel(ctx), failureFile(j.Temp)); readErr == nil {
			return nil, &DataError{errors.New(string(text))}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("the engine %s gave up: %s", runner, lastLine(err.Error()))
	}
	if err := j.clearFailure(ctx); err != nil { // of an attempt that was made again
		return nil, err
	}
	out, err := store.Read(ctx, result)
	if err != nil {
		return nil, fmt.Errorf("the engine %s has left no result in %s, which workers and this process must share: %w", runner, j.Temp, err)
	}
	return out, store.Remove(ctx, result)
}

func (j *Job) clearFailure(ctx context.Context) error {
	there, err := store.Exists(ctx, failureFile(j.Temp))
	if err != nil || !there {
		return err
	}
	return store.Remove(ctx, failureFile(j.Temp))
}

// lastLine is the innermost of the errors that engines wrap.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// runPlain is the yardstick: the same work in goroutines.
func runPlain(ctx context.Context, name string, spec []byte, elements [][]byte) ([]byte, error) {
	t, err := taskOf(name, spec)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	var all []byte
	var first error
	merge := mergeTask{Name: name, Spec: spec}
	next := make(chan []byte)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for e := range next {
				out, err := t.Run(ctx, e)
				mu.Lock()
				if err == nil {
					all, err = merge.MergeAccumulators(all, out)
				}
				if err != nil && first == nil {
					first = err
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	for _, e := range elements {
		if ctx.Err() != nil {
			break
		}
		next <- e
	}
	close(next)
	wg.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return all, first
}
