package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/fetch"
	"rot.example/rot/internal/text"
)

type dataGetOptions struct {
	name, out string
	list      bool
	json      bool
}

func newDataGet(std IO) *cobra.Command {
	var o dataGetOptions
	var names []string
	for _, s := range fetch.Sets() {
		names = append(names, s.Name)
	}
	cmd := &cobra.Command{
		Use:   "get NAME",
		Short: "Download a public data set",
		Long: `get downloads a public data set from its usual home and checks its hash. A
download that broke off goes on where it was; what is there already is not
loaded again. The names are ` + strings.Join(names, ", ") + `.`,
		Example: `  rot data get --list
  rot data get mnist
  rot data get cifar10 --out /data/cifar10`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.list {
				return exactArgs()(cmd, args)
			}
			return exactArgs("NAME")(cmd, args)
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.list {
				return std.print([]byte(text.PublicSets(fetch.Sets())))
			}
			o.name = args[0]
			return runDataGet(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "print the names of the data sets")
	f.StringVar(&o.out, "out", "", "`folder` for the files (default data/NAME)")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

type dataGetJSON struct {
	Name  string   `json:"name"`
	Out   string   `json:"out"`
	Reads []string `json:"reads"`
}

func runDataGet(ctx context.Context, std IO, o dataGetOptions) error {
	var set *fetch.Set
	var names []string
	for _, s := range fetch.Sets() {
		if names = append(names, s.Name); s.Name == o.name {
			set = s
		}
	}
	if set == nil {
		return usagef("there is no data set %q; choose %s", o.name, strings.Join(names, ", "))
	}
	dir := o.out
	if dir == "" {
		dir = filepath.Join("data", o.name)
	}
	p := startProgress(std)
	p.stage(o.name)
	err := set.Get(ctx, dir, &fetch.Options{Progress: func(name string, done, total int64) {
		if total > 0 {
			p.stage(fmt.Sprintf("%s, %s of %s", name, text.Megabytes(done), text.Megabytes(total)))
		} else {
			p.stage(fmt.Sprintf("%s, %s", name, text.Megabytes(done)))
		}
	}})
	p.stop()
	if ctx.Err() != nil {
		fmt.Fprintln(std.Err, "rot: stopped; the same command goes on from here")
	}
	if err != nil {
		return err
	}
	r := dataGetJSON{Name: o.name, Out: dir}
	for _, name := range set.Reads {
		r.Reads = append(r.Reads, filepath.Join(dir, name))
	}
	if o.json {
		return std.printJSON(r)
	}
	return std.print([]byte(text.PublicSet(set, r.Reads)))
}
