package experiments

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rot.example/rot/da"
	"rot.example/rot/runs"
)

// The forms of a domain-adaptation task.
const (
	clean        = "clean"
	contaminated = "contaminated" // 15 % of the target are foreign images, or noise
	openSet      = "open set"     // two classes of the target are not in the source
)

// A pair is a task of domain adaptation: from one domain to another.
type pair struct {
	set, from, to string
	form          string
	config        da.Config // what all columns share
	open          func(seed int) (source string)
	weights       string // that the network starts from, by their hash
}

// A column is a way to solve it.
type column struct {
	name   string
	change func(c *da.Config)
	near   int // the vote of so many nearest neighbours instead of training
}

// columns returns those of the paper's tables.
func columns() []column {
	method := func(method string, entropy float64) func(c *da.Config) {
		return func(c *da.Config) { c.Method, c.Entropy = method, entropy }
	}
	return []column{
		{name: "source", change: method(da.SourceOnly, 0)},
		{name: "adversarial", change: method(da.Adversarial, 0)},
		{name: "robust", change: method(da.Robust, 0)},
		{name: "adversarial + entropy", change: method(da.Adversarial, 0.25)},
		{name: "robust + entropy", change: method(da.Robust, 0.25)},
	}
}

// selfTrained is the robust method as feature vectors have it by default.
func selfTrained(c *da.Config) {
	usual, err := da.Preset(c.Net)
	if err != nil {
		panic(err) // its own name
	}
	c.SelfTrain, c.Align = usual.SelfTrain, usual.Align
	c.SelfFrom = c.WarmUp + c.BankEvery
}

// An adapted cell is one training run.
type adapted struct {
	From     string  `json:"from"`
	To       string  `json:"to"`
	Form     string  `json:"form"`
	Column   string  `json:"column"`
	Seed     int     `json:"seed"`
	Accuracy float64 `json:"accuracy"` // of the model picked without target labels
	Oracle   float64 `json:"oracle"`
	Picked   int     `json:"picked"`
	AUROC    float64 `json:"auroc"` // of the weights; −1 where there is nothing to find or no weights
	Rate     float64 `json:"rate"`  // source samples a second
	Seconds  float64 `json:"seconds"`

	origin
}

// adapt makes it a study of every column of every pair at every seed.
func (st *study) adapt(o *Options, pairs []pair, cols []column) error {
	for _, p := range pairs {
		for seed := range o.Seeds {
			b, err := adaptBatch(p, seed, cols)
			if err != nil {
				return err
			}
			st.batches = append(st.batches, b)
		}
	}
	st.show = func(_ context.Context, f *finder) (*section, error) {
		cells, err := found[adapted](f, st.batches, func(a *adapted, o origin) string {
			a.origin = o
			return fmt.Sprintf("%s, %s: %s", a.pair(), a.Form, a.Column)
		})
		if err != nil {
			return nil, err
		}
		s := &section{Numbers: cells, Markdown: adaptTables(cells, cols)}
		s.close(origins(cells))
		return s, nil
	}
	return nil
}

// A domainLoader loads the data of a batch when they are first needed.
type domainLoader struct {
	data   *da.Domains
	loaded da.Config // with what the data decide
}

// load returns the data, and c with what they decide.
func (d *domainLoader) load(c da.Config) (*da.Domains, da.Config, error) {
	if d.data == nil {
		d.loaded = c
		data, _, err := da.Load(&d.loaded)
		if err != nil {
			return nil, c, err
		}
		d.data = data
	}
	c.DataHash, c.Classes, c.Size, c.Channels = d.loaded.DataHash, d.loaded.Classes, d.loaded.Size, d.loaded.Channels
	return d.data, c, nil
}

