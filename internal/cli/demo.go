package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"rot.example/rot/demo"
	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// demoSteps is how long the GANs train; 0 means the preset's. Tests are short.
var demoSteps = 0

type demoOptions struct {
	out   string
	json  bool
	steps int // of the GANs; 0 means the preset's
}

func newDemo(std IO) *cobra.Command {
	o := demoOptions{out: "rot-demo", steps: demoSteps}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See what rot does, on data it brings along",
		Long: `demo makes small data sets, spoils them, and shows what plain and robust methods
make of that, in four parts: figure 1 of Balaji, Chellappa and Feizi (2020) with
the elbow curve and the bound of their Theorem 2; a GAN that learns points
without learning the outliers; a classifier that goes from clean digits to noisy
ones with garbage among them; and a table with a few kinds of bad rows. It takes
about half a minute on two cores.

The folder that --out names, made if need be, then holds

  report.html                 everything on one page: open it in a browser
  couplings.png               clean, spoiled, and spoiled but robust
  curve.png                   the distance against the radius ρ
  clean.csv dirty.csv target.csv   the data of these two, to play with; the
                              column outlier of dirty.csv marks the spoiled rows
  gan.png                     samples of a plain and of a robust GAN
  gan-training.png            how they got there
  weights.png                 the weights of the robust GAN's data
  da-data.png                 clean and noisy digits
  da.png                      the noisy ones by weight, the lowest first
  measurements.csv            the table; its column bad marks the bad rows
  table-weights.png           the weights of its rows
  pictures/                   120 small pictures, for rot clean to look through
  pictures.csv                which of them do not belong

With --json: clean, plain and robust (the three distances), gamma, rho, elbow,
outliers, found (outliers of a weight below 0.5), gan (steps, and for plain and
robust the shares of samples on_outliers and on_the_way there, the modes found
of 8, and the auroc of the weights), da (steps, images and outliers of the
target, rho, and for source, adversarial and robust the accuracy of the model
picked without labels, the oracle_accuracy, and the auroc of the weights),
clean_table (rows, bad rows, those dropped, bad rows found among these, gamma,
the auroc of the ranking, and kinds: rows and found of each), out, files.`,
		Example: "  rot demo\n  rot demo --out /tmp/demo",
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.out == "" {
				return usagef("--out needs a folder")
			}
			return runDemo(cmd.Context(), std, o)
		},
	}
	cmd.Flags().StringVar(&o.out, "out", o.out, "`folder` for the files")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// demoPictures is the folder of pictures in that of the demo.
const demoPictures = "pictures"

// demoFiles are the files of the demo, the page last: it is what to open.
var demoFiles = []struct{ name, description string }{
	{"couplings.png", "the three plans side by side"},
	{"curve.png", "the distance against ρ, with the bound of Theorem 2"},
	{"clean.csv", "the blob"},
	{"dirty.csv", "the blob with its outliers, marked in the last column"},
	{"target.csv", "the moons"},
	{"gan.png", "samples of the two GANs, over the data"},
	{"gan-training.png", "how they got there"},
	{"weights.png", "the weights of the robust GAN"},
	{"da-data.png", "clean and noisy digits"},
	{"da.png", "the noisy ones from the lowest weight to the highest"},
	{"measurements.csv", "a table with bad rows, marked in the last column"},
	{"table-weights.png", "the weights of its rows"},
	{"pictures.csv", "which of the pictures in the folder pictures do not belong"},
	{reportFile, "all of this on one page"},
}

func runDemo(ctx context.Context, std IO, o demoOptions) (err error) {
	made, err := makeFolder(o.out)
	if err != nil {
		return err
	}
	inner, err := makeFolder(filepath.Join(o.out, demoPictures))
	made = append(inner, made...)
	defer func() {
		if err != nil {
			for _, dir := range made {
				os.Remove(dir) // It is empty, or not ours any more.
			}
		}
	}()
	if err != nil {
		return err
	}
	d := &demoRun{out: o.out}
	if d.pictures, err = demo.NewPictures(); err != nil {
		return err
	}
	var out outputs
	defer out.discard()
	for _, name := range d.pictures.Names() {
		if err := out.add("--out", filepath.Join(o.out, demoPictures, name), nil); err != nil {
			return err
		}
	}
	var files []string
	for _, f := range demoFiles {
		path := filepath.Join(o.out, f.name)
		if err := out.add("--out", path, nil); err != nil {
			return err
		}
		files = append(files, path)
	}
	// Each part is printed as soon as it is there: the next one takes a while.
	show := func(part string) error {
		if o.json {
			return nil
		}
		return std.print([]byte(part + "\n"))
	}
	if err := d.measure(ctx, std); err != nil {
		return err
	}
	if err := show(text.DemoMeasure(&d.result.Measure)); err != nil {
		return err
	}
	if err := d.generate(ctx, std, o.steps); err != nil {
		return err
	}
	if err := show(text.DemoGenerate(&d.result.Generate)); err != nil {
		return err
	}
	if d.da, err = adaptDemo(ctx, std); err != nil {
		return err
	}
	d.result.Adapt = d.da.result()
	if err := show(text.DemoAdapt(&d.result.Adapt)); err != nil {
		return err
	}
	if err := d.clean(ctx, std); err != nil {
		return err
	}
	if err := show(text.DemoClean(&d.result.Clean)); err != nil {
		return err
	}
	if err := d.stage(ctx, std, &out); err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		return std.printJSON(d.json(files))
	}
	return std.print([]byte(d.filesText(files)))
}

