package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/text"
	tab "rot.example/rot/table"
)

type dataMixOptions struct {
	data, dirt string // dirt is DIRT@FRACTION
	out        string
	seed       uint64
	size       int
	tables     tableFlags
	json       bool
}

func newDataMix(std IO) *cobra.Command {
	var o dataMixOptions
	cmd := &cobra.Command{
		Use:   "mix DATA DIRT@FRACTION --out FILE",
		Short: "Build a data set with known outliers",
		Long: `mix replaces a fraction of DATA, at random places, by samples of DIRT. It writes
what comes out, with a mark for each outlier. The number of samples stays the
same, and so do the labels: an outlier passes for what it replaces. DIRT is a
data set like DATA, or the word uniform: random bytes for images, and for rows
of numbers a box three times as wide as that of DATA. Samples of DIRT are drawn
without replacement unless there are too few.

Rows of numbers become FILE.csv with the coordinates and a column outlier of 0
and 1, and FILE-labels.csv when DATA has labels.

Images become FILE.png, a stack of square images; FILE-labels.idx1.gz when DATA
has labels; and FILE-outliers.csv with the columns index, id and outlier. Images
of DIRT are brought to the size and colour of DATA.

DATA and DIRT are as in rot data info --help. With --json: spec (what reads the
result), n, outliers, fraction, seed, files, notes.`,
		Example: `  rot data mix synth:eight synth:far@0.05 --out dirty.csv
  rot data mix train-images-idx3-ubyte.gz uniform@0.1 --out dirty.png --seed 7
  rot data mix 'stack:data_batch_*.png,train-labels-idx1-ubyte.gz' \
      train-images-idx3-ubyte.gz@0.05 --out cifar-mnist.png
  rot data mix photos drawings@0.2 --size 64 --out mixed.png`,
		Args: exactArgs("DATA", "DIRT@FRACTION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.data, o.dirt = args[0], args[1]
			if err := o.resolve(); err != nil {
				return err
			}
			return runDataMix(cmd.Context(), std, o)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&o.out, "out", "", "`file` to write: .csv for rows, .png for images")
	fs.Uint64Var(&o.seed, "seed", 0, "which of the random mixtures")
	fs.Var(countFlag{&o.size}, "size", "resize images to so many pixels a side")
	o.tables.bind(fs, tab.MissingIndicator)
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// resolve checks the command line as a whole.
func (o *dataMixOptions) resolve() error {
	dirt, _, err := dataset.ParseMix(o.dirt)
	switch {
	case err != nil:
		return usagef("%v", err)
	case o.out == "":
		return usagef("mix needs --out, the file to write")
	case o.data == "-" && dirt == "-":
		return usagef("DATA and DIRT cannot both be standard input")
	}
	return checkSide(o.size)
}

func runDataMix(ctx context.Context, std IO, o dataMixOptions) error {
	dirt, _, err := dataset.ParseMix(o.dirt)
	if err != nil {
		return err
	}
	images := dataset.IsImages(o.data)
	stem, err := o.stem(images)
	if err != nil {
		return err
	}
	files := dataset.MixtureFiles(stem, images)
	inputs := slices.Concat(dataset.SpecFiles(o.data), dataset.SpecFiles(dirt))
	var out outputs
	defer out.discard()
	for _, path := range files {
		if err := out.add("--out", path, inputs); err != nil {
			return err
		}
	}
	p := startProgress(std)
	p.stage("mixing " + o.dirt + " into " + o.data)
	m, err := await(ctx, func() (*dataset.Mixture, error) {
		opts := &dataset.MixOptions{Options: *o.tables.options(std), Size: o.size, Seed: o.seed}
		if err := checkKind(o.data, images, o.size, &opts.Options); err != nil {
			return nil, err
		}
		return dataset.LoadMixture(o.data, o.dirt, opts)
	})
	if err == nil {
		p.stage("writing " + files[0])
		err = stageMixture(ctx, &out, files, m)
	}
	p.stop()
	if err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		return std.printJSON(m)
	}
	return std.print([]byte(text.Mixture(m)))
}

// stem is --out without the ending that the kind of data has.
func (o *dataMixOptions) stem(images bool) (string, error) {
	want, kind := ".csv", "rows of numbers"
	if images {
		want, kind = ".png", "images"
	}
	ext := filepath.Ext(o.out)
	if ext != "" && ext != want {
		return "", fmt.Errorf("--out %s: %s holds %s, which are written to a %s file", o.out, o.data, kind, want)
	}
	return strings.TrimSuffix(o.out, ext), nil
}

// stageMixture writes the files of m until ctx is cancelled.
func stageMixture(ctx context.Context, out *outputs, files []string, m *dataset.Mixture) error {
	return m.Write(files, func(path string, write func(io.Writer) error) error {
		return out.stage(path, func(w io.Writer) error { return write(&cancelWriter{ctx, w}) })
	})
}

// A cancelWriter fails once ctx is cancelled.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c *cancelWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}
