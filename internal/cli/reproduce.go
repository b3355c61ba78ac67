package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/experiments"
)

type reproduceOptions struct {
	options experiments.Options
	list    bool
	all     bool
	partOf  string
	backend backendFlags
	json    bool
}

// givenFlags are the flags that name the folders of data sets that only their
// users have, by the part that needs them.
var givenFlags = map[string]string{"visda": "--visda", "celeba": "--celeba"}

func newReproduce(std IO) *cobra.Command {
	o := reproduceOptions{options: experiments.Options{Data: "data", Out: "results", Seeds: 3, Workers: 1}}
	cmd := &cobra.Command{
		Use:   "reproduce NAME|--all|--list",
		Short: "Rerun a table or figure of the paper",
		Long: `reproduce reruns an experiment of the paper, by name, and writes its numbers
(results.json), tables (results.md), a page with tables and figures
(results.html) and the result of every run (cells.jsonl) into a folder of that
name below --out.

An experiment that was stopped, or killed, goes on where it was: a run that is
done is not done again. Data sets are looked for below --data, laid out as
docs/experiments.md says; parts whose data are not there are left out, and the
tables say so. What one experiment has trained, another does not train again.

Two of the paper's own data sets are given by a flag, and without it their parts
are passed over: VisDA-17 as the folder that holds train and validation
(--visda), CelebA as the one that holds img_align_celeba and
list_attr_celeba.txt (--celeba). --pretrained is a safetensors file of a ResNet
with torchvision's names, which decides the network of VisDA-17's part.

Samples of GANs are scored with a classifier that is trained on clean images.
--features names a network to score them with besides: the Inception-v3 of the
FID, a ResNet, MobileNetV2 or SqueezeNet 1.1, as gan eval takes them.

--show runs nothing and needs no data: it writes the tables and the page of what
has been run so far, by whatever machine, and says how much is missing.

Every run is kept with what made it: the revision of rot, the version of the
algorithm, hashes of the data and of the classifier that scored it, the machine
and the date. The line below a table says it. Where one of the versions or
hashes is not what it is now, the run is done again; --show marks it as old.

--part-of K/N does every N-th run, so that N processes share an experiment: the
tasks of a Slurm array, or the pods of an indexed Kubernetes job, on any
machines that have the folder --out in common. K goes from 0 to N-1, or from 1
to N. No two processes do the same run; when one is killed, the others do its
runs once it has been silent for a minute. Such processes write no tables:
--show does.

--all runs all of them, in the order of --list. With --json it prints an object
with a list, results; those that find none of their data are left out of it.`,
		Example: `  rot reproduce --list
  rot reproduce table2 --data ~/data --part pacs
  rot reproduce table2 --data ~/data --quick
  rot reproduce table2 --part visda --visda ~/visda --pretrained resnet18.safetensors
  rot reproduce table2 --data ~/data --part-of $SLURM_ARRAY_TASK_ID/8
  rot reproduce --all --data ~/data`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.list || o.all {
				return exactArgs()(cmd, args)
			}
			return exactArgs("NAME")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.list {
				return listExperiments(std)
			}
			return runReproduce(cmd.Context(), std, o, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "print the names of the experiments")
	f.BoolVar(&o.all, "all", false, "run all of them")
	f.StringVar(&o.options.Data, "data", o.options.Data, "`folder` of the data sets")
	f.StringVar(&o.options.VisDA, "visda", "", "`folder` of VisDA-17, for table2 and sensitivity")
	f.StringVar(&o.options.Pretrained, "pretrained", "", "safetensors `file` that VisDA-17's network starts from")
	f.StringVar(&o.options.CelebA, "celeba", "", "`folder` of CelebA, for modedrop")
	f.StringVar(&o.options.Features, "features", "", "safetensors `file` of a network to score images with, too")
	f.StringVar(&o.options.Out, "out", o.options.Out, "`folder` for the results")
	f.StringSliceVar(&o.options.Parts, "part", nil, "only these `parts`")
	f.StringVar(&o.options.Only, "only", "", "only runs whose name has this `text` in it, such as \"seed 0\"")
	f.Var(countFlag{&o.options.Seeds}, "seeds", "seeds of every run, from 0")
	f.Var(countFlag{&o.options.Workers}, "workers", "runs at a time")
	f.BoolVar(&o.options.Quick, "quick", false, "a small form of it, in a minute or two")
	f.BoolVar(&o.options.Show, "show", false, "run nothing: write the page of what has been run")
	f.StringVar(&o.partOf, "part-of", "", "do part `K/N` of the runs; others do the rest")
	o.backend.bind(f)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	completeChoices(cmd)
	return cmd
}

func listExperiments(std IO) error {
	var s strings.Builder
	for _, e := range experiments.All() {
		parts := slices.Clone(e.Parts)
		for i, p := range parts {
			if experiments.GivenDataSet(p) != "" {
				parts[i] += " (" + givenFlags[p] + ")"
			}
		}
		fmt.Fprintf(&s, "%-12s %s\n%-12s %s; parts: %s\n", e.Name, e.Title, "", e.Paper, strings.Join(parts, ", "))
	}
	return std.print([]byte(s.String()))
}

// runReproduce runs the experiments of these names, or all of them.
func runReproduce(ctx context.Context, std IO, o reproduceOptions, names []string) error {
	chosen, err := o.choose(names)
	if err != nil {
		return err
	}
	if err := o.options.Check(); err != nil {
		return err
	}
	if o.options.Backend, err = o.backend.open(""); err != nil {
		return err
	}
	o.options.Done = func(line string, done, total int) {
		fmt.Fprintf(std.Err, "rot: %d of %d: %s\n", done, total, line)
	}
	o.options.Warn = func(err error) { fmt.Fprintf(std.Err, "rot: warning: %s\n", plainText(err)) }
	results := []*experiments.Result{}
	for _, e := range chosen {
		if !o.options.Show {
			fmt.Fprintf(std.Err, "rot: %s: %s on %s (backend %s)\n", e.Name, e.Title, o.options.Backend.Device, o.options.Backend.Kind)
		}
		res, err := e.Run(ctx, o.options)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			fmt.Fprintf(std.Err, "rot: stopped; the same command goes on from here\n")
		}
		if o.all && errors.Is(err, experiments.ErrNothing) {
			fmt.Fprintf(std.Err, "rot: %s\n", plainText(err))
			continue
		}
		if err != nil {
			return explainReproduce(err)
		}
		results = append(results, res)
		switch {
		case o.json:
		case res.Part != "":
			text := fmt.Sprintf("%s: part %s is done, %d runs; rot reproduce %s --show --out %s shows those of all parts\n", e.Name, res.Part, res.Done, e.Name, o.options.Out)
			if err := std.print([]byte(text)); err != nil {
				return err
			}
		default:
			page := filepath.Join(o.options.Out, e.Name, "results.html")
			if err := std.print([]byte(res.Markdown + fmt.Sprintf("\npage: %s\n", page))); err != nil {
				return err
			}
		}
	}
	switch {
	case !o.json:
		return nil
	case o.all:
		return std.printJSON(map[string]any{"results": results})
	}
	return std.printJSON(results[0])
}

