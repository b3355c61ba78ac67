package table

import (
	"fmt"
	"strings"
)

// Warnings returns one line for each thing that one should know of.
func (v *Encoded) Warnings() []string {
	var out []string
	if len(v.Bad) > 0 {
		out = append(out, "cells that cannot be read count as missing: "+badsText(v.Bad))
	}
	if v.Dropped > 0 {
		out = append(out, count(v.Dropped, "row")+" with missing cells left out")
	}
	if len(v.Filled) > 0 {
		out = append(out, "missing cells filled in: "+countsText(v.Filled))
	}
	if len(v.Unknown) > 0 {
		out = append(out, "categories that the encoding does not know: "+countsText(v.Unknown))
	}
	return out
}

// Count adds what was done to the cells of another block of the same table, and
// leaves the vectors alone.
func (v *Encoded) Count(block *Encoded) {
	v.Dropped += block.Dropped
	v.Filled = addCounts(v.Filled, block.Filled)
	v.Unknown = addCounts(v.Unknown, block.Unknown)
next:
	for _, b := range block.Bad {
		for k := range v.Bad {
			if v.Bad[k].Column == b.Column {
				v.Bad[k].Count += b.Count
				continue next
			}
		}
		v.Bad = append(v.Bad, b)
	}
}

func addCounts(sum, more []ColumnCount) []ColumnCount {
next:
	for _, c := range more {
		for k := range sum {
			if sum[k].Column == c.Column {
				sum[k].Count += c.Count
				continue next
			}
		}
		sum = append(sum, c)
	}
	return sum
}

func countsText(counts []ColumnCount) string {
	var parts []string
	for _, c := range counts[:min(len(counts), 10)] {
		s := fmt.Sprintf("%s %d", printable(c.Column), c.Count)
		if c.Example != "" {
			s += " (" + quote(c.Example) + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ") + more(max(0, len(counts)-10))
}

func badsText(bad []BadColumn) string {
	var parts []string
	for k := range bad[:min(len(bad), 10)] {
		b := &bad[k]
		parts = append(parts, fmt.Sprintf("%s %d (%s in %s)", printable(b.Column), b.Count, quote(b.Text), b.place()))
	}
	return strings.Join(parts, ", ") + more(max(0, len(bad)-10))
}
