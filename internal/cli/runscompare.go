package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/runs"
)

func newRunsCompare(std IO) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Where runs differ: configurations and last records",
		Long: `compare prints what differs between the configurations of two or more runs, and
their last records side by side. Each RUN is the name of a run in --runs, or the
path of its folder.

With --json: runs, a list as of "rot runs list", and differences, a list with
key and values, one value a run, null where a run has none.`,
		Example: "  rot runs compare plain robust\n  rot runs compare a b c --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return checkArgs(cmd.Name(), []string{"RUN", "RUN"}, args)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.names = args
			return runRunsCompare(std, o)
		},
	}
	o.bind(cmd)
	return cmd
}

type runsCompareJSON struct {
	Runs        []*runs.Summary   `json:"runs"`
	Differences []runs.Difference `json:"differences"`
}

func runRunsCompare(std IO, o runsOptions) error {
	var r runsCompareJSON
	var configs []json.RawMessage
	for _, name := range o.names {
		s, err := findRun(o.runs, name)
		if err != nil {
			return err
		}
		configs = append(configs, s.Config)
		s.Config = nil
		r.Runs = append(r.Runs, s)
	}
	var err error
	if r.Differences, err = runs.Differences(configs); err != nil {
		return err
	}
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(r.text()))
}

func (r *runsCompareJSON) text() string {
	var b strings.Builder
	head, left := []string{""}, []bool{true}
	for _, s := range r.Runs {
		head, left = append(head, s.Name), append(left, false)
	}
	if len(r.Differences) == 0 {
		b.WriteString("The configurations are the same.\n")
	} else {
		b.WriteString("Where the configurations differ\n")
		t := table{head: head, left: left}
		for _, d := range r.Differences {
			row := []string{d.Key}
			for _, v := range d.Values {
				row = append(row, fit(orDash(plainJSON(v)), 40))
			}
			t.add(row...)
		}
		t.writeTo(&b)
	}
	b.WriteString("\nLast records\n")
	t := table{head: head, left: left}
	state := []string{"state"}
	all := map[string]any{}
	for _, s := range r.Runs {
		state = append(state, string(s.State))
		maps.Copy(all, s.Last)
	}
	t.add(state...)
	for _, key := range recordKeys(all) {
		row := []string{key}
		for _, s := range r.Runs {
			row = append(row, cell(s.Last[key]))
		}
		t.add(row...)
	}
	t.writeTo(&b)
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
			return count(int(v))
		}
		return digits(v, 4)
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
	return count(steps)
}

// trained is the time that a run has trained for.
func trained(s *runs.Summary) string {
	if t, ok := s.Last["seconds"].(float64); ok {
		return seconds(t)
	}
	return "-"
}

func sortByTime(all []*runs.Summary) {
	slices.SortStableFunc(all, func(a, b *runs.Summary) int { return a.Updated.Compare(b.Updated) })
}

// writeRows writes a table that has no head.
func writeRows(b *strings.Builder, t *table) {
	var s strings.Builder
	t.writeTo(&s)
	_, rows, _ := strings.Cut(s.String(), "\n")
	b.WriteString(rows)
}
