package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"rot.example/rot/da"
	"rot.example/rot/demo"
	"rot.example/rot/gan"
	"rot.example/rot/internal/atomicfile"
	"rot.example/rot/internal/text"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// demoSteps and demoDASteps are how long the GANs and the classifiers train; 0
// means as long as package demo says. Tests are short.
var demoSteps, demoDASteps = 0, 0

type demoOptions struct {
	out        string
	json       bool
	steps      int // of the GANs; 0 means the preset's
	adaptSteps int // of the classifiers; 0 means demo.AdaptSteps
}

func newDemo(std IO) *cobra.Command {
	o := demoOptions{out: "rot-demo", steps: demoSteps, adaptSteps: demoDASteps}
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

func runDemo(ctx context.Context, std IO, o demoOptions) (err error) {
	made, err := makeFolder(o.out)
	if err != nil {
		return err
	}
	inner, err := makeFolder(filepath.Join(o.out, demo.PicturesFolder))
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
	if d.parts.Pictures, err = demo.NewPictures(); err != nil {
		return err
	}
	var out outputs
	defer out.discard()
	for _, name := range d.parts.Pictures.Names() {
		if err := out.add("--out", filepath.Join(o.out, demo.PicturesFolder, name), nil); err != nil {
			return err
		}
	}
	var files, descriptions []string
	for k, f := range demo.Files() {
		files, descriptions = append(files, filepath.Join(o.out, f.Name)), append(descriptions, f.Description)
		if err := out.add("--out", files[k], nil); err != nil {
			return err
		}
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
	if err := d.adapt(ctx, std, o.adaptSteps); err != nil {
		return err
	}
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
		return std.printJSON(text.NewDemoJSON(&d.result, d.out, files))
	}
	return std.print([]byte(text.DemoFiles(files, descriptions, slices.Concat(d.result.Measure.Next, d.result.Generate.Next, d.result.Adapt.Next, d.result.Clean.Next))))
}

// makeFolder makes the folder that --out names; see atomicfile.MakeFolder.
func makeFolder(path string) (made []string, err error) {
	if made, err = atomicfile.MakeFolder(path); err != nil {
		err = fmt.Errorf("--out %s: %w", path, err)
	}
	return made, err
}

// A demoRun is what the four parts have made so far.
type demoRun struct {
	out    string // folder
	parts  demo.Parts
	result page.DemoResult
}

func (d *demoRun) measure(ctx context.Context, std IO) (err error) {
	p := startProgress(std)
	defer p.stop()
	if d.parts.Measured, err = demo.Measure(ctx, p.stage, p.report); err != nil {
		return err
	}
	d.result.Measure = d.parts.Measured.Result()
	return nil
}

func (d *demoRun) generate(ctx context.Context, std IO, steps int) (err error) {
	fmt.Fprintln(std.Err, "rot: training a plain and a robust GAN side by side")
	var p *trainProgress
	d.parts.GANs, err = demo.Generate(ctx, steps, func(r gan.Record, steps int) {
		if p == nil {
			p = startTraining(std, steps, "points")
		}
		p.report(text.GANStep(r))
	})
	if p != nil {
		p.stop()
	}
	if err == nil {
		d.result.Generate = d.parts.GANs.Result()
	}
	return err
}

func (d *demoRun) adapt(ctx context.Context, std IO, steps int) (err error) {
	var p *trainProgress
	d.parts.Adapted, err = demo.Adapt(ctx, steps, &demo.AdaptHooks{
		Method: func(k, n int, words string) {
			fmt.Fprintf(std.Err, "rot: carrying a classifier of clean digits to noisy ones, %d of %d: %s\n", k, n, words)
		},
		Step: func(r da.Record, steps int) {
			if p == nil {
				p = startTraining(std, steps, "images")
			}
			p.report(text.DAStep(r))
		},
		Done: func() {
			if p != nil {
				p.stop()
			}
			p = nil
		},
	})
	if err == nil {
		d.result.Adapt = d.parts.Adapted.Result()
	}
	return err
}

func (d *demoRun) clean(ctx context.Context, std IO) (err error) {
	p := startProgress(std)
	defer p.stop()
	p.stage("ranking the rows of a table")
	d.parts.Table, err = demo.Clean(ctx, func(done, total int) { p.report(ot.Progress{Done: float64(done) / float64(total)}) })
	if err == nil {
		d.result.Clean = d.parts.Table.Result()
	}
	return err
}

// stage makes the files.
func (d *demoRun) stage(ctx context.Context, std IO, out *outputs) error {
	p := startProgress(std)
	defer p.stop()
	p.stage("drawing")
	r := &d.result
	text.DemoCommands(r, d.out)
	files, err := await(ctx, func() (map[string][]byte, error) { return d.parts.Files(ctx, r) })
	if err != nil {
		return err
	}
	for name, content := range files {
		err := out.stage(filepath.Join(d.out, filepath.FromSlash(name)), func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
