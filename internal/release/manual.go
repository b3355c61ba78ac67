package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"rot.example/rot/internal/cli"
)

// manual writes a page a command and the completions of all shells.
func (r *release) manual() error {
	for _, dir := range []string{"man", "completions"} {
		if err := os.MkdirAll(r.path("build", dir), 0o755); err != nil {
			return err
		}
	}
	root := cli.Root()
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	head := &doc.GenManHeader{Section: "1", Date: &r.date, Source: "rot " + r.version, Manual: "rot"}
	if err := doc.GenManTree(root, head, r.path("build", "man")); err != nil {
		return err
	}
	for name, write := range completions(root) {
		f, err := os.Create(r.path("build", "completions", name))
		if err != nil {
			return err
		}
		if err := write(f); err != nil {
			f.Close()
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	pages, err := filepath.Glob(r.path("build", "man", "*.1"))
	if err == nil && len(pages) < 20 {
		err = fmt.Errorf("only %d pages", len(pages))
	}
	return err
}

// completions are the scripts by the names that shells look for.
func completions(root *cobra.Command) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"rot.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_rot":     root.GenZshCompletion,
		"rot.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"rot.ps1":  root.GenPowerShellCompletionWithDesc,
	}
}
