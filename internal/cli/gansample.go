package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/gan"
	"rot.example/rot/page"
)

type ganSampleOptions struct {
	run     string
	n       int
	out     string
	seed    uint64
	backend backendFlags
}

func newGANSample(std IO) *cobra.Command {
	o := ganSampleOptions{n: 64}
	cmd := &cobra.Command{
		Use:   "sample RUN",
		Short: "Make samples with a trained generator",
		Long: `sample makes samples from the newest checkpoint of a run. The ending of --out
says what it writes: .png and .svg a picture of a grid of images, or of points;
.csv points, as the columns that the run learned from; .npz a NumPy archive; a
name without an ending a new folder of PNG files. With --ema the run kept a
running mean of its generator, and that one is used.`,
		Example: `  rot gan sample runs/gan-20261115-061203 -n 100 --out grid.png
  rot gan sample runs/points -n 10000 --out samples.csv
  rot gan sample runs/faces -n 5000 --out faces`,
		Args: exactArgs("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			return runGANSample(std, o)
		},
	}
	f := cmd.Flags()
	f.VarP(countFlag{&o.n}, "count", "n", "how many")
	f.StringVar(&o.out, "out", "grid.png", "`FILE` to write: .png, .svg, .csv, .npz, or a new folder")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the noise")
	o.backend.bind(f)
	completeChoices(cmd)
	return cmd
}

func runGANSample(std IO, o ganSampleOptions) error {
	ext := strings.ToLower(filepath.Ext(o.out))
	switch {
	case o.n < 1 || o.n > 1_000_000:
		return usagef("-n %d: want a number from 1 to a million", o.n)
	case ext != ".png" && ext != ".svg" && ext != ".csv" && ext != ".npz" && ext != "":
		return usagef("--out %s: the name must end in .png, .svg, .csv or .npz, or be that of a new folder", o.out)
	}
	var out outputs
	if err := out.add("--out", o.out, nil); err != nil {
		return err
	}
	run, err := openRun(o.run, "gan")
	if err != nil {
		return err
	}
	var c gan.Config
	if err := run.Config(&c); err != nil {
		return err
	}
	switch {
	case ext == ".csv" && c.Size > 0:
		return usagef("--out %s: images are written to .png or .svg", o.out)
	case ext == "" && c.Size == 0:
		return usagef("--out %s: points are written to .csv, .npz, .png or .svg", o.out)
	case ext != ".csv" && ext != ".npz" && c.Size == 0 && c.Channels == 1:
		return usagef("--out %s: one column of numbers is written to .csv or .npz", o.out)
	}
	g, err := openGenerator(run, o.run, o.backend)
	if err != nil {
		return err
	}
	s, err := g.Trainer.Sample(o.n, o.seed)
	if err != nil {
		return err
	}
	step := count(g.Trainer.Step())
	if err := page.WriteSamples(o.out, nil, s, fmt.Sprintf("%s, step %s", run.Name(), step)); err != nil {
		return err
	}
	return std.print([]byte(fmt.Sprintf("%s of step %s in %s\n", plural(o.n, "sample"), step, o.out)))
}