// adaptBatch returns the jobs of a pair at one seed: the columns, which share
// their data.
func adaptBatch(p pair, seed int, cols []column) (batch, error) {
	base := p.at(seed)
	var loader domainLoader
	b := batch{free: func() { loader = domainLoader{} }}
	for _, col := range cols {
		c := base
		if col.change != nil {
			col.change(&c)
		}
		k, err := newKey(fmt.Sprintf("%s %s→%s, %s, seed %d: %s", p.set, p.from, p.to, p.form, seed, col.name), []any{p.named(c), col.near})
		if err != nil {
			return b, err
		}
		b.jobs = append(b.jobs, &job{
			key: k, now: expectation{algorithm: adaptAlgorithm}, files: p.files(),
			run: func(ctx context.Context, l *lab) (any, string, error) {
				data, c, err := loader.load(c)
				if err != nil {
					return nil, "", err
				}
				a, err := adaptCell(ctx, l, k.id(), c, col, data)
				if err != nil {
					return nil, "", err
				}
				a.From, a.To, a.Form, a.Column, a.Seed = p.from, p.to, p.form, col.name, seed
				line := fmt.Sprintf("%.1f %%", 100*a.Accuracy)
				if a.AUROC >= 0 {
					line += fmt.Sprintf(", AUROC %.3f", a.AUROC)
				}
				return a, line, nil
			},
		})
	}
	return b, nil
}

// named returns a configuration on the pair with the names of its data in place
// of where they are, which does not determine a cell.
func (p *pair) named(c da.Config) da.Config {
	c.Source, c.Target, c.Outliers, c.Pretrained = p.from, p.to, p.form, p.weights
	return c
}

// files returns the specifications of the pair's data.
func (p *pair) files() []string {
	files := []string{p.config.Source, p.config.Target}
	if p.config.Outliers != "" {
		files = append(files, p.config.Outliers)
	}
	return files
}

// adaptCell gets one cell: by training, or by the nearest neighbours.
func adaptCell(ctx context.Context, l *lab, id string, c da.Config, col column, data *da.Domains) (adapted, error) {
	if col.near > 0 {
		a := da.Nearest(data, col.near)
		return adapted{Accuracy: a, Oracle: a, AUROC: -1}, nil
	}
	t, rate, err := trainDA(ctx, l, id, c, data)
	if err != nil {
		return adapted{}, err
	}
	res := t.Result()
	a := adapted{Accuracy: res.Accuracy, Oracle: res.Oracle, Picked: res.SelectedAt, Rate: rate, Seconds: t.Seconds(), AUROC: -1}
	if foreign := data.Foreign(); foreign != nil && c.Method == da.Robust && (c.Rho > 0 || c.RhoAuto) {
		w, err := t.Weights()
		if err != nil {
			return adapted{}, err
		}
		weights, err := weigh(w, foreign)
		if err != nil {
			return adapted{}, err
		}
		a.AUROC = weights.AUROC
	}
	return a, nil
}

// trainDA trains to the end and returns the trainer and the source samples a
// second.
func trainDA(ctx context.Context, l *lab, id string, c da.Config, data *da.Domains) (t *da.Trainer, rate float64, err error) {
	c.Backend = l.Backend.Kind
	begun := l.turn.wait(l.Backend.Kind)
	defer begun()
	if t, err = da.New(c, data, l.Backend); err != nil {
		return nil, 0, err
	}
	// The run's folder is there for the trainer; the cell is what stays. A
	// process that was killed may have left one.
	scratch := filepath.Join(l.dir, "cell-"+id)
	if err := os.RemoveAll(scratch); err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(scratch)
	run, err := runs.Create(scratch, "run", "da", c)
	if err != nil {
		return nil, 0, err
	}
	err = t.Run(ctx, run, &da.RunOptions{Hooks: da.Hooks{Step: func(r da.Record) {
		begun()
		rate = r.ImagesPerSecond
	}}})
	return t, rate, err
}

// adaptStudy returns the study of columns on the pairs of a part that have one of
// the forms.
func adaptStudy(o *Options, part string, cols []column, forms ...string) (*study, error) {
	pairs, st, err := pairsOf(o, part)
	if err != nil || st.missing != nil {
		return st, err
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return !slices.Contains(forms, p.form) })
	return st, st.adapt(o, pairs, cols)
}
