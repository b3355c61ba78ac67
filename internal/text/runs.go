package text

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rot.example/rot/internal/words"
	"rot.example/rot/runs"
)

// RunsList is a table of runs.
func RunsList(all []*runs.Summary) string {
	t := Table{Head: []string{"run", "kind", "state", "step", "of", "time", "changed", "data"}, Left: []bool{true, true, true, false, false, false, false, true}}
	for _, s := range all {
		t.Add(s.Name, orDash(s.Kind), string(s.State), words.Count(s.Step), stepsOrDash(s.Steps), trained(s), s.Updated.Format("2006-01-02 15:04"), words.Fit(orDash(s.Data), 40))
	}
	var b strings.Builder
	t.AppendTo(&b)
	return b.String()
}

// Run describes a run: what it is doing, its last record and its configuration.
func Run(s *runs.Summary) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.Name, s.State)
	if s.Kind != "" {
		fmt.Fprintf(&b, ", %s on %s", s.Kind, s.Data)
	}
	fmt.Fprintf(&b, "\nstep %s of %s, changed %s\n", words.Count(s.Step), stepsOrDash(s.Steps), s.Updated.Format("2006-01-02 15:04:05"))
	if s.Last != nil {
		b.WriteString("\nLast record\n")
		t := Table{Head: []string{"", ""}, Left: []bool{true, false}}
		for _, key := range recordKeys(s.Last) {
			t.Add(key, cell(s.Last[key]))
		}
		writeRows(&b, &t)
	}
	fields, err := runs.Fields(s.Config)
	if err != nil {
		return "", err
	}
	b.WriteString("\nConfiguration\n")
	t := Table{Head: []string{"", ""}, Left: []bool{true, true}}
	for _, f := range fields {
		t.Add(f.Key, words.Fit(plainJSON(f.Value), 80))
	}
	writeRows(&b, &t)
	return b.String(), nil
}

// RunsCompared describes where the configurations of runs differ, and shows
// their last records side by side.
func RunsCompared(all []*runs.Summary, differences []runs.Difference) string {
	var b strings.Builder
	head, left := []string{""}, []bool{true}
	for _, s := range all {
		head, left = append(head, s.Name), append(left, false)
	}
	if len(differences) == 0 {
		b.WriteString("The configurations are the same.\n")
	} else {
		b.WriteString("Where the configurations differ\n")
		t := Table{Head: head, Left: left}
		for _, d := range differences {
			row := []string{d.Key}
			for _, v := range d.Values {
				row = append(row, words.Fit(orDash(plainJSON(v)), 40))
			}
			t.Add(row...)
		}
		t.AppendTo(&b)
	}
	b.WriteString("\nLast records\n")
	t := Table{Head: head, Left: left}
	state := []string{"state"}
	fields := map[string]any{}
	for _, s := range all {
		state = append(state, string(s.State))
		maps.Copy(fields, s.Last)
	}
	t.Add(state...)
	for _, key := range recordKeys(fields) {
		row := []string{key}
		for _, s := range all {
			row = append(row, cell(s.Last[key]))
		}
		t.Add(row...)
	}
	t.AppendTo(&b)
	return b.String()
}

// recordKeys are the fields of a record: its step, and the others by name.
func recordKeys(record map[string]any) []string {
	keys := slices.Sorted(maps.Keys(record))
	if k := slices.Index(keys, "step"); k > 0 {
		keys = slices.Insert(slices.Delete(keys, k, k+1), 0, "step")
	}
	return keys
}

// cell is a value of a record.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		if v == float64(int(v)) {
			return words.Count(int(v))
		}
		return words.Digits(v, 4)
	}
	return fmt.Sprint(v)
}

// plainJSON is a value of a configuration, without the quotes of a string.
func plainJSON(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil && strings.TrimSpace(s) != "" {
		return s
	}
	return string(v)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// stepsOrDash is a number of steps; 0 is not known.
func stepsOrDash(steps int) string {
	if steps == 0 {
		return "-"
	}
	return words.Count(steps)
}

// trained is the time that a run has trained for.
func trained(s *runs.Summary) string {
	if t, ok := s.Last["seconds"].(float64); ok {
		return words.Seconds(t)
	}
	return "-"
}

// writeRows writes a table that has no head.
func writeRows(b *strings.Builder, t *Table) {
	var s strings.Builder
	t.AppendTo(&s)
	_, rows, _ := strings.Cut(s.String(), "\n")
	b.WriteString(rows)
}
