package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/chisq"
	"rot.example/rot/dataset"
	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A setting is data for a GAN: what is learned from, and what is mixed in.
type setting struct {
	name     string
	config   gan.Config // what all columns share
	gamma    float64    // of outliers
	outliers string     // what they are, without the fraction
	labels   bool
}

// A model is a column: a way to train on a setting.
type model struct {
	name    string
	change  func(c *gan.Config)
	matched bool // the radius is what the outliers of the setting need
}

// on is the model's configuration on a setting; false where it has none,
// because there are no outliers to match.
func (m *model) on(s *setting) (gan.Config, bool) {
	c := s.config
	m.change(&c)
	if m.matched {
		ball, err := chisq.FromGamma(s.gamma)
		if err != nil || ball.Rho == 0 {
			return c, false
		}
		c.Rho = ball.Rho
	}
	return c, true
}

// A generated cell is one trained GAN.
type generated struct {
	Setting string   `json:"setting"`
	Model   string   `json:"model"`
	Gamma   float64  `json:"gamma"`
	Rho     float64  `json:"rho"`
	Radius  *float64 `json:"radius,omitempty"` // at the end, where the run chooses it; nil where not
	Seed    int      `json:"seed"`
	verdict
	weighing
	Losses  []figure.Series `json:"losses,omitempty"`
	Picture string          `json:"picture"` // of samples
	Stopped string          `json:"stopped,omitempty"`
	Rate    float64         `json:"rate"`
	Seconds float64         `json:"seconds"`
}

// generate trains every model on every setting at every seed, and has them
// judged, unless judge is nil.
func (g *grid) generate(ctx context.Context, settings []setting, models []model, judge judgeMaker) ([]generated, error) {
	out := make([]generated, 0, len(settings)*len(models)*g.Seeds)
	var jobs []func(context.Context) error
	for _, s := range settings {
		for _, m := range models {
			c, ok := m.on(&s)
			if !ok {
				continue
			}
			for seed := range g.Seeds {
				out = append(out, generated{})
				cell := &out[len(out)-1]
				jobs = append(jobs, func(ctx context.Context) (err error) {
					*cell, err = g.generateOne(ctx, s, m.name, c, seed, judge)
					return err
				})
			}
		}
	}
	g.expect(len(out))
	err := g.each(ctx, jobs)
	out = slices.DeleteFunc(out, func(c generated) bool { return c.Model == "" })
	if err == nil && len(out) == 0 {
		err = errLacking
	}
	return out, err
}

// generateOne finds or trains a cell. One that is lacking when nothing is run
// has no model.
func (g *grid) generateOne(ctx context.Context, s setting, model string, c gan.Config, seed int, judge judgeMaker) (generated, error) {
	c.Seed = uint64(seed)
	name := fmt.Sprintf("%s, %s, seed %d", s.name, model, seed)
	k, err := g.ganKey(name, &s, c)
	if err != nil {
		return generated{}, err
	}
	var cell generated
	if g.find(k, &cell) {
		g.expect(-1)
		return cell, nil
	}
	if g.Show && c.DType != bf16 {
		// It may have been run on a GPU.
		c.DType = bf16
		return g.generateOne(ctx, s, model, c, seed, judge)
	}
	dir, device, ok := g.borrow(k, &cell)
	if ok {
		for _, picture := range []string{cell.Picture, cell.Sorted} {
			there, err := g.copyPicture(dir, picture)
			if err != nil {
				return generated{}, err
			}
			ok = ok && there
		}
	}
	if !ok && g.Show {
		g.lack()
		return generated{}, nil
	}
	if !ok {
		if cell, err = g.train(ctx, k, c, s, judge); err != nil {
			return generated{}, fmt.Errorf("%s: %w", name, err)
		}
		device = g.device()
	}
	cell.Setting, cell.Model, cell.Gamma, cell.Rho, cell.Seed = s.name, model, s.gamma, c.Rho, seed
	return cell, g.keep(k, device, name+": "+cell.said(), cell)
}

// ganKey names the cell of a configuration on a setting.
func (g *grid) ganKey(name string, s *setting, c gan.Config) (string, error) {
	// Where the data are does not determine a cell, only what they are.
	c.Data, c.Outliers = s.name, ""
	determined := []any{c, s.gamma}
	if g.Features != "" {
		hash, err := fileHash(g.Features)
		if err != nil {
			return "", err
		}
		determined = append(determined, hash)
	}
	return key(name, determined)
}

// said is what a person who waits is told of the cell.
func (c *generated) said() string {
	if c.Stopped != "" {
		return c.Stopped
	}
	var parts []string
	if c.Radius != nil {
		parts = append(parts, fmt.Sprintf("ρ = %.3g", *c.Radius))
	}
	if c.Judge != "" {
		parts = append(parts, fmt.Sprintf("distance %.2f", c.Distance))
	}
	if c.Outliers >= 0 {
		parts = append(parts, fmt.Sprintf("%.2f %% outliers", 100*c.Outliers))
	}
	if c.AUROC >= 0 {
		parts = append(parts, fmt.Sprintf("AUROC %.4f", c.AUROC))
	}
	return strings.Join(parts, ", ")
}

