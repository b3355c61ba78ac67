package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rot/chisq"
	"rot/experiments"
	"rot/figure"
	"rot/ot"
)

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
		Long: `demo makes small data sets, spoils 5 % of each, and shows what plain and robust
methods make of that: figure 1 of Balaji, Chellappa and Feizi (2020), the elbow
curve with the bound of their Theorem 2, and a GAN that learns points without
learning the outliers. It takes about half a minute on two cores.

The folder that --out names, made if need be, then holds

  couplings.png               clean, spoiled, and spoiled but robust
  curve.png                   the distance against the radius ρ
  gan.png                     samples of a plain and of a robust GAN
  gan-training.png            how they got there
  weights.png                 the weights of the robust GAN's data
  clean.csv dirty.csv target.csv   the data of the first two, to play with; the
                              column outlier of dirty.csv marks the spoiled rows

With --json: clean, plain and robust (the three distances), gamma, rho, elbow,
outliers, found (outliers of a weight below 0.5), gan (steps, and for plain and
robust the shares of samples on_outliers and on_the_way there, the modes found
of 8, and the auroc of the weights), out, files.`,
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

// demoFiles are the files of the demo: five about transport, three about GANs.
var demoFiles = []struct{ name, what string }{
	{"couplings.png", "the three plans side by side"},
	{"curve.png", "the distance against ρ, with the bound of Theorem 2"},
	{"clean.csv", "the blob"},
	{"dirty.csv", "the blob with its outliers, marked in the last column"},
	{"target.csv", "the moons"},
	{"gan.png", "samples of the two GANs, over the data"},
	{"gan-training.png", "how they got there"},
	{"weights.png", "the weights of the robust GAN"},
}

func runDemo(ctx context.Context, std IO, o demoOptions) (err error) {
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
	var out outputs
	defer out.discard()
	var files []string
	for _, f := range demoFiles {
		path := filepath.Join(o.out, f.name)
		if err := out.add("--out", path, nil); err != nil {
			return err
		}
		files = append(files, path)
	}
	d, err := solveDemo(ctx, std)
	if err != nil {
		return err
	}
	if d.gans, err = trainDemo(ctx, std, o.steps); err != nil {
		return err
	}
	if err := d.stageAll(ctx, std, &out, files); err != nil {
		return err
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	if o.json {
		return std.printJSON(d.json(o.out, files))
	}
	return std.print([]byte(d.report(files)))
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

// A demo is figure 1, the elbow curve, and two GANs.
type demo struct {
	*experiments.Figure1
	gans *demoGANs
}

// solveDemo solves the three problems of figure 1, and the curve.
func solveDemo(ctx context.Context, std IO) (*demo, error) {
	p := startProgress(std)
	defer p.stop()
	d := &demo{Figure1: experiments.NewFigure1()}
	p.stage("figure 1")
	if err := d.Solve(ctx, p.report); err != nil {
		return nil, err
	}
	p.stage("the elbow curve")
	return d, d.SolveCurve(ctx, p.report)
}

// stageAll makes the files, which come in the order of demoFiles.
func (d *demo) stageAll(ctx context.Context, std IO, out *outputs, files []string) error {
	p := startProgress(std)
	defer p.stop()
	p.stage("drawing")
	if err := d.stage(ctx, out, files[:5]); err != nil {
		return err
	}
	return d.gans.stage(ctx, out, files[5:])
}

// stage makes the files about transport.
func (d *demo) stage(ctx context.Context, out *outputs, files []string) error {
	if err := stageFigure(ctx, out, files[0], d.Couplings()); err != nil {
		return err
	}
	if err := stageFigure(ctx, out, files[1], figure.NewCurve("Choosing ρ: the elbow", d.Curve, d.Theorem)); err != nil {
		return err
	}
	for k, points := range []*ot.Points{d.Clean, d.Dirty, d.Target} {
		var marks []bool
		if points == d.Dirty {
			marks = d.Outlier
		}
		if err := out.stage(files[2+k], func(w io.Writer) error { return writePoints(w, points, marks) }); err != nil {
			return err
		}
	}
	return nil
}

// demoJSON is what demo --json prints.
type demoJSON struct {
	Clean    float64      `json:"clean"`
	Plain    float64      `json:"plain"`
	Robust   float64      `json:"robust"`
	Gamma    float64      `json:"gamma"`
	Rho      float64      `json:"rho"`
	Elbow    float64      `json:"elbow"`
	Outliers int          `json:"outliers"`
	Found    int          `json:"found"`
	GAN      *demoGANJSON `json:"gan"`
	Out      string       `json:"out"`
	Files    []string     `json:"files"`
}

func (d *demo) json(out string, files []string) *demoJSON {
	found, _ := d.Found()
	return &demoJSON{
		Clean: d.Plain.Value, Plain: d.Spoiled.Value, Robust: d.Robust.Value,
		Gamma: d.Gamma(), Rho: d.Ball.Rho, Elbow: d.Curve.Elbow,
		Outliers: d.Outliers(), Found: found, GAN: d.gans.json(), Out: out, Files: files,
	}
}

// report tells the story.
func (d *demo) report(files []string) string {
	var b strings.Builder
	gamma := percent(d.Gamma())
	found, others := d.Found()
	fmt.Fprintf(&b, "How far is a blob of %d points from two moons of %d? Then %d outliers join the blob, %s of it.\n\n",
		d.Clean.Len(), d.Target.Len(), d.Outliers(), gamma)
	t := table{head: []string{"", "distance", ""}, left: []bool{true, false, false}}
	for _, row := range []struct {
		name string
		r    *ot.Result
	}{{"(a) clean, plain transport", d.Plain}, {"(b) " + gamma + " outliers, plain transport", d.Spoiled}, {"(c) " + gamma + " outliers, robust transport", d.Robust}} {
		off := ""
		if row.r != d.Plain {
			off = fmt.Sprintf("%+.1f %%", 100*(row.r.Value/d.Plain.Value-1))
		}
		t.add(row.name, fmt.Sprintf("%.4f", row.r.Value), off)
	}
	t.writeTo(&b)
	fmt.Fprintf(&b, `
Robust transport has room to set %s of the source aside (ρ = %s). It takes most of
their weight from %d of the %d outliers, and from %s of the good points. When nobody
knows how many outliers there are, the elbow of the curve V(ρ) is a guess: ρ = %s,
room for %s.

`, gamma, digits(d.Ball.Rho, 4), found, d.Outliers(), none(others),
		digits(d.Curve.Elbow, 4), percent(chisq.Ball{Rho: d.Curve.Elbow}.Gamma()))
	d.gans.report(&b)
	b.WriteString("\nWrote\n")
	width := 0
	for _, f := range files {
		width = max(width, utf8.RuneCountInString(f))
	}
	for k, f := range files {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, f, demoFiles[k].what)
	}
	fmt.Fprintf(&b, `
Try next (go install ./cmd/rot puts rot on your path)
  rot dist %[1]s %[2]s --label-column outlier --gamma 0.05
  rot dist %[1]s %[2]s --label-column outlier --gamma 0.05 --weights weights.csv --plan plan.csv
  rot curve %[1]s %[2]s --label-column outlier --outliers labels --rhos 0,0.01,0.02,0.03,0.04,0.06,0.08,0.1
  rot gan train --data %[3]s --outliers %[4]s --gamma %[5]v
  rot gan train --data %[3]s --outliers %[4]s --rho 0
`, shellWord(files[3]), shellWord(files[4]), demoGANData, demoGANOutliers, demoGANGamma)
	return b.String()
}
