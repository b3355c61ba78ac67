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

// A mixed set is what mix has made, and what it prints with --json.
type mixed struct {
	Spec     string   `json:"spec"` // what reads the result
	N        int      `json:"n"`
	Outliers int      `json:"outliers"`
	Fraction float64  `json:"fraction"`
	Seed     uint64   `json:"seed"`
	Files    []string `json:"files"`
	Notes    []string `json:"notes"`

	dirt   string
	images *dataset.Images // or nil
	rows   *dataset.Table  // or nil
}

func runDataMix(ctx context.Context, std IO, o dataMixOptions) error {
	dirt, fraction, err := dataset.ParseMix(o.dirt)
	if err != nil {
		return err
	}
	images := dataset.IsImages(o.data)
	stem, err := o.stem(images)
	if err != nil {
		return err
	}
	files := mixFiles(stem, images)
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
	m, err := await(ctx, func() (*mixed, error) {
		opts := o.tables.options(std)
		if images {
			return mixImages(o, opts)
		}
		return mixRows(o, opts)
	})
	if err == nil {
		m.Fraction, m.Seed, m.dirt = fraction, o.seed, dirt
		p.stage("writing " + files[0])
		err = m.stage(ctx, &out, files)
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
	return std.print([]byte(m.text()))
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

// mixFiles are the data, the labels and for images the outliers.
func mixFiles(stem string, images bool) []string {
	if images {
		return []string{stem + ".png", stem + "-labels.idx1.gz", stem + "-outliers.csv"}
	}
	return []string{stem + ".csv", stem + "-labels.csv"}
}

func mixImages(o dataMixOptions, opts *dataset.Options) (*mixed, error) {
	clean, err := loadImages(o.data, o.size, opts, false)
	if err != nil {
		return nil, err
	}
	if clean.H != clean.W {
		return nil, fmt.Errorf("%s: the images are %s, and a stack holds square ones (make them square with --size)", o.data, text.Pixels(clean.W, clean.H, clean.C))
	}
	im, err := clean.Mix(o.dirt, o.seed)
	if err != nil {
		return nil, err
	}
	return &mixed{N: im.Len(), Outliers: marked(im.Outlier), Notes: append([]string{}, im.Notes...), images: im}, nil
}

func mixRows(o dataMixOptions, opts *dataset.Options) (*mixed, error) {
	clean, err := loadRows(o.data, o.size, opts)
	if err != nil {
		return nil, err
	}
	if slices.Contains(clean.Columns, dataset.MarkColumn) {
		return nil, fmt.Errorf("%s: has a column %s already (set it aside with --label-column %[2]s)", o.data, dataset.MarkColumn)
	}
	t, err := clean.Mix(o.dirt, opts, o.seed)
	if err != nil {
		return nil, err
	}
	m := &mixed{N: t.Points.Len(), Outliers: marked(t.Outlier), Notes: []string{}, rows: t}
	for _, note := range t.Notes {
		// With indicators gaps are written as gaps.
		if opts.Missing != tab.MissingIndicator || !strings.HasPrefix(note, "missing cells filled in") {
			m.Notes = append(m.Notes, note)
		}
	}
	return m, nil
}

func marked(outlier []bool) (n int) {
	for _, o := range outlier {
		if o {
			n++
		}
	}
	return n
}

// stage writes the files of mixFiles, the labels only if there are any.
func (m *mixed) stage(ctx context.Context, out *outputs, files []string) error {
	write := func(path string, f func(io.Writer) error) error {
		m.Files = append(m.Files, path)
		return out.stage(path, func(w io.Writer) error { return f(&cancelWriter{ctx, w}) })
	}
	m.Spec = files[0]
	if m.rows != nil {
		if err := write(files[0], m.rows.WriteMarked); err != nil || m.rows.Labels == nil {
			return err
		}
		return write(files[1], m.rows.WriteLabels)
	}
	m.Spec = "stack:" + files[0]
	if err := write(files[0], m.images.WriteStack); err != nil {
		return err
	}
	if m.images.Labels != nil {
		m.Spec += "," + files[1]
		if err := write(files[1], m.images.WriteLabels); err != nil {
			return err
		}
	}
	return write(files[2], m.images.WriteMarks)
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

// text says what was made and how to go on.
func (m *mixed) text() string {
	thing, flag := "image", ""
	if m.rows != nil {
		thing, flag = "row", " --label-column "+dataset.MarkColumn
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s of them (%s) outliers from %s.\n", plural(m.N, thing), count(m.Outliers), percent(float64(m.Outliers)/float64(m.N)), m.dirt)
	for _, note := range m.Notes {
		fmt.Fprintf(&b, "On the way: %s.\n", note)
	}
	fmt.Fprintf(&b, "\nWrote\n  %s\n\nTry next\n  rot data info %s%s\n", strings.Join(m.Files, "\n  "), shellWord(m.Spec), flag)
	return b.String()
}
