package experiments

import (
	"slices"

	"rot.example/rot/da"
)

// An AdaptTask is a task of table 2 at one seed: what its methods are compared
// on.
type AdaptTask struct {
	Set, From, To string
	Form          string // clean, contaminated or open set
	Seed          int
	Config        da.Config // with the data of the task, and what all methods share
}

// AdaptTasks returns the tasks of a part of table 2, at every seed of o. A
// *NoFileError says that the data of the part are not there.
func AdaptTasks(o *Options, part string) ([]AdaptTask, error) {
	pairs, st, err := pairsOf(o, part)
	if err != nil {
		return nil, err
	}
	if st.missing != nil {
		return nil, st.missing
	}
	var tasks []AdaptTask
	for _, p := range pairs {
		for seed := range o.Seeds {
			tasks = append(tasks, AdaptTask{Set: p.set, From: p.from, To: p.to, Form: p.form, Seed: seed, Config: p.at(seed)})
		}
	}
	slices.SortStableFunc(tasks, func(a, b AdaptTask) int { return a.Seed - b.Seed })
	return tasks, nil
}

// at returns the configuration of the pair at a seed.
func (p *pair) at(seed int) da.Config {
	c := p.config
	c.Seed = uint64(seed)
	if p.open != nil {
		c.Source = p.open(seed)
	}
	return c
}
