package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/page"
	tab "rot.example/rot/table"
)

type cleanOptions struct {
	data, against string
	labels        string // a file of marks, or "labels"
	tables        tableFlags
	gamma         float64 // 0: as many as fdr allows
	fdr           float64 // 0: the default
	core          int     // 0: the default
	features      string  // "" stands for the descriptor
	backend       backendFlags
	seed          uint64
	out           string
	json          bool
}

func newClean(std IO) *cobra.Command {
	o := cleanOptions{out: "clean"}
	cmd := &cobra.Command{
		Use:   "clean DATA",
		Short: "Rank the rows or images that do not belong",
		Long: `clean gives every row of DATA, or every image, a score for how little it belongs
to the rest, and lists the worst. It changes and deletes nothing: it writes
lists, and what becomes of them is up to you.

With --against REF, rows that are known to be good, the score is what robust
optimal transport to REF would pay for the row. Rows that crowd where REF has
few stand out too, even if none of them is far away. DATA should be a batch, not
a handful of rows. Without REF, DATA is compared with itself in two passes:
what looks odd in the first is not compared with in the second.

DATA and REF are .csv, .tsv, .parquet, .arrow, .feather, .jsonl, .npy, .npz or
IDX files, - for CSV on standard input, synth:NAME[,n=…,seed=…], or images: a
folder, CIFAR binaries, stack:FILE.png (see rot data info --help). Columns are
brought to a common unit first. Missing cells are filled in by the median, and a
component of their own says where (--missing). Images are turned into vectors by
the network in --features, or else by a built-in descriptor.

How many are suspects is set by --fdr, the part of the suspects that may be good
rows after all, on average. With REF it is a guarantee: half of REF joins DATA
and shows what good rows score (a handful of outliers needs a REF of hundreds of
rows). Without REF it is an estimate from the bulk of the rows. Often nothing
stands out, and then nothing is listed. --gamma fixes the share instead.

Foreign images that look like each other are nothing odd to each other. Without
REF, 500 images or more are also looked at for such groups: a set with an empty
space around it, where no other images lie apart like that. Its images are
suspects, and what else stands out is found without them. Tables are not looked
at: there a group that lies apart was as often as not a good one.

--core is for DATA without REF: how many of 1000 rows each point of comparison
is the mean of. A clump of outliers with more rows passes for a cluster, so
raise it if there may be such; lower it to find rows between clusters.

rot clean fit and rot clean score split the work: a model file, and scores of
rows that stream by.

The folder --out, made if need be, then holds

  weights.csv   id,score,weight,rank,dropped of every row, in the order of DATA;
                rank 1 is the worst; weights have mean 1, and suspects low ones
  suspects.txt  ids of the suspects, the worst first (dropped.txt is the same)
  kept.txt      ids of the others, in the order of DATA
  report.html   a page to look at: the weights, a map of the rows that tells
                about the one pointed at, how the cut was chosen, the worst
                rows beside their nearest kept neighbours, and the classes

--labels says how good the ranking is where the outliers are known: a file with
a mark for each row (1 or true for an outlier), or the word labels for those of
DATA. They are used for nothing else. The labels of DATA are classes otherwise,
and a class that is suspect nearly as a whole gets a warning.

Rows that are there more than once are counted, and where DATA has labels of
classes, rows whose neighbours by transport have another label are listed.

With --json: n, suspects (and dropped, the same), fdr (null with --gamma),
proven, gamma, gamma_guessed, rho, auroc (null without --labels), groups (sizes
of groups of images that look like each other and unlike the rest), out, files,
method (cores or reference), features (null for rows), dim, core, seed, seconds,
warnings, worst (the ten worst rows: row, id, score, weight, p, label, group and
causes: columns with their value and robust z-score), duplicates (equal: groups
of rows; near: pairs), labels (rows whose label does not fit: row, id, label,
suggested, score; null without labels).`,
		Example: `  rot clean measurements.csv
  rot clean measurements.csv --fdr 0.02 --out suspects
  rot clean today.csv --against reference.csv --id-column sample
  rot clean photos/ --features mobilenetv2.safetensors
  rot clean x.npz:X,y --labels labels --json`,
		Args: exactArgs("DATA"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.resolve(cmd.Flags().Changed, args); err != nil {
				return err
			}
			return runClean(cmd.Context(), std, o)
		},
	}
	o.bind(cmd.Flags())
	completeChoices(cmd)
	cmd.AddCommand(newCleanFit(std), newCleanScore(std))
	// They fail for a flag that does not exist; these do.
	_ = cmd.RegisterFlagCompletionFunc("gamma", cobra.FixedCompletions([]string{"auto"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	return cmd
}

func (o *cleanOptions) bind(fs *pflag.FlagSet) {
	fs.SortFlags = false
	fs.StringVar(&o.against, "against", "", "`REF`, rows or images that belong")
	fs.Var(numberFlag{&o.fdr, ruleTol}, "fdr", fmt.Sprintf("false discovery rate: part of the suspects that may be good rows, on average; a guarantee with --against, an estimate without (default %g)", clean.DefaultFDR))
	fs.Var(partFlag{&o.gamma}, "gamma", "part of the rows to take for suspects; auto: by --fdr (default auto)")
	fs.Var(countFlag{&o.core}, "core", fmt.Sprintf("without REF: rows of 1000 that a point of comparison is the mean of (default %d, for images %d)", clean.DefaultCore, clean.DefaultUnscaledCore))
	fs.StringVar(&o.labels, "labels", "", "`file` that marks the known outliers, or the word labels; for the AUROC only")
	o.tables.bind(fs, tab.MissingIndicator)
	fs.StringVar(&o.features, "features", "", "safetensors `file` with a network for images (default: a descriptor)")
	o.backend.bind(fs)
	fs.Uint64Var(&o.seed, "seed", 0, "seed of the random choices")
	fs.StringVar(&o.out, "out", o.out, "`folder` for the files")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
}

// A partFlag is a part of the rows, or the word auto, which stands for 0.
type partFlag struct{ value *float64 }

func (f partFlag) String() string { return numberFlag{value: f.value}.String() }

// Set implements pflag.Value.
func (f partFlag) Set(s string) (err error) {
	if s == "auto" {
		*f.value = 0
		return nil
	}
	if *f.value, err = ruleTol.parse(s); err != nil {
		return fmt.Errorf("%w, or auto", err)
	}
	return nil
}

// Type is the placeholder in the help.
func (partFlag) Type() string { return "number|auto" }

func (o *cleanOptions) resolve(given func(string) bool, args []string) error {
	o.data = args[0]
	for _, f := range []struct{ name, value string }{{"against", o.against}, {"labels", o.labels}, {"features", o.features}, {"out", o.out}} {
		if given(f.name) && f.value == "" {
			return usagef("--%s needs a name, got %q", f.name, f.value)
		}
	}
	switch {
	case o.data == "-" && o.against == "-":
		return usagef("DATA and --against cannot both be standard input")
	case o.labels == "-":
		return usagef("--labels needs a file or the word labels, got %q", o.labels)
	case given("fdr") && o.gamma > 0:
		return usagef("--fdr does not go with --gamma, which fixes the number of suspects")
	case given("core") && o.core == 0:
		return usagef("--core 0: want a number of rows, 1 or more")
	case given("core") && o.against != "":
		return usagef("--core does not go with --against: REF is what rows are compared with")
	}
	if names := givenTableFlags(given); dataset.IsImages(o.data) && len(names) > 0 {
		return fmt.Errorf("--%s is for tables, and %s is images", names[0], o.data)
	}
	return o.tables.read(given)
}

// files are the files that must not be overwritten.
func (o *cleanOptions) files() []string {
	return append(append(dataset.SpecFiles(o.data), dataset.SpecFiles(o.against)...), o.labels, o.features)
}

// cleanFiles are the files of clean, in the order in which they are written.
var cleanFiles = []struct {
	name  string
	write func(c *cleaned, w io.Writer) error
}{
	{"weights.csv", func(c *cleaned, w io.Writer) error { return c.WriteCSV(w, c.Data.Points.ID) }},
	{"suspects.txt", func(c *cleaned, w io.Writer) error { return c.WriteSuspects(w, c.Data.Points.ID) }},
	{"dropped.txt", func(c *cleaned, w io.Writer) error { return c.WriteSuspects(w, c.Data.Points.ID) }}, // its name of old
	{"kept.txt", func(c *cleaned, w io.Writer) error { return c.WriteKept(w, c.Data.Points.ID) }},
	{page.RunFile, func(c *cleaned, w io.Writer) error { return c.htmlPage().Write(w) }},
}

func runClean(ctx context.Context, std IO, o cleanOptions) (err error) {
	made, err := makeFolder(o.out)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			for _, dir := range made {
				os.Remove(dir) // It is empty, or not ours any more.
			}
		}
	}()
	if err := o.checkOut(); err != nil {
		return err
	}
	var out outputs
	defer out.discard()
	for _, f := range cleanFiles {
		if err := out.add("--out", filepath.Join(o.out, f.name), o.files()); err != nil {
			return err
		}
	}
	if err := o.tables.addOutput(&out, o.files()); err != nil {
		return err
	}
	c, err := solveClean(ctx, std, &o)
	if err != nil {
		return err
	}
	if err := o.tables.stage(&out, c.Encoding); err != nil {
		return err
	}
	for _, f := range cleanFiles {
		if err := out.stage(filepath.Join(o.out, f.name), func(w io.Writer) error { return f.write(c, w) }); err != nil {
			return err
		}
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		return std.printJSON(c.JSON())
	}
	return std.print([]byte(c.Text()))
}

// checkOut refuses a folder of images that are to be read: lists do not belong
// among them.
func (o *cleanOptions) checkOut() error {
	out, err := os.Stat(o.out)
	if err != nil {
		return fmt.Errorf("--out %s: %w", o.out, err)
	}
	for _, spec := range []string{o.data, o.against} {
		if in, err := os.Stat(spec); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("--out %s: is the input; name another folder", o.out)
		}
	}
	return nil
}
