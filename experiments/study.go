package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rot.example/rot/figure"
)

// A study is what an experiment does for one of its parts: the cells that it
// needs, and how they are shown.
type study struct {
	title   string
	notes   []string
	seeds   int   // of every cell, where it has a number of its own; 0 where it is what was asked for
	missing error // why it cannot be run; nil where it can

	batches []batch // none where nothing is worth keeping
	show    func(ctx context.Context, f *finder) (*section, error)
}

// notRun returns the study of a part whose data are missing, for whatever reason
// err has; any other error is passed on.
func notRun(title string, err error) (*study, error) {
	var file *NoFileError
	var given *NotGivenError
	if errors.As(err, &file) || errors.As(err, &given) {
		return &study{title: title, missing: err}, nil
	}
	return nil, err
}

// A section is one part of a result.
type section struct {
	Part     string   `json:"part"`
	Title    string   `json:"title"`
	Markdown string   `json:"-"`
	Numbers  any      `json:"numbers,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	MadeBy   string   `json:"made_by,omitempty"` // revisions, algorithms, data, judges and machines
	Old      int      `json:"old,omitempty"`     // runs whose numbers are shown and are not current
	Seeds    int      `json:"seeds,omitempty"`   // where they are not those of the result

	devices []string
	figures []picture
}

// A picture is a figure and the name of its file.
type picture struct {
	name string
	fig  figure.Figure
}

// close says below the tables what made the cells, and above them which are old.
func (s *section) close(cells []origin) {
	if note := oldNote(cells); note != "" {
		s.Notes = append(s.Notes, note)
	}
	line := madeBy(cells)
	s.MadeBy = strings.Trim(line, "*\n")
	s.Markdown += line
	for _, c := range cells {
		if c.old != "" {
			s.Old++
		}
		if d := c.made.Device; d != "" && !slices.Contains(s.devices, d) {
			s.devices = append(s.devices, d)
		}
	}
}

// A finder looks for the cells of a study.
type finder struct {
	lab    *lab
	store  *store
	undone int // cells that there are not
}

// errNoCells is the error of a study of which there is nothing to show.
var errNoCells = errors.New("none of its cells is there")

// found returns the cells of all jobs that are there, in order. Bind gives a
// cell its origin and returns the name of the group that it is averaged in;
// where a group has current cells, its old ones are left out.
func found[T any](f *finder, batches []batch, bind func(c *T, o origin) (group string)) ([]T, error) {
	type candidate struct {
		job    *job
		result []byte
		origin origin
	}
	var all []candidate
	for _, b := range batches {
		for _, j := range b.jobs {
			raw, o, err := f.find(j)
			if err != nil {
				return nil, err
			}
			if raw == nil {
				f.undone++
				continue
			}
			all = append(all, candidate{j, raw, o})
		}
	}
	if f.lab.Show {
		// What the data and the judge are now is not known, but all cells of the
		// same files must have the same.
		newest := map[string]Provenance{}
		places := func(c candidate) []string {
			return []string{"judge", "data " + f.lab.hashes.names(c.job.files)}
		}
		for _, c := range all {
			for _, place := range places(c) {
				if c.origin.old == "" && c.origin.made.Date >= newest[place].Date {
					newest[place] = c.origin.made
				}
			}
		}
		for i := range all {
			o := &all[i].origin
			at := places(all[i])
			switch {
			case o.old != "":
			case o.made.Judge != newest[at[0]].Judge:
				o.old = otherJudge
			case o.made.Data != newest[at[1]].Data:
				o.old = otherData
			}
		}
	}
	out := make([]T, 0, len(all))
	var groups []string
	hasCurrent := map[string]bool{}
	for _, c := range all {
		var cell T
		if err := json.Unmarshal(c.result, &cell); err != nil {
			return nil, fmt.Errorf("experiments: %s: %w", c.job.key.name, err)
		}
		group := bind(&cell, c.origin)
		out, groups = append(out, cell), append(groups, group)
		hasCurrent[group] = hasCurrent[group] || c.origin.old == ""
	}
	kept := out[:0]
	for i, cell := range out {
		if all[i].origin.old != "" && hasCurrent[groups[i]] {
			f.undone++
			continue
		}
		kept = append(kept, cell)
	}
	if len(kept) == 0 {
		return nil, errNoCells
	}
	return kept, nil
}

// find returns the result of a job's cell, and where it comes from; nil where
// there is none. Old cells, and those of other experiments, are found when
// nothing is run.
func (f *finder) find(j *job) (result []byte, o origin, err error) {
	keys := []cellKey{j.key}
	if f.lab.Show {
		keys = append(keys, j.also...)
	}
	var old []byte
	var oldOrigin origin
	for _, k := range keys {
		for _, c := range slices.Backward(f.store.cells(k)) {
			reason := c.outdated(j.now)
			if reason == "" {
				return c.Result, origin{"", c.Provenance}, nil
			}
			if old == nil {
				old, oldOrigin = c.Result, origin{reason, c.Provenance}
			}
		}
	}
	if !f.lab.Show {
		return nil, o, nil
	}
	if j.adopt != nil {
		for _, k := range keys {
			for _, c := range slices.Backward(f.store.othersCells(k.hash)) {
				reason := c.outdated(j.now)
				if reason != "" && old != nil {
					continue
				}
				taken, _, ok, err := j.adopt(f.lab, c)
				if err != nil {
					return nil, o, err
				}
				if !ok {
					continue
				}
				raw, err := json.Marshal(taken)
				if err != nil {
					return nil, o, err
				}
				if reason == "" {
					return raw, origin{"", c.Provenance}, nil
				}
				old, oldOrigin = raw, origin{reason, c.Provenance}
			}
		}
	}
	return old, oldOrigin, nil
}
