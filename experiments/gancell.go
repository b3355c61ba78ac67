package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/figure"
	"rot.example/rot/gan"
	"rot.example/rot/internal/openfile"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

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

	origin
}

// train makes it a study that trains every model on every setting at every seed
// and has their samples judged, unless judge is nil. Show gets the cells that
// there are.
func (st *study) train(o *Options, settings []setting, models []model, judge *judgeMaker, show func(s *section, cells []generated)) error {
	if judge != nil {
		judge.like = settings[0]
	}
	st.seeds = o.Seeds
	for _, s := range settings {
		for _, m := range models {
			c, ok := m.configOn(&s)
			if !ok {
				continue
			}
			for seed := range o.Seeds {
				c.Seed = uint64(seed)
				j, err := ganJob(o, s, m.name, c, judge)
				if err != nil {
					return err
				}
				st.batches = append(st.batches, batch{jobs: []*job{j}})
			}
		}
	}
	st.show = func(_ context.Context, f *finder) (*section, error) {
		cells, err := found[generated](f, st.batches, func(c *generated, o origin) string {
			c.origin = o
			return c.Setting + ", " + c.Model
		})
		if err != nil {
			return nil, err
		}
		s := &section{Numbers: cells}
		show(s, cells)
		s.close(origins(cells))
		return s, nil
	}
	return nil
}

// algorithmOf returns the family of cells that a configuration belongs to.
func algorithmOf(c *gan.Config) algorithm {
	switch {
	case c.Weights != gan.WeightTransport:
		return ganAlgorithm
	case !c.RhoAuto && c.Rho == 0:
		return ganAlgorithm
	case c.Preset == "mlp": // that is for points
		return transportAlgorithm
	case c.Features != "":
		return networkAlgorithm
	case c.RhoAuto:
		return autoAlgorithm
	}
	return givenAlgorithm
}

// ganJob returns the job of training one GAN.
func ganJob(o *Options, s setting, model string, c gan.Config, judge *judgeMaker) (*job, error) {
	name := fmt.Sprintf("%s, %s, seed %d", s.name, model, c.Seed)
	k, err := ganKey(o, name, &s, c)
	if err != nil {
		return nil, err
	}
	j := &job{key: k, now: expectation{algorithm: algorithmOf(&c)}, files: []string{s.config.Data}, judge: judge}
	if s.gamma > 0 {
		j.files = append(j.files, s.outliers)
	}
	if c.Features != "" {
		j.files = append(j.files, c.Features)
	}
	if c.DType != bf16 {
		// It may have been run on a GPU.
		onGPU := c
		onGPU.DType = bf16
		k, err := ganKey(o, name, &s, onGPU)
		if err != nil {
			return nil, err
		}
		j.also = []cellKey{k}
	}
	label := func(cell *generated) {
		cell.Setting, cell.Model, cell.Gamma, cell.Rho, cell.Seed = s.name, model, s.gamma, c.Rho, int(c.Seed)
	}
	j.run = func(ctx context.Context, l *lab) (any, string, error) {
		cell, err := trainSetting(ctx, l, k.hash, c, s, judge)
		label(&cell)
		return cell, cell.summary(), err
	}
	j.adopt = func(l *lab, stored storedCell) (any, string, bool, error) {
		var cell generated
		if json.Unmarshal(stored.Result, &cell) != nil {
			return nil, "", false, nil
		}
		for _, picture := range []*string{&cell.Picture, &cell.Sorted} {
			there, err := copyPicture(l.dir, stored.dir, *picture)
			switch {
			case err != nil:
				return nil, "", false, err
			case !there && c.Seed == 0: // whose pictures are shown
				return nil, "", false, nil
			case !there:
				*picture = ""
			}
		}
		label(&cell)
		return cell, cell.summary(), true, nil
	}
	return j, nil
}

// ganKey returns the key of a configuration on a setting.
func ganKey(o *Options, name string, s *setting, c gan.Config) (cellKey, error) {
	// Where the data are does not determine a cell, only what they are.
	c.Data, c.Outliers = s.name, ""
	if c.Features != "" {
		c.Features = filepath.Base(c.Features)
	}
	determined := []any{c, s.gamma}
	if o.Features != "" {
		hash, err := weightsHash(o.Features)
		if err != nil {
			return cellKey{}, err
		}
		determined = append(determined, hash)
	}
	return newKey(name, determined)
}

// summary returns the line about the cell that is shown when it is done.
func (c *generated) summary() string {
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

// copyPicture copies a picture of another experiment's cell from one folder to
// another. A cell that was stopped has none; false means that it is lost.
func copyPicture(to, from, name string) (bool, error) {
	if name == "" {
		return true, nil
	}
	data, err := openfile.Read(filepath.Join(from, name), 1<<30)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, writeText(filepath.Join(to, name), data)
}

// trainSetting loads the data of a cell and trains on them.
func trainSetting(ctx context.Context, l *lab, hash string, c gan.Config, s setting, maker *judgeMaker) (cell generated, err error) {
	data, err := s.load(&c)
	if err != nil {
		return cell, err
	}
	c.Backend = l.Backend.Kind
	var j *judge
	if maker != nil {
		if j, err = maker.get(ctx, l); err != nil {
			return cell, err
		}
	}
	return trainGAN(ctx, l, hash, c, data, j)
}

// shownSamples are those in the picture of a cell.
const shownSamples = 64

// trainGAN trains to the end, or goes on with a run that was killed, and judges
// what came out.
func trainGAN(ctx context.Context, l *lab, hash string, c gan.Config, data *train.Data, j *judge) (cell generated, err error) {
	begun := l.turn.wait(l.Backend.Kind)
	defer begun()
	t, err := gan.New(c, data, l.Backend)
	if err != nil {
		return cell, err
	}
	// A GAN takes minutes: its run stays until the cell is done, so that it can
	// be resumed.
	folder := filepath.Join(l.dir, "run-"+hash)
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
		if err := describe(ctx, l, hash, t, data, j, &cell); err != nil {
			return cell, err
		}
	}
	return cell, os.RemoveAll(folder)
}

// describe fills a cell with what the judge says of the samples, if there is a
// judge, and with the weights of a trained GAN.
func describe(ctx context.Context, l *lab, hash string, t *gan.Trainer, data *train.Data, j *judge, cell *generated) error {
	c := t.Config()
	if j != nil {
		if err := scoreSamples(ctx, l, hash, t, j, cell); err != nil {
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
	return drawSorted(l.dir, w, data, data.Outlier, "sorted-"+hash+".png", &cell.weighing)
}

// scoreSamples judges the samples of a trained GAN and draws some of them.
func scoreSamples(ctx context.Context, l *lab, hash string, t *gan.Trainer, j *judge, cell *generated) error {
	n := judgeRows
	if l.Quick {
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
	cell.Picture = "samples-" + hash + ".png"
	return figure.Save(filepath.Join(l.dir, cell.Picture), imageGrid(samples.Images, shownSamples), nil)
}

// imageGrid returns a picture of the first n images.
func imageGrid(im *dataset.Images, n int) *figure.ImageGrid {
	f := &figure.ImageGrid{H: im.H, W: im.W, C: im.C, Cols: 16}
	size := im.H * im.W * im.C
	for i := range min(n, im.Len()) {
		f.Images = append(f.Images, im.Pix[i*size:(i+1)*size])
	}
	return f
}

// losses returns the critic's and the generator's, as the run logged them.
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