// explainReproduce adds to an error the flag that helps.
func explainReproduce(err error) error {
	var given *experiments.NotGivenError
	var busy *experiments.BusyError
	switch {
	case errors.As(err, &given):
		return fmt.Errorf("%w: %s names its folder", err, givenFlags[given.Part])
	case errors.As(err, &busy):
		return fmt.Errorf("%w; wait for it, or let each process do a part with --part-of", err)
	}
	return err
}

// parsePart reads --part-of: K/N with K from 0 to N.
func (o *reproduceOptions) parsePart() error {
	if o.partOf == "" {
		return nil
	}
	if !o.options.SetPart(o.partOf) {
		return usagef("--part-of %q: want K/N, with K from 0 to N-1 or from 1 to N", o.partOf)
	}
	if o.options.Show {
		return usagef("--part-of goes with a run, not with --show, which shows all parts")
	}
	return nil
}

func (o *reproduceOptions) choose(names []string) ([]experiments.Experiment, error) {
	if o.options.Seeds < 1 || o.options.Workers < 1 {
		return nil, usagef("--seeds and --workers must be at least 1")
	}
	if err := o.parsePart(); err != nil {
		return nil, err
	}
	if o.options.Pretrained != "" && o.options.VisDA == "" {
		return nil, usagef("--pretrained goes with --visda")
	}
	if o.all {
		if len(o.options.Parts) > 0 {
			return nil, usagef("--part goes with one experiment, not with --all")
		}
		if o.options.Features != "" {
			return nil, usagef("--features goes with one experiment, not with --all")
		}
		return experiments.All(), nil
	}
	e, err := experiments.Find(names[0])
	if err != nil {
		return nil, usagef("%s", plainText(err))
	}
	for _, part := range o.options.Parts {
		if !slices.Contains(e.Parts, part) {
			return nil, usagef("%s has no part %q; choose %s", e.Name, part, strings.Join(e.Parts, ", "))
		}
	}
	if o.options.Features != "" && !e.ScoresImages() {
		return nil, usagef("%s has no images to score, so that --features is of no use", e.Name)
	}
	for _, given := range []struct{ part, folder string }{{"visda", o.options.VisDA}, {"celeba", o.options.CelebA}} {
		if given.folder != "" && !slices.Contains(e.Parts, given.part) {
			return nil, usagef("%s has no part for %s", e.Name, givenFlags[given.part])
		}
	}
	return []experiments.Experiment{*e}, nil
}