// makeFolder makes the folder path and those above it. It returns those that
// were not there before, the innermost first.
func makeFolder(path string) (made []string, err error) {
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return nil, fmt.Errorf("--out %s: %s is not a folder", path, dir)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, dir)
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("--out %s: %w", path, errors.Unwrap(err))
	}
	return made, nil
}

// A demoRun is what the four parts have made so far.
type demoRun struct {
	out    string // folder
	result page.DemoResult

	measured *demo.Measured
	gans     *demo.GANs
	da       *demoDA
	table    *demo.Table
	pictures *demo.Pictures
}

func (d *demoRun) measure(ctx context.Context, std IO) (err error) {
	p := startProgress(std)
	defer p.stop()
	if d.measured, err = demo.Measure(ctx, p.stage, p.report); err != nil {
		return err
	}
	d.result.Measure = d.measured.Result()
	return nil
}

func (d *demoRun) generate(ctx context.Context, std IO, steps int) (err error) {
	fmt.Fprintln(std.Err, "rot: training a plain and a robust GAN side by side")
	var p *trainProgress
	d.gans, err = demo.Generate(ctx, steps, func(r gan.Record, steps int) {
		if p == nil {
			p = startTraining(std, steps, "points")
		}
		p.report(ganLine(r))
	})
	if p != nil {
		p.stop()
	}
	if err == nil {
		d.result.Generate = d.gans.Result()
	}
	return err
}

func (d *demoRun) clean(ctx context.Context, std IO) (err error) {
	p := startProgress(std)
	defer p.stop()
	p.stage("ranking the rows of a table")
	d.table, err = demo.Clean(ctx, func(done, total int) { p.report(ot.Progress{Done: float64(done) / float64(total)}) })
	if err == nil {
		d.result.Clean = d.table.Result()
	}
	return err
}

// stage makes the files.
func (d *demoRun) stage(ctx context.Context, std IO, out *outputs) error {
	p := startProgress(std)
	defer p.stop()
	p.stage("drawing")
	files := d.measured.Files()
	var err error
	if files["measurements.csv"], err = d.table.CSV(); err != nil {
		return err
	}
	if files["pictures.csv"], err = d.pictures.CSV(); err != nil {
		return err
	}
	for i, name := range d.pictures.Names() {
		picture, err := d.pictures.PNG(i)
		if err != nil {
			return err
		}
		err = out.stage(filepath.Join(d.out, demoPictures, name), func(w io.Writer) error {
			_, err := w.Write(picture)
			return err
		})
		if err != nil {
			return err
		}
	}
	r := &d.result
	r.Measure.Next, r.Generate.Next, r.Adapt.Next, r.Clean.Next = d.next("dist"), d.next("gan"), d.next("da"), d.next("clean")
	r.Pictures = map[string][]byte{}
	for _, f := range slices.Concat(d.measured.Figures(), d.gans.Figures(), d.da.figures(), d.table.Figures()) {
		picture, err := await(ctx, func() ([]byte, error) {
			var b bytes.Buffer
			err := figure.WriteTo(&b, f.Figure, "png", nil)
			return b.Bytes(), err
		})
		if err != nil {
			return err
		}
		files[f.Name], r.Pictures[f.Name] = picture, picture
	}
	var html bytes.Buffer
	if err := page.Demo(r).Write(&html); err != nil {
		return err
	}
	files[reportFile] = html.Bytes()
	for _, f := range demoFiles {
		err := out.stage(filepath.Join(d.out, f.name), func(w io.Writer) error {
			_, err := w.Write(files[f.name])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
