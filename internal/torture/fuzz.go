package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// fuzz runs every fuzz target of the module an equal number of times.
func (t *torture) fuzz(ctx context.Context, p *tally) {
	if t.scale.fuzzRuns == 0 {
		p.note = "left out of the short form: .ci/run has a step for it"
		return
	}
	list := exec.CommandContext(ctx, "go", "list", "./...")
	text, err := list.Output()
	if err != nil {
		p.fail("go list: %v", err)
		return
	}
	type target struct{ pkg, name string }
	var targets []target
	for _, pkg := range strings.Fields(string(text)) {
		names, err := exec.CommandContext(ctx, "go", "test", "-list", "^Fuzz", pkg).Output()
		if err != nil {
			p.fail("%s: %v", pkg, err)
			continue
		}
		for _, name := range strings.Fields(string(names)) {
			if strings.HasPrefix(name, "Fuzz") {
				targets = append(targets, target{pkg, name})
			}
		}
	}
	if len(targets) == 0 {
		p.fail("there are no fuzz targets")
		return
	}
	each := max(1, t.scale.fuzzRuns/len(targets))
	for _, f := range targets {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+f.name+"$", "-fuzztime", fmt.Sprintf("%dx", each), "-timeout", "30m", f.pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			p.fail("%s %s: %v: %s", f.pkg, f.name, err, tail(string(out)))
		}
		p.tries.Add(int64(each))
	}
	p.note = fmt.Sprintf("%d targets", len(targets))
}
