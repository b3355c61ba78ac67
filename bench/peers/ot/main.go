//go:build unix

// Command ot times rot on one instance of optimal transport; run.py runs it
// beside POT on the same data. See README.md.
//
//	ot gen   [flags]           write x.npy and y.npy
//	ot solve [flags] CASE...   time cases: exact, one:RHO, two:RHO
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"

	"rot.example/rot/ot"
)

func main() {
	err := errUsage
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "gen":
			err = runGen(os.Args[2:])
		case "solve":
			err = runSolve(os.Args[2:])
		}
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: ot gen|solve [flags] [CASE...] (a case is exact, one:RHO or two:RHO)")

func runGen(args []string) error {
	var g gaussians
	fs := flag.NewFlagSet("gen", flag.ContinueOnError)
	g.flags(fs)
	out := fs.String("out", ".", "folder for x.npy and y.npy")
	if err := parse(fs, args); err != nil {
		return err
	}
	x, y, err := g.draw()
	if err != nil {
		return err
	}
	return writePair(*out, x, y)
}

type solveOptions struct {
	gaussians
	x, y    string // files to read instead of drawing
	metric  string
	reps    int
	step    bool
	timeout time.Duration
}

func runSolve(args []string) error {
	var o solveOptions
	fs := flag.NewFlagSet("solve", flag.ContinueOnError)
	o.flags(fs)
	fs.StringVar(&o.x, "x", "", "source points, instead of drawing both sides")
	fs.StringVar(&o.y, "y", "", "target points")
	fs.StringVar(&o.metric, "metric", "sqeuclidean", "cost between points")
	fs.IntVar(&o.reps, "reps", 3, "repetitions; the best is printed")
	fs.BoolVar(&o.step, "step", false, "solve once for each line on standard input, print each one; first print ready")
	fs.DurationVar(&o.timeout, "timeout", 0, "give up on a repetition after this long; 0 means never")
	if err := parse(fs, args); err != nil {
		return err
	}
	if (o.x == "") != (o.y == "") {
		return fmt.Errorf("-x and -y go together: %w", errUsage)
	}
	cases := fs.Args()
	switch {
	case len(cases) == 0:
		return fmt.Errorf("no case: %w", errUsage)
	case len(cases) > 1 && o.step:
		return fmt.Errorf("-step takes one case: %w", errUsage)
	case len(cases) == 1:
		return o.solve(cases[0])
	}
	// Peak memory belongs to a process, so every case gets its own.
	self, err := os.Executable()
	if err != nil {
		return err
	}
	flags := args[:len(args)-len(cases)]
	for _, c := range cases {
		cmd := exec.Command(self, append(append([]string{"solve"}, flags...), c)...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("case %s: %w", c, err)
		}
	}
	return nil
}

// parse makes whatever is wrong with the flags a usage error.
func parse(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return fmt.Errorf("%w: %w", errUsage, err)
}

// solve runs one case and prints a JSON line for the best repetition, or one
// for each with o.step.
func (o *solveOptions) solve(name string) error {
	c, err := parseCase(name)
	if err != nil {
		return err
	}
	metric, err := ot.ParseMetric(o.metric)
	if err != nil {
		return err
	}
	x, y, err := o.points()
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	if o.step {
		fmt.Println("ready")
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			if err := out.Encode(o.once(c, x, y, metric)); err != nil {
				return err
			}
		}
		return nil
	}
	best := o.once(c, x, y, metric)
	for r := 1; r < o.reps && best.Error == ""; r++ {
		m := o.once(c, x, y, metric)
		best.Seconds = min(best.Seconds, m.Seconds)
		best.CPU = min(best.CPU, m.CPU)
		best.Error = m.Error
	}
	return out.Encode(best)
}

func (o *solveOptions) points() (x, y *ot.Points, err error) {
	if o.x == "" {
		return o.draw()
	}
	if x, err = load(o.x); err != nil {
		return nil, nil, err
	}
	if y, err = load(o.y); err != nil {
		return nil, nil, err
	}
	return x, y, nil
}

// once is one repetition within the time limit.
func (o *solveOptions) once(c testCase, x, y *ot.Points, metric ot.Metric) measurement {
	ctx := context.Background()
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	return measure(ctx, c, x, y, metric)
}
