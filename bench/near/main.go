// Near measures how well foreign images are found that look much like the others:
// it makes them of images of the same kind, or of printed letters, mixes them in,
// and prints Markdown for docs/experiments.md.
//
//	go run ./bench/near -good 'train-images-idx3-ubyte.gz[0:5000]' \
//		-held 'train-images-idx3-ubyte.gz[30000:35000]' -from 'train-images-idx3-ubyte.gz[50000:52000]'
//
// With -foreign other images are mixed in, and none are made; -from is not needed
// then. For each kind of foreign images there is what can be asked for, robust transport
// to clean images that were held back, in pixels and in the numbers of the built-in
// descriptor; what rot clean makes of the dirty images alone; and the weights of a
// GAN, after so many steps, with the share given and with an automatic radius.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/features"
	"rot.example/rot/gan"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
	"rot.example/rot/runs"
)

type options struct {
	good, held, from, kinds, foreign string
	share                            float64
	steps                            int
	seed                             uint64
}

func main() {
	var o options
	flag.StringVar(&o.good, "good", "", "the images that belong")
	flag.StringVar(&o.held, "held", "", "others of that kind, to compare with")
	flag.StringVar(&o.from, "from", "", "others of that kind, of which foreign ones are made")
	flag.StringVar(&o.kinds, "kinds", "", "these kinds only, as in thick,thin")
	flag.StringVar(&o.foreign, "foreign", "", "foreign images, in place of made ones")
	flag.Float64Var(&o.share, "share", 0.05, "share of foreign images")
	flag.IntVar(&o.steps, "steps", 5, "critic steps of the GAN")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of all that is random")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // what is half done is removed
	err := run(ctx, os.Stdout, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "near:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, o options) error {
	if o.good == "" || o.held == "" || (o.from == "") == (o.foreign == "") {
		return errors.New("-good, -held and one of -from and -foreign name images")
	}
	if !(o.share > 0 && o.share < 1) || o.steps < 1 {
		return errors.New("-share lies between 0 and 1, and there is a step at least")
	}
	b := &bench{options: o}
	var err error
	if b.good, err = dataset.LoadImages(o.good, nil); err != nil {
		return err
	}
	if b.held, err = dataset.LoadImages(o.held, nil); err != nil {
		return err
	}
	if b.good.H != b.held.H || b.good.W != b.held.W || b.good.C != b.held.C {
		return errors.New("the images of -good and -held differ in size or colour")
	}
	if b.backend, err = engine.Open("cpu", nil); err != nil {
		return err
	}
	if o.foreign != "" {
		images, err := dataset.LoadImages(o.foreign, nil)
		if err != nil {
			return err
		}
		return b.line(ctx, out, o.foreign, images)
	}
	return b.made(ctx, out)
}

// A bench mixes foreign images into good ones, and looks for them.
type bench struct {
	options
	good, held *dataset.Images
	backend    *engine.Backend
	begun      bool // the head of the table is written
}

const head = "| foreign | transport to clean, pixels | descriptor | rot clean | suspects, foreign ones | share given | ρ auto: radius, AUROC, weight |\n|---|---|---|---|---|---|---|\n"

// made writes a row for each kind of foreign images, which are made of others.
func (b *bench) made(ctx context.Context, out io.Writer) error {
	names := strings.FieldsFunc(b.kinds, func(r rune) bool { return r == ',' })
	for _, name := range names {
		if !slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name }) {
			return fmt.Errorf("no kind %q", name)
		}
	}
	from, err := dataset.LoadImages(b.from, nil)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if len(names) > 0 && !slices.Contains(names, k.name) {
			continue
		}
		images, err := k.images(from, b.seed)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if err := b.line(ctx, out, k.says, images); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return nil
}

// line writes the row of the table for foreign images.
func (b *bench) line(ctx context.Context, out io.Writer, name string, foreign *dataset.Images) error {
	dirty, err := dataset.MixImages(b.good, foreign, b.share, b.seed)
	if err != nil {
		return err
	}
	if !slices.Contains(dirty.Outlier, true) {
		return fmt.Errorf("%g of %d images is none", b.share, dirty.Len())
	}
	cells := []string{"", name}
	for _, view := range []func(context.Context, *dataset.Images) (*ot.Points, error){pixels, described} {
		x, err := view(ctx, dirty)
		if err != nil {
			return err
		}
		y, err := view(ctx, b.held)
		if err != nil {
			return err
		}
		w, err := ceiling(ctx, x, y, b.share)
		if err != nil {
			return err
		}
		f, err := judge(w, dirty.Outlier)
		if err != nil {
			return err
		}
		cells = append(cells, f.String())
	}
	alone, err := cleaned(ctx, dirty)
	if err != nil {
		return err
	}
	given, _, err := b.weights(ctx, dirty, false)
	if err != nil {
		return err
	}
	auto, rho, err := b.weights(ctx, dirty, true)
	if err != nil {
		return err
	}
	chosen := "0"
	if rho > 0 {
		chosen = fmt.Sprintf("%.4f, %s", rho, auto)
	}
	cells = append(append(cells, alone...), given.String(), chosen, "")
	if !b.begun {
		b.begun = true
		fmt.Fprint(out, head)
	}
	_, err = fmt.Fprintln(out, strings.TrimSpace(strings.Join(cells, " | ")))
	return err
}

