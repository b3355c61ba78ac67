package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A fuzzTarget is one fuzz test and what was seen of its speed.
type fuzzTarget struct {
	pkg, name string
	rate      float64 // runs a second
}

const (
	fuzzTrial = 5 * time.Second // to learn a target's speed
	fuzzFloor = 10_000          // runs of the slowest target
)

// fuzz runs the fuzz targets of the module, each for about the same time: a
// reader of text does in a second what a network does in minutes, and an equal
// number of runs would spend most of the hour on the slowest.
func (t *torture) fuzz(ctx context.Context, p *tally) {
	if t.scale.fuzzRuns == 0 {
		p.note = "left out of the short form: .ci/run has a step for it"
		return
	}
	targets := p.fuzzTargets(ctx)
	if len(targets) == 0 {
		p.fail("there are no fuzz targets")
		return
	}
	total := 0.0
	for k := range targets {
		targets[k].rate = float64(p.fuzzTarget(ctx, targets[k], fuzzTrial.String())) / fuzzTrial.Seconds()
		total += targets[k].rate
	}
	seconds := float64(t.scale.fuzzRuns) / max(total, 1)
	for _, f := range targets {
		runs := max(fuzzFloor, int(f.rate*seconds))
		p.fuzzTarget(ctx, f, fmt.Sprintf("%dx", runs))
	}
	p.note = fmt.Sprintf("%d targets", len(targets))
}

// fuzzTargets lists the fuzz tests of the module.
func (p *tally) fuzzTargets(ctx context.Context) []fuzzTarget {
	text, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		p.fail("go list: %v", err)
		return nil
	}
	var targets []fuzzTarget
	for _, pkg := range strings.Fields(string(text)) {
		names, err := exec.CommandContext(ctx, "go", "test", "-list", "^Fuzz", pkg).Output()
		if err != nil {
			p.fail("%s: %v", pkg, err)
			continue
		}
		for _, name := range strings.Fields(string(names)) {
			if strings.HasPrefix(name, "Fuzz") {
				targets = append(targets, fuzzTarget{pkg: pkg, name: name})
			}
		}
	}
	return targets
}

var fuzzExecs = regexp.MustCompile(`execs: (\d+)`)

// fuzzTarget runs one target for a time or a number of runs, as go test's
// -fuzztime has it, counts the runs it made and returns them.
func (p *tally) fuzzTarget(ctx context.Context, f fuzzTarget, length string) int {
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+f.name+"$", "-fuzztime", length, "-timeout", "60m", f.pkg)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.fail("%s %s: %v: %s", f.pkg, f.name, err, tail(string(out)))
	}
	runs := 0
	if all := fuzzExecs.FindAllStringSubmatch(string(out), -1); len(all) > 0 {
		runs, _ = strconv.Atoi(all[len(all)-1][1])
	}
	p.tries.Add(int64(runs))
	fmt.Fprintf(os.Stderr, "torture: %s %s: %d runs in %.0f s\n", f.pkg, f.name, runs, time.Since(began).Seconds())
	return runs
}
