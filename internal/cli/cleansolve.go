package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rot.example/rot/clean"
	"rot.example/rot/internal/text"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// A cleaned is DATA with its scores, and what its page shows besides.
type cleaned struct {
	text.Clean
	options *cleanOptions
	curve   *ot.CurveResult // of some rows and some of the reference; nil without one
	command string          // as it was typed
}

// htmlPage is the page of c.
func (c *cleaned) htmlPage() *page.Page {
	o := c.options
	return page.Clean(c.Result, &page.CleanOptions{
		Encoding: c.Encoding.Summary(),
		Title:    "rot clean " + o.data,
		Footer:   "rot clean " + o.data + ". Nothing was deleted: weights.csv, suspects.txt and kept.txt lie beside this page.",
		Command:  c.command, Data: c.Data, Reference: c.Reference, Curve: c.curve, Marks: o.labels, AUROC: c.AUROC, Warnings: c.Warnings, Seed: o.seed,
		Repeated: c.Repeated, WrongLabels: c.Wrong,
	})
}

func solveClean(ctx context.Context, std IO, o *cleanOptions) (*cleaned, error) {
	p := startProgress(std)
	defer p.stop()
	l := &sampleLoader{options: o, std: std, progress: p}
	data, reference, err := l.load(ctx)
	if err != nil {
		return nil, err
	}
	c := &cleaned{Clean: text.Clean{Data: data, Reference: reference, Encoding: l.encoding, Out: o.out, Seed: o.seed}, options: o, command: std.command()}
	for _, f := range cleanFiles {
		c.Files = append(c.Files, filepath.Join(o.out, f.name))
	}
	marks, err := c.marks()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	p.stage("ranking")
	opts := &clean.Options{Gamma: o.gamma, FDR: o.fdr, Core: o.core, Unscaled: data.Features != "", Groups: clean.Groups(l.encoding), Seed: o.seed, Progress: func(done, total int) {
		p.report(ot.Progress{Done: float64(done) / float64(total)})
	}}
	if reference != nil {
		c.Result, err = clean.Against(ctx, data.Points, reference.Points, opts)
	} else {
		c.Result, err = clean.Find(ctx, data.Points, opts)
	}
	if err != nil {
		if errors.Is(err, ot.ErrShape) { // too few rows
			return nil, fmt.Errorf("%s: %s", o.data, plainText(err))
		}
		return nil, err
	}
	c.Seconds = time.Since(start).Seconds()
	if marks != nil {
		auroc, err := metrics.AUROC(c.Score, marks)
		if err != nil {
			return nil, err
		}
		c.AUROC = &auroc
	}
	if im := data.Images; im != nil {
		for line := range strings.Lines(text.FolderProblems(im.Unreadable, im.Skipped)) {
			c.Warnings = append(c.Warnings, strings.TrimRight(line, ".\n"))
		}
	}
	c.warn()
	labels := data.Labels
	if o.byLabel() {
		labels = nil
	}
	if c.Repeated, c.Wrong, err = clean.Further(ctx, data.Points, labels, opts, p.stage); err != nil {
		return nil, err
	}
	p.stage("looking for the elbow")
	if reference != nil {
		if c.curve, err = page.CleanCurve(ctx, data, reference, c.Rho, o.seed); err != nil {
			return nil, err
		}
	}
	return c, nil
}
