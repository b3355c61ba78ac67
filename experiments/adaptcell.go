package experiments

import (
	"context"
	"fmt"
	"os"
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
	near   int // the nearest neighbours' vote instead of training
}

// columns are those of the paper's tables.
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
}

// adapt runs every column of every pair at every seed.
func (g *grid) adapt(ctx context.Context, pairs []pair, cols []column) ([]adapted, error) {
	out := make([]adapted, len(pairs)*g.Seeds*len(cols))
	var jobs []func(context.Context) error
	for i, p := range pairs {
		for seed := range g.Seeds {
			cells := out[(i*g.Seeds+seed)*len(cols):][:len(cols)]
			jobs = append(jobs, func(ctx context.Context) error { return g.adaptOne(ctx, p, seed, cols, cells) })
		}
	}
	g.expect(len(out))
	err := g.each(ctx, jobs)
	out = slices.DeleteFunc(out, func(a adapted) bool { return a.Column == "" })
	if err == nil && len(out) == 0 {
		err = errLacking
	}
	return out, err
}

// adaptOne runs the columns of a pair at one seed, which share their data. Cells
// that are lacking when nothing is run have no column.
func (g *grid) adaptOne(ctx context.Context, p pair, seed int, cols []column, cells []adapted) error {
	base := p.config
	base.Seed = uint64(seed)
	if p.open != nil {
		base.Source = p.open(seed)
	}
	var data *da.Domains
	var loaded da.Config // with what the data decide
	for i, col := range cols {
		c := base
		if col.change != nil {
			col.change(&c)
		}
		name := fmt.Sprintf("%s %s→%s, %s, seed %d: %s", p.set, p.from, p.to, p.form, seed, col.name)
		// Where the data are does not determine a cell, only what they are.
		named := c
		named.Source, named.Target, named.Outliers, named.Pretrained = p.from, p.to, p.form, p.weights
		k, err := key(name, []any{named, col.near})
		if err != nil {
			return err
		}
		if g.find(k, &cells[i]) {
			g.expect(-1)
			continue
		}
		if g.Show {
			g.lack()
			continue
		}
		if data == nil {
			loaded = c
			if data, _, err = da.Load(&loaded); err != nil {
				return err
			}
		}
		c.DataHash, c.Classes, c.Size, c.Channels = loaded.DataHash, loaded.Classes, loaded.Size, loaded.Channels
		if cells[i], err = g.adaptCell(ctx, c, col, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		cells[i].From, cells[i].To, cells[i].Form, cells[i].Column, cells[i].Seed = p.from, p.to, p.form, col.name, seed
		said := fmt.Sprintf("%s: %.1f %%", name, 100*cells[i].Accuracy)
		if cells[i].AUROC >= 0 {
			said += fmt.Sprintf(", AUROC %.3f", cells[i].AUROC)
		}
		if err := g.keep(k, g.device(), said, cells[i]); err != nil {
			return err
		}
	}
	return nil
}

func (g *grid) adaptCell(ctx context.Context, c da.Config, col column, data *da.Domains) (adapted, error) {
	if col.near > 0 {
		a := da.Nearest(data, col.near)
		return adapted{Accuracy: a, Oracle: a, AUROC: -1}, nil
	}
	t, rate, err := g.trainDA(ctx, c, data)
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
		told, err := weigh(w, foreign)
		if err != nil {
			return adapted{}, err
		}
		a.AUROC = told.AUROC
	}
	return a, nil
}

// trainDA trains to the end and returns the trainer and the source samples a
// second.
func (g *grid) trainDA(ctx context.Context, c da.Config, data *da.Domains) (t *da.Trainer, rate float64, err error) {
	c.Backend = g.Backend.Kind
	begun := g.alone()
	defer begun()
	if t, err = da.New(c, data, g.Backend); err != nil {
		return nil, 0, err
	}
	// The run's folder is there for the trainer; the cell is what stays.
	scratch, err := os.MkdirTemp(g.dir, "cell-")
	if err != nil {
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

// adaptSection runs columns on the pairs of a part that have one of the forms.
func (g *grid) adaptSection(ctx context.Context, part string, cols []column, forms ...string) (*section, error) {
	pairs, s, err := g.pairs(part)
	if err != nil || len(pairs) == 0 {
		return s, err
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return !slices.Contains(forms, p.form) })
	cells, err := g.adapt(ctx, pairs, cols)
	if err != nil {
		return nil, err
	}
	s.Numbers = cells
	s.Markdown = adaptTables(cells, cols)
	return s, nil
}
