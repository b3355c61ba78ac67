// Suspects measures the rules by which package clean takes rows for suspects,
// on labelled tables and on samples without outliers, and prints Markdown for
// docs/benchmarks.md.
//
//	go run ./bench/suspects -data ../shared/data/adbench -seeds 5 reference alone clean planted
//
// The tables are .npz files with arrays X and y, 1 for an anomaly, as ADBench
// has them. Labels are used for scoring only. Results are also given for two
// halves of the sets, by the first byte of the SHA-256 of their name; sets of the
// even half have a star. The rules for suspects without a reference were tried on
// all sets, so that neither half is held back: the halves show how much the
// figures hang on the sets, not how they would be on others.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

type options struct {
	data  string
	seeds int
	rows  int
	only  string
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "../shared/data/adbench", "folder with labelled tables")
	flag.IntVar(&o.seeds, "seeds", 5, "seeds, each with its own split")
	flag.IntVar(&o.rows, "rows", 0, "rows of a table at most; 0: all")
	flag.StringVar(&o.only, "only", "", "sets whose name has this in it")
	flag.Parse()
	parts := map[string]func(options) error{"reference": reference, "alone": alone, "clean": cleanData, "planted": planted}
	for _, name := range flag.Args() {
		part, ok := parts[name]
		if !ok {
			fmt.Fprintf(os.Stderr, "suspects: no part %q\n", name)
			os.Exit(2)
		}
		if err := part(o); err != nil {
			fmt.Fprintln(os.Stderr, "suspects:", err)
			os.Exit(1)
		}
	}
}

// A set is a labelled table.
type set struct {
	name string
	rows *ot.Points
	odd  []bool
	even bool // of the even half
}

func load(o options) ([]set, error) {
	files, err := filepath.Glob(filepath.Join(o.data, "*.npz"))
	if err != nil {
		return nil, err
	}
	var sets []set
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".npz")
		if !strings.Contains(name, o.only) {
			continue
		}
		table, err := dataset.Load(path+":X,y", nil)
		if err != nil {
			return nil, err
		}
		odd, err := table.Marks()
		if err != nil {
			return nil, err
		}
		sets = append(sets, set{name, &table.Points, odd, sha256.Sum256([]byte(name))[0]%2 == 0})
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("no tables in %s", o.data)
	}
	return sets, nil
}

// A tally is the false discovery proportion, the power and the F1 of suspects.
type tally struct {
	n, odd, suspects, found int
}

func count(suspect, odd []bool) tally {
	t := tally{n: len(odd)}
	for i, s := range suspect {
		if odd[i] {
			t.odd++
		}
		if s {
			t.suspects++
			if odd[i] {
				t.found++
			}
		}
	}
	return t
}

func (t tally) false() float64 { return float64(t.suspects-t.found) / math.Max(1, float64(t.suspects)) }
func (t tally) power() float64 { return float64(t.found) / math.Max(1, float64(t.odd)) }
func (t tally) f1() float64 {
	return 2 * float64(t.found) / math.Max(1, float64(t.suspects+t.odd))
}
func (t tally) share() float64 { return float64(t.suspects) / float64(t.n) }

func mean(v []float64) float64 {
	var sum float64
	for _, t := range v {
		sum += t
	}
	return sum / float64(len(v))
}

// deviation is the standard error of the mean of v.
func deviation(v []float64) float64 {
	m := mean(v)
	var sum float64
	for _, t := range v {
		sum += (t - m) * (t - m)
	}
	return math.Sqrt(sum/float64(len(v)-1)) / math.Sqrt(float64(len(v)))
}

func find(x *ot.Points, seed int) (*clean.Result, error) {
	return clean.Find(context.Background(), x, &clean.Options{Seed: uint64(seed)})
}