// copyPicture takes a picture of a borrowed cell over. One that was stopped has
// none; false means that it is lost.
func (g *grid) copyPicture(dir, name string) (bool, error) {
	if name == "" {
		return true, nil
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, write(filepath.Join(g.dir, name), data)
}

// train loads the data of a cell and trains on them.
func (g *grid) train(ctx context.Context, key string, c gan.Config, s setting, judged judgeMaker) (cell generated, err error) {
	if s.gamma > 0 {
		c.Outliers = fmt.Sprintf("%s@%g", s.outliers, s.gamma)
	}
	c.Labels = s.labels
	data, _, err := gan.Load(&c)
	if err != nil {
		return cell, err
	}
	c.Backend = g.Backend.Kind
	var j *judge
	if judged != nil {
		if j, err = judged(data); err != nil {
			return cell, err
		}
	}
	return g.trainGAN(ctx, key, c, data, j)
}

// shownSamples are those in the picture of a cell.
const shownSamples = 64

func (g *grid) trainGAN(ctx context.Context, key string, c gan.Config, data *train.Data, j *judge) (cell generated, err error) {
	begun := g.alone()
	defer begun()
	t, err := gan.New(c, data, g.Backend)
	if err != nil {
		return cell, err
	}
	// A GAN takes minutes: its run stays until the cell is done, so that it can
	// be resumed.
	folder := filepath.Join(g.dir, "run-"+key[len(key)-16:])
	run, err := runs.Open(filepath.Join(folder, "run"))
	if errors.Is(err, os.ErrNotExist) {
		run, err = runs.Create(folder, "run", "gan", c)
	}
	if err != nil {
		return cell, err
	}
	var last gan.Record
	err = t.Run(ctx, run, &gan.RunOptions{Hooks: gan.Hooks{Step: func(r gan.Record) {
		begun()
		last = r
	}}})
	var stopped *train.StoppedError
	if errors.As(err, &stopped) {
		// An unstable loss is a result, too.
		cell.Stopped, err = fmt.Sprintf("stopped at step %d: %s", stopped.Step, stopped.Cause), nil
	}
	if err != nil {
		return cell, err
	}
	cell.Rate, cell.Seconds = last.ImagesPerSecond, t.Seconds()
	if cell.Losses, err = losses(run); err != nil {
		return cell, err
	}
	cell.AUROC, cell.Outliers = -1, -1
	if cell.Stopped == "" {
		if err := g.look(ctx, key, t, data, j, &cell); err != nil {
			return cell, err
		}
	}
	return cell, os.RemoveAll(folder)
}

// look judges the samples, if there is a judge, and the weights of a trained GAN.
func (g *grid) look(ctx context.Context, key string, t *gan.Trainer, data *train.Data, j *judge, cell *generated) error {
	c := t.Config()
	if j != nil {
		if err := g.score(ctx, key, t, j, cell); err != nil {
			return err
		}
	}
	if c.RhoAuto {
		rho := t.Rho()
		cell.Radius = &rho
	}
	w, err := t.Weights()
	if err != nil || c.Rho == 0 && !c.RhoAuto {
		return err
	}
	if cell.weighing, err = weigh(w, data.Outlier); err != nil {
		return err
	}
	if len(data.Shape) != 3 {
		return nil
	}
	return g.sortedBy(w, data, data.Outlier, "sorted-"+key[len(key)-16:]+".png", &cell.weighing)
}

// score judges the samples of a trained GAN and draws some of them.
func (g *grid) score(ctx context.Context, key string, t *gan.Trainer, j *judge, cell *generated) error {
	n := judgeRows
	if g.Quick {
		n = 500
	}
	seed := t.Config().Seed
	samples, err := t.Sample(n, seed+1)
	if err != nil {
		return err
	}
	if cell.verdict, err = j.score(ctx, samples.Images, seed); err != nil {
		return err
	}
	cell.Picture = "samples-" + key[len(key)-16:] + ".png"
	return figure.Save(filepath.Join(g.dir, cell.Picture), imageGrid(samples.Images, shownSamples), nil)
}

func imageGrid(im *dataset.Images, n int) *figure.ImageGrid {
	f := &figure.ImageGrid{H: im.H, W: im.W, C: im.C, Cols: 16}
	size := im.H * im.W * im.C
	for i := range min(n, im.Len()) {
		f.Images = append(f.Images, im.Pix[i*size:(i+1)*size])
	}
	return f
}

// losses are the critic's and the generator's, as the run logged them.
func losses(run *runs.Run) ([]figure.Series, error) {
	log, err := run.Metrics()
	if err != nil {
		return nil, err
	}
	critic, generator := figure.Series{Name: "critic"}, figure.Series{Name: "generator"}
	for i, l := range log {
		if i%max(1, len(log)/200) != 0 {
			continue
		}
		step, _ := l["step"].(float64)
		for s, name := range map[*figure.Series]string{&critic: "critic_loss", &generator: "generator_loss"} {
			if v, ok := l[name].(float64); ok {
				s.Step, s.Value = append(s.Step, int(step)), append(s.Value, v)
			}
		}
	}
	return []figure.Series{critic, generator}, nil
}
