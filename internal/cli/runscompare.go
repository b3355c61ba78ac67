package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"rot.example/rot/internal/text"
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
	return std.print([]byte(text.RunsCompared(r.Runs, r.Differences)))
}
