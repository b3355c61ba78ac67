// Drift measures how often package drift raises an alarm: on two samples of one
// kind, on such with gross outliers, and on samples that have moved, and prints
// Markdown for docs/benchmarks.md.
//
//	go run ./bench/drift -data ../shared/data -splits 500 null dirty power
//
// -log FILE takes down each trial as a line of JSON; those that it has already
// are not made again. -part-of K/N makes every N-th trial only, from the K-th on,
// so that several machines can share the work; "table FILE..." prints the table
// of such files. -write DIR writes the same samples as .npy files for
// bench/peers/drift, so that the peers see what was seen here. Sources are the
// normal rows of ADBench's tables, and features of Office-Caltech and PACS.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"rot.example/rot/drift"
	"rot.example/rot/ot"
)

type options struct {
	data, only, write string
	splits, rows      int
	permutations      int
	first             int
	kinds             string
	log, partOf       string
	workers           int
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "../shared/data", "folder with adbench, office-caltech10 and pacs")
	flag.StringVar(&o.only, "only", "", "sources whose name has this in it")
	flag.StringVar(&o.write, "write", "", "folder for the samples; nothing is measured then")
	flag.IntVar(&o.splits, "splits", 500, "splits in all for null and dirty; for power as many a kind")
	flag.IntVar(&o.rows, "rows", 300, "rows of each sample at most")
	flag.IntVar(&o.permutations, "permutations", 199, "of a test")
	flag.IntVar(&o.first, "first", 0, "number of the first split")
	flag.StringVar(&o.kinds, "kinds", "", "kinds, with ; between them; empty: all of a part")
	flag.StringVar(&o.log, "log", "", "file that each trial is added to, as a line of JSON; trials in it are not made again")
	flag.StringVar(&o.partOf, "part-of", "1/1", "K/N: every N-th trial, from the K-th on")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "trials at a time")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

// A plan is a trial before its samples are drawn.
type plan struct {
	source source
	kind   string
	number int
}

func (p plan) draw(rows int) trial {
	return p.source.draw(p.kind, p.number, rows, rand.New(rand.NewPCG(uint64(p.number), 11)))
}

// A trial is two samples.
type trial struct {
	source     string
	kind       string
	number     int
	old, fresh *ot.Points
	feature    bool
}

func run(o options, parts []string) error {
	if len(parts) > 1 && parts[0] == "table" {
		records, err := readRecords(parts[1:]...)
		if err != nil {
			return err
		}
		report(os.Stdout, records)
		return nil
	}
	plans, err := o.plan(parts)
	if err != nil {
		return err
	}
	if o.write != "" {
		return write(o.write, plans, o.rows)
	}
	records, err := measure(o, plans)
	if err != nil {
		return err
	}
	report(os.Stdout, records)
	return nil
}

// plan is the trials of the parts.
func (o options) plan(parts []string) ([]plan, error) {
	var k, n int
	if _, err := fmt.Sscanf(o.partOf, "%d/%d", &k, &n); err != nil || k < 1 || k > n {
		return nil, fmt.Errorf("%q is not a part K/N", o.partOf)
	}
	sources, err := load(o)
	if err != nil {
		return nil, err
	}
	var out []plan
	for _, part := range parts {
		kinds, ok := map[string][]string{"null": {"null"}, "dirty": dirtyKinds, "power": powerKinds}[part]
		if !ok {
			return nil, fmt.Errorf("no part %q", part)
		}
		count := o.splits
		if part == "dirty" {
			count /= len(dirtyKinds)
		}
		for number := o.first; number < o.first+count; number++ {
			for _, kind := range kinds {
				if o.kinds != "" && !slices.Contains(strings.Split(o.kinds, ";"), kind) {
					continue
				}
				var fit []source
				for _, s := range sources {
					if s.feature || kind != "class prior" && kind != "domain" {
						fit = append(fit, s)
					}
				}
				if len(fit) > 0 {
					out = append(out, plan{fit[number%len(fit)], kind, number})
				}
			}
		}
	}
	var share []plan
	for i := k - 1; i < len(out); i += n {
		share = append(share, out[i])
	}
	return share, nil
}

// measure makes the trials that are not on record, and returns all of them.
func measure(o options, plans []plan) ([]record, error) {
	book, err := openBook(o.log)
	if err != nil {
		return nil, err
	}
	defer book.close()
	errs := make([]error, len(plans))
	var group sync.WaitGroup
	next := make(chan int)
	for range max(1, o.workers) {
		group.Go(func() {
			for k := range next {
				t := plans[k].draw(o.rows)
				r, err := drift.Compare(context.Background(), t.old, t.fresh, &drift.Options{Permutations: o.permutations, Unscaled: t.feature, Seed: uint64(t.number)})
				if err == nil {
					err = book.add(newRecord(t, r))
				}
				if err != nil {
					errs[k] = fmt.Errorf("%s, %s %d: %w", t.source, t.kind, t.number, err)
				}
			}
		})
	}
	for k, p := range plans {
		if !book.has(p) {
			next <- k
		}
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return book.of(plans), nil
}
