package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"rot.example/rot/internal/text"
	"rot.example/rot/runs"
)

func newRuns(std IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, show and compare training runs",
		Long: `runs looks at the folders that "rot gan train" and "rot da train" leave. It only
reads, also while a run trains. "rot serve" shows the same in a browser.`,
		Example: `  rot runs list
  rot runs show gan-20261115-061203
  rot runs compare plain robust`,
		Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newRunsList(std), newRunsShow(std), newRunsCompare(std))
	return cmd
}

type runsOptions struct {
	runs  string
	names []string
	json  bool
}

func (o *runsOptions) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
}

func newRunsList(std IO) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "All runs and what they are doing",
		Long: `list prints the runs of a folder, the one that changed last at the end. A run is

  training   its files changed a moment ago
  finished   it has done all of its steps
  failed     it went wrong, and left the batch in the folder failure
  stopped    none of these: "rot gan resume" or "rot da resume" goes on with it

With --json: runs, a list with name, kind (gan or da), state, step, steps, data,
updated and last, the last record of metrics.jsonl; and problems, a list of what
could not be read.`,
		Example: "  rot runs list\n  rot runs list --runs results --json",
		Args:    exactArgs(),
		RunE:    func(*cobra.Command, []string) error { return runRunsList(std, o) },
	}
	o.bind(cmd)
	return cmd
}

type runsListJSON struct {
	Runs     []*runs.Summary `json:"runs"`
	Problems []string        `json:"problems"`
}

func runRunsList(std IO, o runsOptions) error {
	all, bad, err := runs.List(o.runs)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--runs %s: there is no such folder", o.runs)
	}
	if err != nil {
		return err
	}
	found := runsListJSON{Runs: []*runs.Summary{}, Problems: []string{}}
	for _, err := range bad {
		found.Problems = append(found.Problems, plainText(err))
	}
	for _, r := range all {
		s, err := r.Summary()
		if err != nil {
			found.Problems = append(found.Problems, plainText(err))
			continue
		}
		s.Config = nil
		found.Runs = append(found.Runs, s)
	}
	runs.SortByTime(found.Runs)
	if o.json {
		return std.printJSON(found)
	}
	for _, p := range found.Problems {
		fmt.Fprintf(std.Err, "rot: %s\n", p)
	}
	if len(found.Runs) == 0 {
		return std.print(fmt.Appendf(nil, "There are no runs in %s.\n", o.runs))
	}
	return std.print([]byte(text.RunsList(found.Runs)))
}

func newRunsShow(std IO) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "State, last record and configuration of a run",
		Long: `show prints what a run is doing, the last record of its metrics.jsonl, and its
configuration. RUN is the name of a run in --runs, or the path of its folder.

With --json: name, kind, state, step, steps, data, updated, config and last.`,
		Example: "  rot runs show gan-20261115-061203\n  rot runs show results/plain --json",
		Args:    exactArgs("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.names = args
			return runRunsShow(std, o)
		},
	}
	o.bind(cmd)
	return cmd
}

func runRunsShow(std IO, o runsOptions) error {
	s, err := findRun(o.runs, o.names[0])
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(s)
	}
	shown, err := text.Run(s)
	if err != nil {
		return err
	}
	return std.print([]byte(shown))
}

// findRun looks at a run by its name in dir, or by the path of its folder.
func findRun(dir, name string) (*runs.Summary, error) {
	r, path, err := runs.Find(dir, name)
	if errors.Is(err, fs.ErrNotExist) && path != name {
		return nil, fmt.Errorf("there is no run %s in %s (rot runs list prints those that there are)", name, dir)
	}
	if err != nil {
		return nil, err
	}
	return r.Summary()
}
