package jobs

import (
	"fmt"
	"io"
	"path"
	"strings"

	"rot.example/rot/report"
	"rot.example/rot/summary"
)

// writeScorePage writes the page of scored shards.
func writeScorePage(w io.Writer, r *ScoreResult, hist *summary.Histogram) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Which of %s rows do not belong?\n\n", grouped(r.Rows))
	fmt.Fprintf(&b, "**%s rows are suspects** at a false discovery rate of %g: of these about that part may be good rows. ", grouped(r.Suspects), r.FDR)
	if r.Suspects > 0 {
		fmt.Fprintf(&b, "Their p-values are at most %.3g. ", r.P)
	}
	fmt.Fprintf(&b, "The rows come from %d files.\n\n", len(r.Shards))
	if len(r.Top) > 0 {
		fmt.Fprintf(&b, "## The rows that stand out most\n\n| row | id | file | score | p | because of |\n|---:|---|---|---:|---:|---|\n")
		for _, s := range r.Top {
			fmt.Fprintf(&b, "| %d | %s | %s | %.4g | %.2g | %s |\n", s.Row, cell(s.ID), cell(path.Base(s.Shard)), s.Score, s.P, cell(because(s.Causes)))
		}
	}
	b.WriteString("\n## Scores\n\nThe middle row of those that the model was made from has 0, and 1 is the mean distance from that.\n\n| score | rows | |\n|---:|---:|:---|\n")
	var most int64
	last := 0
	const step = 4 // bins a line
	for k := 0; k < len(hist.Counts); k += step {
		if n := countOf(hist, k, step); n > 0 {
			most, last = max(most, n), k
		}
	}
	for k := 0; k <= last; k += step {
		n := countOf(hist, k, step)
		if n == 0 && hist.Edge(k) < 0 {
			continue
		}
		name := fmt.Sprintf("%g to %g", hist.Edge(k), hist.Edge(k+step))
		if k+step >= len(hist.Counts) {
			name = fmt.Sprintf("from %g", hist.Edge(k))
		}
		bar := strings.Repeat("█", int(40*n/max(most, 1)))
		if bar == "" && n > 0 {
			bar = "▏"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, grouped(n), bar)
	}
	b.WriteString("\n## How it was done\n\nEvery row was scored by the model alone, wherever it stood. The cut between suspects and others is that of Benjamini and Hochberg over all rows.\n\n")
	for _, c := range []struct {
		n    int64
		text string
	}{{r.Bad, "rows that cannot be read were skipped; they are in the folder bad"}, {r.Filled, "missing cells were filled in"}, {r.Dropped, "rows with missing cells were left out"}, {r.Unknown, "cells are of a category that the model does not know"}} {
		if c.n > 0 {
			fmt.Fprintf(&b, "- %s %s\n", grouped(c.n), c.text)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", cell(n))
	}
	b.WriteString("\n| file | bytes | rows |\n|---|---:|---:|\n")
	const shown = 50
	for _, s := range r.Shards[:min(len(r.Shards), shown)] {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(s.Name), grouped(s.Bytes), grouped(s.Rows))
	}
	if n := len(r.Shards) - shown; n > 0 {
		fmt.Fprintf(&b, "| and %d more | | |\n", n)
	}
	return report.Write(w, &report.Page{Title: "Scores", Body: b.String(), Footer: "rot-beam"})
}

func countOf(h *summary.Histogram, k, step int) (n int64) {
	for _, c := range h.Counts[k:min(k+step, len(h.Counts))] {
		n += c
	}
	return n
}

// because says in which columns a row is unusual.
func because(causes []Cause) string {
	var parts []string
	for _, c := range causes {
		side := "above"
		if c.Z < 0 {
			side = "below"
		}
		parts = append(parts, fmt.Sprintf("%s = %.4g (%.3g deviations %s the median)", c.Column, c.Value, max(c.Z, -c.Z), side))
	}
	if len(parts) == 0 {
		return "how its columns go together"
	}
	return strings.Join(parts, ", ")
}

// cell keeps a text within a cell of a Markdown table.
func cell(s string) string {
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "'", "<", "‹", "*", "\\*", "_", "\\_").Replace(s)
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}

// grouped writes a number with spaces between thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for k := len(s) - 3; k > 0 && s[k-1] != '-'; k -= 3 {
		s = s[:k] + " " + s[k:]
	}
	return s
}
