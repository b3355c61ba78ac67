package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"rot.example/rot/internal/oracle"
)

// A tally counts the outcomes of a family.
type tally struct {
	tried, certified, stopped, excused, tame, refused, wrong, panics, slow int

	seconds float64 // of the slowest
	bad     []outcome
}

// A table has a tally a family.
type table struct {
	o       options
	rows    map[string]*tally
	seconds float64
}

// campaign runs all instances: seeds in order, families in turn. When the
// context ends it finishes those under way.
func campaign(ctx context.Context, o options) (*table, error) {
	t := &table{o: o, rows: map[string]*tally{}}
	for _, name := range o.families {
		t.rows[name] = &tally{}
	}
	start := time.Now()
	jobs := make(chan job)
	go func() {
		for k := 0; k < o.n && ctx.Err() == nil; k++ {
			jobs <- job{o.families[k%len(o.families)], o.first + uint64(k/len(o.families))}
		}
		close(jobs)
	}()
	var mu sync.Mutex
	var group sync.WaitGroup
	var failed error
	done := 0
	for range o.workers {
		group.Add(1)
		go func() {
			defer group.Done()
			var w *worker
			for j := range jobs {
				if w == nil {
					var err error
					if w, err = startWorker(o); err != nil {
						mu.Lock()
						failed = err
						mu.Unlock()
						for range jobs { // drain
						}
						return
					}
				}
				out, alive := w.do(j, o.limit)
				if !alive {
					w = nil
				}
				mu.Lock()
				t.add(out)
				if done++; done%1000 == 0 {
					fmt.Fprintf(os.Stderr, "%d of %d, %.0f s\n", done, o.n, time.Since(start).Seconds())
				}
				mu.Unlock()
			}
			if w != nil {
				w.stop()
			}
		}()
	}
	group.Wait()
	t.seconds = time.Since(start).Seconds()
	return t, failed
}

func (t *table) add(o outcome) {
	r := t.rows[o.Job.Family]
	r.tried++
	r.seconds = max(r.seconds, o.Seconds)
	bad := true
	o.Failures = slices.DeleteFunc(o.Failures, func(f oracle.Failure) bool { return f.Size > 0 && f.Size < t.o.above })
	switch {
	case o.Panic != "":
		r.panics++
	case len(o.Failures) > 0:
		r.wrong++
	case o.TooSlow:
		r.slow++
	case o.Stopped && o.Excused:
		r.excused++
		bad = false
	case o.Stopped:
		r.stopped++
		if o.Tame {
			r.tame++
		}
	case o.Refused:
		r.refused++
		bad = false
	default:
		r.certified++
		bad = false
	}
	if bad {
		r.bad = append(r.bad, o)
	}
}

func (t *table) total() tally {
	var s tally
	for _, r := range t.rows {
		s.tried += r.tried
		s.certified += r.certified
		s.stopped += r.stopped
		s.excused += r.excused
		s.tame += r.tame
		s.refused += r.refused
		s.wrong += r.wrong
		s.panics += r.panics
		s.slow += r.slow
		s.seconds = max(s.seconds, r.seconds)
	}
	return s
}

func (t *table) passed() bool {
	s := t.total()
	return s.wrong == 0 && s.panics == 0 && s.slow == 0 && s.tame == 0 && 1000*s.stopped <= s.tried
}

func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "%-11s %7s %9s %6s %5s %7s %7s %6s %6s %8s %9s\n", "family", "tried", "certified", "exit 3", "tame", "excused", "refused", "false", "panic", "too slow", "slowest/s")
	line := func(name string, r *tally) {
		fmt.Fprintf(w, "%-11s %7d %9d %6d %5d %7d %7d %6d %6d %8d %9.2f\n", name, r.tried, r.certified, r.stopped, r.tame, r.excused, r.refused, r.wrong, r.panics, r.slow, r.seconds)
	}
	for _, name := range t.o.families {
		line(name, t.rows[name])
	}
	all := t.total()
	line("all", &all)
	fmt.Fprintf(w, "%.0f s with %d workers\n", t.seconds, t.o.workers)
	if all.tried < t.o.n {
		fmt.Fprintf(w, "ended early: %d of %d instances\n", all.tried, t.o.n)
	}
	t.printClasses(w)
	for _, name := range t.o.families {
		if r := t.rows[name]; len(r.bad) > 0 {
			slices.SortFunc(r.bad, func(x, y outcome) int { return cmp.Compare(x.Job.Seed, y.Job.Seed) })
			fmt.Fprintf(w, "\n%s, %d seeds:", name, len(r.bad))
			for _, o := range r.bad[:min(len(r.bad), 40)] {
				fmt.Fprintf(w, " %d", o.Job.Seed)
			}
			fmt.Fprintln(w)
		}
	}
	if t.passed() {
		fmt.Fprintln(w, "\npassed")
	} else {
		fmt.Fprintln(w, "\nFAILED")
	}
}

// A class is one kind of failure of one method.
type class struct {
	name     string
	count    int
	worst    float64
	examples []example
}

type example struct {
	o    outcome
	text string
}

// printClasses lists the failures by method and kind, each with its smallest
// instances.
func (t *table) printClasses(w io.Writer) {
	classes := map[string]*class{}
	for _, r := range t.rows {
		for _, o := range r.bad {
			seen := map[string]bool{}
			for _, f := range o.wrongs() {
				name := fmt.Sprintf("%s: %s", o.Method, f.Kind)
				if seen[name] {
					continue
				}
				seen[name] = true
				c := classes[name]
				if c == nil {
					c = &class{name: name}
					classes[name] = c
				}
				c.count++
				c.worst = max(c.worst, f.Size)
				c.examples = append(c.examples, example{o, f.Text})
			}
		}
	}
	for _, c := range slices.SortedFunc(maps.Values(classes), func(x, y *class) int { return cmp.Compare(x.name, y.name) }) {
		fmt.Fprintf(w, "\n%s: %d, worst by %.2g\n", c.name, c.count, c.worst)
		slices.SortFunc(c.examples, func(x, y example) int {
			return cmp.Or(cmp.Compare(x.o.Cells, y.o.Cells), cmp.Compare(x.o.Job.Family, y.o.Job.Family), cmp.Compare(x.o.Job.Seed, y.o.Job.Seed))
		})
		for _, e := range c.examples[:min(t.o.show, len(c.examples))] {
			fmt.Fprintf(w, "  go run ./bench/peers/oracles/campaign -family %s -seed %d\n      %s\n", e.o.Job.Family, e.o.Job.Seed, e.text)
		}
	}
}

// wrongs is all that is wrong with an outcome.
func (o outcome) wrongs() []oracle.Failure {
	switch {
	case o.Panic != "":
		first, _, _ := strings.Cut(o.Panic, "\n")
		return []oracle.Failure{{Kind: "panic", Text: first}}
	case len(o.Failures) > 0:
		return o.Failures
	case o.TooSlow:
		return []oracle.Failure{{Kind: "too slow", Text: "no answer in time"}}
	case o.Tame:
		return []oracle.Failure{{Kind: "exit 3, tame", Text: "stopped short of its tolerance"}}
	}
	return []oracle.Failure{{Kind: "exit 3", Text: "stopped short of its tolerance"}}
}
