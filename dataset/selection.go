package dataset

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A selection picks samples, one step after the other, as in
// [:1000][label=0|1]; the zero value picks all of them.
type selection []step

// A step of a selection is a range of what is left, or the samples that have
// one of some values, or none of them.
type step struct {
	span
	every  string   // digits: only each so-manyth of the range; empty for all
	name   string   // of what has the values; "" for a range
	values []string // any of these
	not    bool     // none of them
}

// A span is a range of samples as in [10:20]; the zero value is all of them.
type span struct {
	text   string // as the user wrote it
	lo, hi string // digits, or empty
}

var stepSuffix = regexp.MustCompile(`\[(?:(\d*):(\d*)(?::(\d+))?|([^][=!]+)(!?)=([^][]*))\]$`)

// cutSelection takes the selection off a spec. What is known under its whole
// name, brackets and all, is that.
func cutSelection(spec string, known func(spec string) bool) (body string, sel selection) {
	for {
		m := stepSuffix.FindStringSubmatch(spec)
		if m == nil || known(spec) {
			slices.Reverse(sel)
			return spec, sel
		}
		s := step{span: span{m[0], m[1], m[2]}, every: m[3], name: m[4], not: m[5] != ""}
		if s.name != "" {
			s.values = strings.Split(m[6], "|")
		}
		sel = append(sel, s)
		spec = strings.TrimSuffix(spec, m[0])
	}
}

// isFile reports whether a spec names a file as it stands: the data, or the
// labels behind the comma.
func isFile(spec string) bool {
	body, isStack := strings.CutPrefix(strings.TrimPrefix(spec, celebaPrefix), "stack:")
	if _, err := os.Stat(body); err == nil {
		return true
	}
	var labels string
	if isStack {
		_, labels, _ = cutStackLabels(body)
	} else if path, part := splitSpec(body); formatOf(path) == "idx" {
		labels = part
	}
	_, err := os.Stat(labels)
	return err == nil
}

// cutRange takes off the range that sel begins with, for loaders that read no
// more than that.
func (sel selection) cutRange() (span, selection) {
	if len(sel) > 0 && sel[0].name == "" && sel[0].every == "" {
		return sel[0].span, sel[1:]
	}
	return span{}, sel
}

// A matcher finds out which samples have one of the values of a step.
type matcher func(s *step) (has func(i int) bool, err error)

// of resolves sel on n samples of a file, called things: the numbers of those
// that it picks.
func (sel selection) of(file, things string, n int, match matcher) ([]int, error) {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	text := ""
	for k := range sel {
		s := &sel[k]
		text += s.text
		if s.name == "" {
			lo, hi, err := s.span.of(file, things, len(rows))
			if err != nil {
				return nil, err
			}
			if rows, err = s.thin(file, rows[lo:hi]); err != nil {
				return nil, err
			}
			continue
		}
		has, err := match(s)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(i int) bool { return has(i) == s.not })
		if len(rows) == 0 {
			return nil, fileError(file, "%s leaves no %s", text, things)
		}
	}
	return rows, nil
}

// thin is each so-manyth of rows, as s says.
func (s *step) thin(file string, rows []int) ([]int, error) {
	if s.every == "" {
		return rows, nil
	}
	every, err := strconv.Atoi(s.every)
	if err != nil || every < 1 {
		return nil, fileError(file, "the range %s takes one of %s; the number must be from 1 to %d", s.text, s.every, math.MaxInt)
	}
	var out []int
	for i := 0; i < len(rows); i += every {
		out = append(out, rows[i])
		if every >= len(rows)-i {
			break // i + every may not fit an int
		}
	}
	return out, nil
}

// of resolves s on n samples of a file, called things: from lo up to, not
// including, hi.
func (s span) of(file, things string, n int) (lo, hi int, err error) {
	hi = n
	if s.lo != "" {
		lo, err = strconv.Atoi(s.lo)
	}
	if s.hi != "" && err == nil {
		hi, err = strconv.Atoi(s.hi)
	}
	switch {
	case err != nil || hi > n || lo > n:
		return 0, 0, fileError(file, "the range %s goes beyond the %d %s that there are", s.text, n, things)
	case lo >= hi:
		return 0, 0, fileError(file, "the range %s has no %s", s.text, things)
	}
	return lo, hi, nil
}

// match tells which of the texts are one of the values of s. A value that is
// none of the texts is an error; field is its name for them.
func (s *step) match(file, field string, texts []string) (func(i int) bool, error) {
	found := make(map[string]bool) // which values occur
	for _, v := range s.values {
		found[canonical(v)] = false
	}
	has := make(map[string]bool) // by text
	for _, t := range texts {
		if _, known := has[t]; known {
			continue
		}
		c := canonical(t)
		if _, has[t] = found[c]; has[t] {
			found[c] = true
		}
	}
	for _, v := range s.values {
		if !found[canonical(v)] {
			return nil, fileError(file, "no row has the %s %s; there are %s", field, quote(v), list(distinct(texts)))
		}
	}
	return func(i int) bool { return has[texts[i]] }, nil
}
