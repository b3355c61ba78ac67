package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rot.example/rot/engine"
	"rot.example/rot/features"
)

// An Experiment is a table or figure that anyone can rerun.
type Experiment struct {
	Name  string
	Title string // what it shows, and on which data
	Paper string // where the paper has it
	Parts []string

	once   bool // nothing in it is random
	scored bool // it scores generated images

	study func(o *Options, part string) (*study, error) // what it does for a part
}

// Options say where an experiment finds its data and leaves its results.
type Options struct {
	Data   string // folder of data sets: see docs/experiments.md
	VisDA  string // folder of VisDA-17; "" leaves its part out
	CelebA string // folder of CelebA; "" leaves its part out

	Pretrained string // weights that the network of VisDA's part starts from
	Features   string // network that images are scored with, too, such as Inception-v3

	Out     string // folder for results
	Parts   []string
	Only    string // only runs whose name has this in it; "" for all
	Seeds   int    // of every cell, from 0; 0 means 3
	Workers int    // cells at a time; 0 means 1
	Quick   bool
	Show    bool // run nothing: write the pages of what has been run
	Backend *engine.Backend

	// Several processes share an experiment, on one machine or on several that
	// have the folder Out in common, when each has the same PartOf and a Part of
	// its own: it does the cells whose number is Part modulo PartOf, and those
	// of a process that was killed. It writes no pages; Show does, of all cells.
	Part, PartOf int           // PartOf 0 or 1: all of it
	Lease        time.Duration // a process that is silent for so long counts as killed; 0 means a minute

	// Done is called after every cell, with the number of those done so far
	// and of all that are known of; it may be nil. Calls do not overlap.
	Done func(line string, done, total int)

	// Warn gets what goes wrong without stopping anything: a DamagedError, or an
	// OldCellsError. It may be nil.
	Warn func(error)

	host string // in place of this machine's name, for tests
}

// A Result has the numbers and tables of an experiment, which Run also writes to
// files.
type Result struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Paper    string     `json:"paper"`
	Backend  string     `json:"backend"`
	Device   string     `json:"device"`
	Ran      []string   `json:"ran_on"` // by which machines the numbers were made, also earlier ones
	Seeds    int        `json:"seeds"`
	Quick    bool       `json:"quick"`
	Part     string     `json:"part,omitempty"` // of a process that did a part of the cells, such as "2/4"; there are no sections then
	Done     int        `json:"done"`           // cells that were run now
	Sections []*section `json:"sections"`
	Markdown string     `json:"-"`
}

// ScoresImages reports whether the experiment scores images, so that it can use
// Options.Features.
func (e *Experiment) ScoresImages() bool { return e.scored }

// All returns the experiments, in the order of the paper.
func All() []Experiment {
	return []Experiment{fig1, fig2, fig3, fig4, table1, table2, sensitivity, elbow, modedrop, uot, weightsDA, scores, ballVsPenalty, radius, near, long}
}

// Find returns the experiment of that name. The error is an UnknownError.
func Find(name string) (*Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return &e, nil
		}
		names = append(names, e.Name)
	}
	return nil, &UnknownError{Name: name, Choices: names}
}

