package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rot.example/rot/engine"
	"rot.example/rot/features"
	"rot.example/rot/figure"
	"rot.example/rot/report"
	"rot.example/rot/runs"
)

// An Experiment is a table or figure that anyone can rerun.
type Experiment struct {
	Name  string
	Title string // what it shows, and on which data
	Paper string // where the paper has it
	Parts []string

	once   bool // nothing in it is random
	scored bool // it scores generated images

	run func(ctx context.Context, g *grid, part string) (*section, error)
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
	Seeds   int // of every cell, from 0; 0 means 3
	Workers int // cells at a time; 0 means 1
	Quick   bool
	Show    bool // run nothing: write the pages of what has been run
	Backend *engine.Backend

	// Done is called after every cell, with the number of those done so far
	// and of all that are known of; it may be nil. Calls do not overlap.
	Done func(line string, done, total int)
}

// A section is one part of a result.
type section struct {
	Part     string   `json:"part"`
	Title    string   `json:"title"`
	Markdown string   `json:"-"`
	Numbers  any      `json:"numbers,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	figures  []picture
}

// A picture is a figure and the name of its file.
type picture struct {
	name string
	fig  figure.Figure
}

// A Result is what Run leaves, besides the files.
type Result struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Paper    string     `json:"paper"`
	Backend  string     `json:"backend"`
	Device   string     `json:"device"`
	Ran      []string   `json:"ran_on"` // by which machines the numbers were made, also earlier ones
	Seeds    int        `json:"seeds"`
	Quick    bool       `json:"quick"`
	Sections []*section `json:"sections"`
	Markdown string     `json:"-"`
}

// ScoresImages says whether Options.Features is of use to it.
func (e *Experiment) ScoresImages() bool { return e.scored }

// All are the experiments, in the order of the paper.
func All() []Experiment {
	return []Experiment{fig1, fig2, fig3, fig4, table1, table2, sensitivity, elbow, modedrop, uot, weightsDA, scores, ballVsPenalty, radius}
}

// Find returns the experiment of that name.
func Find(name string) (*Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return &e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("experiments: there is no %q; choose %s", name, strings.Join(names, ", "))
}

// ErrNothing is the error of an experiment that finds none of its data.
var ErrNothing = errors.New("nothing to do")

// Run runs an experiment, or goes on with it where it was stopped, and writes
// cells.jsonl, results.json, results.md and results.html into its folder, opts.Out/NAME.
func (e *Experiment) Run(ctx context.Context, opts Options) (*Result, error) {
	if opts.Seeds == 0 {
		opts.Seeds = 3
	}
	if e.once {
		opts.Seeds = 1
	}
	parts, err := e.parts(&opts)
	if err != nil {
		return nil, err
	}
	if opts.Features != "" {
		if !e.scored {
			return nil, fmt.Errorf("experiments: %s has no images to score with %s", e.Name, opts.Features)
		}
		if _, err := features.Open(opts.Backend, opts.Features); err != nil {
			return nil, err
		}
	}
	dir := filepath.Join(opts.Out, e.Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	g, err := openGrid(dir, opts)
	if err != nil {
		return nil, err
	}
	defer g.close()
	res := &Result{
		Name: e.Name, Title: e.Title, Paper: e.Paper, Seeds: opts.Seeds, Quick: opts.Quick,
		Backend: opts.Backend.Kind, Device: opts.Backend.Device, Ran: []string{g.device()},
	}
	ran := false
	for _, p := range parts {
		g.lacking = 0
		s, err := e.run(ctx, g, p)
		switch {
		case errors.Is(err, errLacking):
			s = &section{Title: p, Notes: []string{notRun + "none of its runs has been done yet"}}
		case err != nil:
			return nil, err
		case g.lacking > 0:
			s.Notes = append(s.Notes, fmt.Sprintf("**Not complete:** %d runs are still to be done.", g.lacking))
		}
		s.Part = p
		res.Sections = append(res.Sections, s)
		ran = ran || s.Markdown != ""
		for _, f := range s.figures {
			if err := figure.Save(filepath.Join(dir, f.name), f.fig, nil); err != nil {
				return nil, err
			}
		}
	}
	if len(g.devices) > 0 {
		res.Ran = g.devices
	}
	if !ran {
		g.remove()
		return res, fmt.Errorf("experiments: %s: %w: %s", e.Name, ErrNothing, strings.TrimPrefix(strings.Join(res.Sections[0].Notes, "; "), notRun))
	}
	res.Markdown = res.text()
	numbers, err := json.MarshalIndent(res, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "results.json"), append(numbers, '\n')); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "results.md"), []byte(res.Markdown)); err != nil {
		return nil, err
	}
	return res, runs.WriteFile(filepath.Join(dir, "results.html"), func(w io.Writer) error {
		return report.Write(w, &report.Page{
			Title: e.Name + ": " + e.Title, Body: res.Markdown, Files: os.DirFS(dir),
			Footer: fmt.Sprintf("rot reproduce %s, on %s", e.Name, strings.Join(res.Ran, ", ")),
		})
	})
}

func write(path string, text []byte) error {
	return runs.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// text is the result as a page of Markdown.
func (r *Result) text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: %s\n\n%s.", r.Name, r.Title, r.Paper)
	seeds := ""
	if r.Seeds > 1 {
		seeds = fmt.Sprintf(" with %d seeds", r.Seeds)
	}
	fmt.Fprintf(&s, " Made by `rot reproduce %s`%s on %s.\n", r.Name, seeds, strings.Join(r.Ran, ", "))
	if r.Quick {
		s.WriteString("\nA quick run: too short to judge by.\n")
	}
	for _, p := range r.Sections {
		fmt.Fprintf(&s, "\n## %s\n\n", p.Title)
		for _, n := range p.Notes {
			fmt.Fprintf(&s, "%s\n\n", n)
		}
		s.WriteString(p.Markdown)
	}
	return s.String()
}
