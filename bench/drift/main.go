// Drift measures how often package drift raises an alarm: on two samples of one
// kind, on such with gross outliers, and on samples that have moved, and prints
// Markdown for docs/benchmarks.md.
//
//	go run ./bench/drift -data ../shared/data -splits 500 null dirty power
//
// -write DIR writes the same samples as .npy files for bench/peers/drift, so
// that the peers see what was seen here. Sources are the normal rows of
// ADBench's tables, and features of Office-Caltech and PACS.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"rot.example/rot/dataset"
	"rot.example/rot/drift"
	"rot.example/rot/ot"
)

type options struct {
	data, only, write string
	splits, rows      int
	permutations      int
	first             int
	kinds             string
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
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

// A source is rows that two samples are drawn from; where there are domains,
// the second may be drawn from another one.
type source struct {
	name    string
	rows    *ot.Points
	class   []int
	domain  []int
	feature bool
}

func load(o options) ([]source, error) {
	files, err := filepath.Glob(filepath.Join(o.data, "adbench", "*.npz"))
	if err != nil {
		return nil, err
	}
	var out []source
	for _, path := range files {
		s := source{name: strings.TrimSuffix(filepath.Base(path), ".npz")}
		table, err := dataset.Load(path+":X,y", nil)
		if err != nil {
			return nil, err
		}
		odd, err := table.Marks()
		if err != nil {
			return nil, err
		}
		s.rows = &ot.Points{Dim: table.Points.Dim}
		for i, bad := range odd {
			if !bad {
				s.rows.Coords = append(s.rows.Coords, table.Points.Row(i)...)
			}
		}
		if s.rows.Len() >= 200 && strings.Contains(s.name, o.only) {
			out = append(out, s)
		}
	}
	for _, f := range []struct{ name, file string }{{"office", "office-caltech10/efficientnet_lite4_f16.npz"}, {"pacs", "pacs/mobilenetv2_u8.npz"}} {
		if !strings.Contains(f.name, o.only) {
			continue
		}
		path := filepath.Join(o.data, f.file)
		x, err := dataset.Load(path+":features,label", nil)
		if err != nil {
			return nil, err
		}
		y, err := dataset.Load(path+":features,domain", nil)
		if err != nil {
			return nil, err
		}
		out = append(out, source{name: f.name, rows: &x.Points, class: numbers(x.Labels), domain: numbers(y.Labels), feature: true})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("nothing in %s", o.data)
	}
	return out, nil
}

// numbers gives equal labels equal numbers, in the order of the labels.
func numbers(labels []string) []int {
	names := slices.Compact(slices.Sorted(slices.Values(labels)))
	out := make([]int, len(labels))
	for i, l := range labels {
		out[i], _ = slices.BinarySearch(names, l)
	}
	return out
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
	sources, err := load(o)
	if err != nil {
		return err
	}
	var trials []trial
	for _, part := range parts {
		kinds, ok := map[string][]string{"null": {"null"}, "dirty": dirtyKinds, "power": powerKinds}[part]
		if !ok {
			return fmt.Errorf("no part %q", part)
		}
		for _, kind := range kinds {
			if o.kinds != "" && !slices.Contains(strings.Split(o.kinds, ";"), kind) {
				continue
			}
			var fit []source
			for _, s := range sources {
				if !slices.Contains([]string{"class prior", "domain"}, kind) || s.feature {
					fit = append(fit, s)
				}
			}
			count := o.splits
			if part == "dirty" {
				count /= len(dirtyKinds)
			}
			for k := o.first; len(fit) > 0 && k < o.first+count; k++ {
				s := fit[k%len(fit)]
				trials = append(trials, s.draw(kind, k, o.rows, rand.New(rand.NewPCG(uint64(k), 11))))
			}
		}
	}
	if o.write != "" {
		return write(o.write, trials)
	}
	return measure(o, trials)
}

type outcome struct {
	verdict  drift.Verdict
	p        float64
	suspects int
	parts    []drift.Statistic
}

func measure(o options, trials []trial) error {
	results := make([]outcome, len(trials))
	errs := make([]error, len(trials))
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.NumCPU() {
		group.Go(func() {
			for k := range next {
				t := trials[k]
				r, err := drift.Compare(context.Background(), t.old, t.fresh, &drift.Options{Permutations: o.permutations, Unscaled: t.feature, Seed: uint64(t.number)})
				if err != nil {
					errs[k] = fmt.Errorf("%s, %s %d: %w", t.source, t.kind, t.number, err)
					continue
				}
				results[k] = outcome{r.Verdict, r.PMoved, len(r.Suspects), r.Statistics}
			}
		})
	}
	for k := range trials {
		next <- k
	}
	close(next)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	report(trials, results)
	return nil
}

// report prints how often each kind was called moved, and by which statistics.
func report(trials []trial, results []outcome) {
	var kinds []string
	for _, t := range trials {
		if !slices.Contains(kinds, t.kind) {
			kinds = append(kinds, t.kind)
		}
	}
	fmt.Print("| kind | splits | moved | dirty | same |")
	for _, s := range results[0].parts {
		fmt.Printf(" %s |", s.Name)
	}
	fmt.Printf("\n|---|---|---|---|---|%s\n", strings.Repeat("---|", len(results[0].parts)))
	for _, kind := range kinds {
		count := map[drift.Verdict]float64{}
		parts := make([]float64, len(results[0].parts))
		var n float64
		for k, t := range trials {
			if t.kind != kind {
				continue
			}
			n++
			count[results[k].verdict]++
			for j, s := range results[k].parts {
				if s.P <= drift.DefaultAlpha {
					parts[j]++
				}
			}
		}
		fmt.Printf("| %s | %.0f | %.3f | %.3f | %.3f |", kind, n, count[drift.Moved]/n, count[drift.Dirty]/n, count[drift.Same]/n)
		for _, p := range parts {
			fmt.Printf(" %.2f |", p/n)
		}
		fmt.Println()
	}
}
