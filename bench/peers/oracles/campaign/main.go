// Command campaign holds the solvers of package ot against an independent
// checker in exact arithmetic, on as many nasty instances as one likes.
//
//	go run ./bench/peers/oracles/campaign -n 100000
//	go run ./bench/peers/oracles/campaign -family far -seed 17    # one of them
//
// Instances run in other processes, so that a solver that hangs or crashes costs
// its own instance only. The exit code is 1 if any certificate is
// false, any solver crashes or takes too long, more than one in a thousand stops
// short of its tolerance, or any does that has at most 50 points a side and
// costs within six decades.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"rot.example/rot/internal/oracle"
)

type options struct {
	n, workers, show int
	first            uint64
	above            float64
	families         []string
	limit            time.Duration
}

func main() {
	var o options
	var family, export string
	var seed int64
	var worker bool
	flag.IntVar(&o.n, "n", 1000, "number of instances, over all families")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "instances at a time")
	flag.IntVar(&o.show, "show", 5, "failures of a kind to print")
	flag.Uint64Var(&o.first, "first", 0, "first seed")
	flag.Float64Var(&o.above, "above", 0, "overlook what is wrong by less than this, relative")
	flag.StringVar(&family, "family", "", "only these families, separated by commas: "+strings.Join(oracle.Families(), ", "))
	flag.DurationVar(&o.limit, "limit", 10*time.Second, "time limit of an instance, in time of the processors where that is known")
	flag.Int64Var(&seed, "seed", -1, "solve and judge this one seed of -family, and say all about it")
	flag.StringVar(&export, "export", "", "write the instances and what the solvers say to this JSON lines `file`, for compare.py")
	flag.BoolVar(&worker, "worker", false, "read instances from standard input (used by the campaign itself)")
	flag.Parse()
	o.families = oracle.Families()
	if family != "" {
		o.families = strings.Split(family, ",")
	}
	for _, name := range o.families {
		if _, err := oracle.Generate(name, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	switch {
	case worker:
		work(os.Stdin, os.Stdout, o.limit)
	case seed >= 0:
		if !replay(family, uint64(seed), o.limit) {
			os.Exit(1)
		}
	case export != "":
		if err := exportAll(o, export); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // prints what there is
		t, err := campaign(ctx, o)
		stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		t.print(os.Stdout)
		if !t.passed() {
			os.Exit(1)
		}
	}
}

// replay solves one instance here and prints everything about it.
func replay(family string, seed uint64, limit time.Duration) bool {
	in, err := oracle.Generate(family, seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	fmt.Println(in)
	ctx, cancel := limited(limit)
	defer cancel()
	start := processorTime()
	a := oracle.Run(ctx, in)
	fmt.Printf("solved in %.3f s, error: %v\n", (processorTime() - start).Seconds(), a.Err())
	if r := a.Result(); r != nil {
		fmt.Printf("value %.17g, lower %.17g, gap %.3g\n", r.Value, r.Lower, r.Gap())
		if in.M*in.N <= 100 {
			text, _ := json.Marshal(struct{ X, Y, A, B, F, G []float64 }{in.X, in.Y, in.A, in.B, r.F, r.G})
			fmt.Printf("%s\nmatrix %v\nplan %v %v %v\n", text, in.Matrix, r.Plan.I, r.Plan.J, r.Plan.Mass)
		}
	}
	start = processorTime()
	v := a.Check(context.Background())
	for _, f := range v.Failures {
		fmt.Printf("%s (%.3g): %s\n", f.Kind, f.Size, f.Text)
	}
	fmt.Printf("%d failures, judged in %.3f s\n", len(v.Failures), (processorTime() - start).Seconds())
	return len(v.Failures) == 0
}