// cleaned returns the AUROC of rot clean's scores, and how many suspects there are and
// how many of them are foreign.
func cleaned(ctx context.Context, dirty *dataset.Images) ([]string, error) {
	x, err := described(ctx, dirty)
	if err != nil {
		return nil, err
	}
	r, err := clean.Find(ctx, x, &clean.Options{Unscaled: true})
	if err != nil {
		return nil, err
	}
	auroc, err := metrics.AUROC(r.Score, dirty.Outlier)
	if err != nil {
		return nil, err
	}
	suspects, right := 0, 0
	for i, s := range r.Suspect {
		if s {
			suspects++
			if dirty.Outlier[i] {
				right++
			}
		}
	}
	return []string{fmt.Sprintf("%.3f", auroc), fmt.Sprintf("%d, %d", suspects, right)}, nil
}

// ceiling returns the weights of x by robust transport to clean y, with room for a
// share of x.
func ceiling(ctx context.Context, x, y *ot.Points, share float64) ([]float64, error) {
	ball, err := chisq.FromGamma(share)
	if err != nil {
		return nil, err
	}
	p, err := ot.NewProblem(x, y, ot.Euclidean)
	if err != nil {
		return nil, err
	}
	r, err := ot.Robust(ctx, p, &ot.RobustOptions{Source: ball})
	if err != nil {
		return nil, err
	}
	return r.SourceWeights(), nil
}

// A finding is how well weights tell foreign images: the AUROC, and the mean weight
// of these.
type finding struct{ auroc, weight float64 }

func (f finding) String() string { return fmt.Sprintf("%.3f, %.2f", f.auroc, f.weight) }

func judge(w []float64, foreign []bool) (f finding, err error) {
	odd := make([]float64, len(w))
	n := 0
	for i, v := range w {
		odd[i] = -v
		if foreign[i] {
			f.weight += v
			n++
		}
	}
	f.weight /= float64(n)
	f.auroc, err = metrics.AUROC(odd, foreign)
	return f, err
}

func pixels(_ context.Context, im *dataset.Images) (*ot.Points, error) {
	p := &ot.Points{Dim: im.H * im.W * im.C, Coords: make([]float64, len(im.Pix))}
	for i, v := range im.Pix {
		p.Coords[i] = float64(v) / 255
	}
	return p, nil
}

func described(ctx context.Context, im *dataset.Images) (*ot.Points, error) {
	return features.Vectors(ctx, features.Descriptor{}, im, nil)
}

// weights returns how well the weights of a GAN tell the foreign images, and its
// radius.
func (b *bench) weights(ctx context.Context, dirty *dataset.Images, auto bool) (f finding, rho float64, err error) {
	dir, err := os.MkdirTemp("", "near")
	if err != nil {
		return f, 0, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "dirty.png")
	w, err := os.Create(file)
	if err != nil {
		return f, 0, err
	}
	if err := errors.Join(dirty.WriteStack(w), w.Close()); err != nil {
		return f, 0, err
	}
	c := gan.Config{Data: "stack:" + file, RhoAuto: auto, Steps: b.steps, Seed: b.seed}
	if !auto {
		ball, err := chisq.FromGamma(b.share)
		if err != nil {
			return f, 0, err
		}
		c.Rho = ball.Rho
	}
	if err := c.Complete(); err != nil {
		return f, 0, err
	}
	data, _, err := gan.Load(&c)
	if err != nil {
		return f, 0, err
	}
	t, err := gan.New(c, data, b.backend)
	if err != nil {
		return f, 0, err
	}
	run, err := runs.Create(dir, "run", "gan", t.Config())
	if err != nil {
		return f, 0, err
	}
	if err := t.Run(ctx, run, nil); err != nil {
		return f, 0, err
	}
	weights, err := t.Weights()
	if err != nil {
		return f, 0, err
	}
	f, err = judge(weights, dirty.Outlier)
	return f, t.Rho(), err
}
