package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"rot.example/rot/internal/oracle"
)

// A tally counts the outcomes of a family.
type tally struct {
	tried, certified, stopped, excused, tame, refused, false_, panics, slow int

	seconds float64 // of the slowest
	kinds   map[string]int
	bad     []outcome
}

// A table has a tally a family.
type table struct {
	o       options
	rows    map[string]*tally
	seconds float64
}

// campaign runs all instances: seeds in order, families in turn.
func campaign(o options) (*table, error) {
	t := &table{o: o, rows: map[string]*tally{}}
	for _, name := range o.families {
		t.rows[name] = &tally{kinds: map[string]int{}}
	}
	start := time.Now()
	jobs := make(chan job)
	go func() {
		for k := range o.n {
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
					if w, err = startWorker(o.limit); err != nil {
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
		r.kinds["panic"]++
	case o.TooSlow:
		r.slow++
		r.kinds["too slow"]++
	case len(o.Failures) > 0:
		r.false_++
		for _, f := range o.Failures {
			r.kinds[string(f.Kind)]++
		}
	case o.Stopped && o.Excused:
		r.excused++
		bad = false
	case o.Stopped:
		r.stopped++
		r.kinds["exit 3"]++
		if o.Tame {
			r.tame++
			r.kinds["exit 3, tame"]++
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
		s.false_ += r.false_
		s.panics += r.panics
		s.slow += r.slow
		s.seconds = max(s.seconds, r.seconds)
	}
	return s
}

func (t *table) passed() bool {
	s := t.total()
	return s.false_ == 0 && s.panics == 0 && s.slow == 0 && s.tame == 0 && 1000*s.stopped <= s.tried
}

func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "%-11s %7s %9s %6s %5s %7s %7s %6s %6s %8s %9s\n", "family", "tried", "certified", "exit 3", "tame", "excused", "refused", "false", "panic", "too slow", "slowest/s")
	line := func(name string, r *tally) {
		fmt.Fprintf(w, "%-11s %7d %9d %6d %5d %7d %7d %6d %6d %8d %9.2f\n", name, r.tried, r.certified, r.stopped, r.tame, r.excused, r.refused, r.false_, r.panics, r.slow, r.seconds)
	}
	for _, name := range t.o.families {
		line(name, t.rows[name])
	}
	all := t.total()
	line("all", &all)
	fmt.Fprintf(w, "%.0f s with %d workers\n", t.seconds, t.o.workers)
	for _, name := range t.o.families {
		r := t.rows[name]
		if len(r.bad) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:", name)
		for _, k := range slices.Sorted(mapKeys(r.kinds)) {
			fmt.Fprintf(w, " %s %d;", k, r.kinds[k])
		}
		fmt.Fprintln(w)
		slices.SortFunc(r.bad, func(x, y outcome) int { return cmp.Compare(x.Job.Seed, y.Job.Seed) })
		for k, o := range r.bad {
			if k == t.o.show {
				fmt.Fprintf(w, "  … and seeds")
				for _, o := range r.bad[k:min(len(r.bad), k+50)] {
					fmt.Fprintf(w, " %d", o.Job.Seed)
				}
				fmt.Fprintln(w)
				break
			}
			fmt.Fprintf(w, "  go run ./bench/peers/oracles/campaign -family %s -seed %d\n", name, o.Job.Seed)
			for _, text := range o.texts() {
				fmt.Fprintf(w, "      %s\n", text)
			}
		}
	}
	if t.passed() {
		fmt.Fprintln(w, "\npassed")
	} else {
		fmt.Fprintln(w, "\nFAILED")
	}
}

// texts says what was wrong, a line each.
func (o outcome) texts() []string {
	switch {
	case o.Panic != "":
		first, _, _ := strings.Cut(o.Panic, "\n")
		return []string{fmt.Sprintf("%s: panic: %s", o.Method, first)}
	case o.TooSlow:
		return []string{fmt.Sprintf("%s: too slow", o.Method)}
	case len(o.Failures) == 0:
		return []string{fmt.Sprintf("%s: stopped short of its tolerance", o.Method)}
	}
	var out []string
	for _, f := range o.Failures {
		out = append(out, fmt.Sprintf("%s: %s (%.2g): %s", o.Method, f.Kind, f.Size, f.Text))
	}
	return out
}

func mapKeys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// exportAll writes instances with the solvers' answers, one JSON object a line.
func exportAll(o options, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for k := range o.n {
		in, err := oracle.Generate(o.families[k%len(o.families)], o.first+uint64(k/len(o.families)))
		if err != nil {
			return err
		}
		if err := exportOne(f, in, o.limit); err != nil {
			return err
		}
	}
	return f.Close()
}
