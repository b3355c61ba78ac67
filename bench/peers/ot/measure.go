//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rot.example/rot/chisq"
	"rot.example/rot/ot"
)

// A testCase is a problem to solve: plain transport when both balls are zero.
type testCase struct {
	name           string
	source, target chisq.Ball
}

// parseCase reads exact, one:RHO or two:RHO.
func parseCase(name string) (testCase, error) {
	c := testCase{name: name}
	if name == "exact" {
		return c, nil
	}
	sides, text, _ := strings.Cut(name, ":")
	rho, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rho > 0) || math.IsInf(rho, 1) || (sides != "one" && sides != "two") {
		return c, fmt.Errorf("case %q: %w", name, errUsage)
	}
	c.source.Rho = rho
	if sides == "two" {
		c.target.Rho = rho
	}
	return c, nil
}

// A measurement is what one solve took and what it found.
type measurement struct {
	Case    string  `json:"case"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"` // of all threads
	Value   float64 `json:"value"`
	RelGap  float64 `json:"rel_gap"`
	Iters   int     `json:"iters"`
	PeakMB  float64 `json:"peak_mb"` // of the process so far; 0 where the system does not say
	Error   string  `json:"error,omitempty"`
}

// measure times a solve from points in memory to a certified result.
func measure(ctx context.Context, c testCase, x, y *ot.Points, metric ot.Metric) measurement {
	runtime.GC() // garbage of the last repetition is not this one's business
	start, cpu := time.Now(), cpuSeconds()
	r, err := solve(ctx, c, x, y, metric)
	m := measurement{Case: c.name, Seconds: time.Since(start).Seconds(), CPU: cpuSeconds() - cpu, PeakMB: peakMB()}
	if r != nil {
		m.Value, m.RelGap, m.Iters = r.Value, r.RelGap(), r.Iters
	}
	if err != nil {
		m.Error = err.Error()
	}
	return m
}

func solve(ctx context.Context, c testCase, x, y *ot.Points, metric ot.Metric) (*ot.Result, error) {
	p, err := ot.NewProblem(x, y, metric)
	if err != nil {
		return nil, err
	}
	if c.source.Rho == 0 {
		return ot.Exact(ctx, p, nil)
	}
	return ot.Robust(ctx, p, &ot.RobustOptions{Source: c.source, Target: c.target})
}

// cpuSeconds is the processor time of this process, all threads.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return math.NaN()
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// peakMB is the largest resident size of this process so far, in 10⁶ bytes.
// Rusage has one too, but on Linux it starts from that of the parent process.
func peakMB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 1 && f[0] == "VmHWM:" {
			kib, _ := strconv.ParseFloat(f[1], 64)
			return kib * 1024 / 1e6
		}
	}
	return 0
}
