package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/runs"
	tab "rot.example/rot/table"
)

// completeNames offers the names of runs where a command takes a run, and those
// of columns where a flag takes one, for all commands below cmd.
func completeNames(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		completeNames(c)
	}
	if strings.Contains(cmd.Use, " RUN") && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = offerRuns
	}
	for _, name := range []string{"id-column", "label-column", "columns", "ignore"} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, offerColumns) // It fails for a flag that has one already.
		}
	}
}

// offerRuns is the names of the runs in --runs where a command has that flag, and
// else their paths below the usual folder.
func offerRuns(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	folder, prefix := "runs", "runs"+string(filepath.Separator)
	if f := cmd.Flag("runs"); f != nil {
		folder, prefix = f.Value.String(), ""
	}
	found, err := runs.ListRuns(folder)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, r := range found {
		if name := prefix + r.Name(); strings.HasPrefix(name, begun) && !slices.Contains(args, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, cobra.ShellCompDirectiveDefault // a path elsewhere
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// offerColumns is the columns of the first table that the command line names. Of
// a list of columns the last is completed.
func offerColumns(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	files := slices.Clone(args)
	for _, name := range []string{"data", "source", "target", "against", "reference"} {
		if f := cmd.Flag(name); f != nil && f.Value.String() != "" {
			files = append(files, f.Value.String())
		}
	}
	before, last := "", begun
	if at := strings.LastIndexByte(begun, ','); at >= 0 {
		before, last = begun[:at+1], begun[at+1:]
	}
	for _, file := range files {
		var names []string
		for _, column := range tab.HeaderNames(file) {
			if strings.HasPrefix(column, last) {
				names = append(names, before+column)
			}
		}
		if len(names) > 0 {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
