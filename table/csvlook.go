package table

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sampleRows is how many records decide what the columns are. A column that
// turns out otherwise later in the file makes Read start again.
const sampleRows = 2000

// headSize is how much of a chunk the header takes.
type headSize struct{ size, lines int }

// settleColumns settles names, decimal mark and kinds by the first chunk.
func (l *layout) settleColumns(file string, first *chunk, opts *Options, kinds map[int]Kind) (used headSize, notes []string, err error) {
	head, size, lines, err := splitRecord(file, first.text, first.line, l.delim)
	if err != nil {
		return used, nil, err
	}
	sample := sampleRecords(file, first.text[size:], first.line+lines, l.delim)
	header := opts.Header == HeaderYes
	if opts.Header == HeaderGuess {
		header, notes = guessHeader(head, sample, opts)
	}
	l.line = first.line
	names := make([]string, len(head))
	if header {
		used = headSize{size, lines}
		l.line += lines
		l.named = true
		names = head
		if len(sample) > 0 && len(sample[0]) == len(head)+1 {
			if len(head) == 1 && strings.HasPrefix(head[0], "#") {
				return used, nil, &Error{File: file, Line: first.line, Msg: "is a comment and not the names of the columns; take it out"}
			}
			names = withOneMore(head, sample)
		}
	} else {
		sample = append([][]string{head}, sample...)
	}
	l.fields, notes = nameFields(names, l.named, notes)
	if n := len(l.fields) - 1; header && n > 0 && names[n] == "" && lastIsEmpty(sample, n) {
		l.fields[n].kind, l.fields[n].why = Other, "nothing: each line ends in a separator"
	}
	l.point = findPoint(sample, l.delim)
	if l.point == ',' {
		notes = append(notes, "commas are decimal marks")
	}
	for j := range l.fields {
		f := &l.fields[j]
		f.whole = isWhole(f, j, opts)
		if kind, ok := kinds[j]; ok {
			f.kind = kind
		} else if f.kind != Other {
			f.kind = guessKind(sample, j, l.point)
		}
		if f.whole {
			f.kind = Text
		}
	}
	return used, notes, nil
}

// isWhole reports whether a column is kept as it is written: row indices, ids
// and what the caller asks for.
func isWhole(f *field, j int, opts *Options) bool {
	if f.index || strings.EqualFold(f.name, "id") {
		return true
	}
	for _, want := range opts.AsWritten {
		if want == f.name || want == strconv.Itoa(j+1) {
			return true
		}
	}
	return false
}

func sampleRecords(file string, text []byte, line int, delim byte) [][]string {
	var sample [][]string
	for len(text) > 0 && len(sample) < sampleRows {
		if len(bytes.TrimSpace(firstLine(text))) == 0 {
			text = text[min(len(firstLine(text))+1, len(text)):]
			continue
		}
		record, size, lines, err := splitRecord(file, text, line, delim)
		if err != nil {
			break // the parser will say so
		}
		sample = append(sample, record)
		text, line = text[size:], line+lines
	}
	return sample
}

// guessKind returns the kind that nine in ten cells of column j have.
func guessKind(sample [][]string, j int, point byte) Kind {
	var numbers, times, booleans, others int
	for _, record := range sample {
		if j >= len(record) {
			continue
		}
		cell := []byte(record[j])
		if _, ok := parseNumber(cell, point); ok {
			numbers++
		} else if isGap(cell) {
			continue
		} else if _, ok := parseTime(cell); ok {
			times++
		} else if _, ok := parseBoolean(cell); ok {
			booleans++
		} else {
			others++
		}
	}
	all := numbers + times + booleans + others
	switch {
	case 10*numbers >= 9*all: // also when all are missing
		return Number
	case 10*times >= 9*all:
		return Time
	case 10*booleans >= 9*all:
		return Boolean
	}
	return Text
}

// findPoint is the decimal mark: a comma when the separator is another, some
// cells are numbers with a comma, and none is a number with a point.
func findPoint(sample [][]string, delim byte) byte {
	if delim == ',' {
		return '.'
	}
	commas, points := 0, 0
	for _, record := range sample {
		for _, cell := range record {
			if strings.IndexByte(cell, ',') >= 0 {
				if _, ok := parseNumber([]byte(cell), ','); ok {
					commas++
				}
			} else if strings.IndexByte(cell, '.') >= 0 {
				if _, ok := parseNumber([]byte(cell), '.'); ok {
					points++
				}
			}
		}
	}
	if commas > 0 && points == 0 {
		return ','
	}
	return '.'
}

func lastIsEmpty(sample [][]string, j int) bool {
	for _, record := range sample {
		if j < len(record) && record[j] != "" {
			return false
		}
	}
	return true
}

// nameFields gives each column a name that no other has.
func nameFields(names []string, named bool, notes []string) ([]field, []string) {
	fields := make([]field, len(names))
	if !named {
		for j := range fields {
			fields[j].name = strconv.Itoa(j + 1)
		}
		return fields, notes
	}
	for j, name := range names {
		f := &fields[j]
		f.index = isIndexName(name, j, len(names))
		f.name = name
		if name == "" {
			f.name = fmt.Sprintf("column %d", j+1)
			if j == 0 && f.index {
				f.name = "index"
			}
		}
	}
	return fields, uniqueNames(len(fields), func(j int) *string { return &fields[j].name }, notes)
}

// uniqueNames numbers names that occur again, as pandas does: x, x.1, x.2.
func uniqueNames(n int, name func(j int) *string, notes []string) []string {
	taken := make(map[string]bool, n)
	for j := range n {
		taken[*name(j)] = true
	}
	if len(taken) == n {
		return notes
	}
	used := make(map[string]bool, n)
	next := make(map[string]int)
	var twice []string
	for j := range n {
		at := name(j)
		if base := *at; used[base] {
			if len(twice) < 20 && !slices.Contains(twice, printable(base)) {
				twice = append(twice, printable(base))
			}
			for used[*at] || taken[*at] {
				next[base]++
				*at = base + "." + strconv.Itoa(next[base])
			}
		}
		used[*at] = true
	}
	return append(notes, "names that occur again are numbered: "+strings.Join(twice, ", "))
}

// isIndexName reports whether a column is named as pandas or R name the row
// index that they save beside the data.
func isIndexName(name string, j, n int) bool {
	switch {
	case n < 2:
		return false
	case name == "" || name == "Unnamed: 0":
		return j == 0
	case strings.HasPrefix(name, "__index_level_") && strings.HasSuffix(name, "__"):
		return true
	}
	return false
}