// Run runs an experiment, or goes on with it where it was stopped, and writes
// cells.jsonl, results.json, results.md and results.html into its folder,
// opts.Out/NAME. The error wraps ErrNothing where there is nothing to run or to
// show, and is a BusyError where another process does the same.
func (e *Experiment) Run(ctx context.Context, opts Options) (*Result, error) {
	parts, err := e.prepare(&opts)
	if err != nil {
		return nil, err
	}
	l := &lab{Options: &opts, name: e.Name, dir: filepath.Join(opts.Out, e.Name), hashes: newFileHashes(&opts)}
	var studies []*study
	for _, p := range parts {
		st, err := e.study(&opts, p)
		if err != nil {
			return nil, err
		}
		studies = append(studies, st)
	}
	res := &Result{
		Name: e.Name, Title: e.Title, Paper: e.Paper, Seeds: opts.Seeds, Quick: opts.Quick,
		Backend: opts.Backend.Kind, Device: opts.Backend.Device, Ran: []string{l.device()},
	}
	if why := nothingToRun(&opts, studies); why != nil {
		return res, fmt.Errorf("experiments: %s: %w: %w", e.Name, ErrNothing, why)
	}
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return nil, err
	}
	b, err := openBench(l)
	if err != nil {
		return nil, err
	}
	defer b.close()
	if opts.parts() > 1 {
		res.Part = fmt.Sprintf("%d/%d", opts.Part, opts.PartOf)
		for _, st := range studies {
			if err := b.schedule(ctx, st); err != nil {
				return nil, err
			}
		}
		res.Done = b.sched.done
		return res, nil
	}
	if err := b.sections(ctx, res, parts, studies); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(res.Sections, func(s *section) bool { return s.Markdown != "" }) {
		b.store.removeEmpty()
		return res, fmt.Errorf("experiments: %s: %w: %w", e.Name, ErrNothing, errNotRunYet)
	}
	return res, res.write(l.dir)
}

// prepare checks the options, fills in what they leave out, and returns the
// parts to run.
func (e *Experiment) prepare(o *Options) ([]string, error) {
	if o.Seeds == 0 {
		o.Seeds = 3
	}
	if e.once {
		o.Seeds = 1
	}
	if o.Part < 0 || o.Part > o.parts() {
		return nil, fmt.Errorf("experiments: there is no part %d of %d", o.Part, o.parts())
	}
	// Specifications of data begin with these names.
	for _, dir := range []*string{&o.Data, &o.VisDA, &o.CelebA} {
		if *dir != "" && filepath.Clean(*dir) == "." {
			abs, err := filepath.Abs(*dir)
			if err != nil {
				return nil, err
			}
			*dir = abs
		}
	}
	parts, err := e.parts(o)
	if err != nil || o.Features == "" {
		return parts, err
	}
	if !e.scored {
		return nil, fmt.Errorf("experiments: %s: %w with %s", e.Name, ErrNoImages, o.Features)
	}
	_, err = features.Open(o.Backend, o.Features)
	return parts, err
}

var (
	errNotRunYet = errors.New("none of its runs has been done yet")
	errNoRuns    = errors.New("it has no runs to split, and is worked out when it is shown")
	errNoNames   = errors.New("it has no runs to choose from, and is worked out as a whole")
)

// nothingToRun returns why none of the studies can be run; nil where one can.
func nothingToRun(o *Options, studies []*study) (why error) {
	for _, st := range studies {
		switch {
		case st.missing == nil && o.Only != "" && len(st.batches) == 0:
			why = errNoNames
		case st.missing == nil && len(st.batches) > 0 && len(o.asked(st.batches)) == 0:
			why = fmt.Errorf("no run has %q in its name, as in %q", o.Only, st.batches[0].jobs[0].key.name)
		case st.missing == nil && (o.parts() == 1 || len(st.batches) > 0):
			return nil
		case st.missing == nil:
			why = errNoRuns
		case why == nil:
			why = st.missing
		}
	}
	return why
}

// parts returns those that are to be run: without any chosen all whose data are
// not left to a folder that is not given.
func (e *Experiment) parts(o *Options) ([]string, error) {
	parts := o.Parts
	if len(parts) == 0 {
		parts = slices.DeleteFunc(slices.Clone(e.Parts), func(p string) bool {
			s, ok := givenSets[p]
			return ok && s.missing(o) != nil
		})
	}
	for _, p := range parts {
		if !slices.Contains(e.Parts, p) {
			return nil, &UnknownError{Experiment: e.Name, Name: p, Choices: e.Parts}
		}
	}
	return parts, o.Check()
}

// at returns the path of a data file.
func (o *Options) at(file string) string { return filepath.Join(o.Data, file) }

// missing returns a NoFileError for the first of the data files that is not
// there. What is only shown needs none.
func (o *Options) missing(files ...string) error {
	if o.Show {
		return nil
	}
	for _, f := range files {
		_, err := os.Stat(o.at(f))
		if errors.Is(err, os.ErrNotExist) {
			return &NoFileError{o.at(f)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
