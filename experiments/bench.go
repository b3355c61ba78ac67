package experiments

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// A bench is the store and the scheduler of a run of an experiment.
type bench struct {
	lab   *lab
	store *store
	sched *scheduler // nil where nothing is run
}

// openBench opens the store, and where something is run takes the part of this
// process.
func openBench(l *lab) (b *bench, err error) {
	b = &bench{lab: l}
	file := ""
	if !l.Show {
		file = "cells.jsonl"
		if n := l.parts(); n > 1 {
			file = fmt.Sprintf("cells-%d-of-%d.jsonl", l.part(), n)
		}
		if l.locks, err = openLeases(filepath.Join(l.Out, "locks"), l.Lease, l.host); err != nil {
			return nil, err
		}
		if _, err := l.locks.take(partLock(l.name, l.part(), l.parts())); err != nil {
			l.locks.close()
			return nil, err
		}
	}
	if b.store, err = openStore(l.dir, file, l.Warn); err != nil {
		b.close()
		return nil, err
	}
	if !l.Show {
		b.sched = newScheduler(l, b.store)
	}
	return b, nil
}

func (b *bench) close() {
	if b.store != nil {
		b.store.close()
	}
	if b.lab.locks != nil {
		b.lab.locks.close()
	}
}

// schedule does the jobs of a study.
func (b *bench) schedule(ctx context.Context, st *study) error {
	if b.sched == nil || st.missing != nil {
		return nil
	}
	return b.sched.do(ctx, st.batches)
}

// sections does the studies, one after the other, and shows each.
func (b *bench) sections(ctx context.Context, res *Result, parts []string, studies []*study) error {
	var devices []string
	for i, st := range studies {
		if err := b.schedule(ctx, st); err != nil {
			return err
		}
		s, err := b.section(ctx, st)
		if err != nil {
			return err
		}
		s.Part = parts[i]
		res.Sections = append(res.Sections, s)
		for _, d := range s.devices {
			if !slices.Contains(devices, d) {
				devices = append(devices, d)
			}
		}
	}
	if b.sched != nil {
		res.Done = b.sched.done
	}
	if len(devices) > 0 {
		res.Ran = devices
	} else if b.lab.Show {
		res.Ran = []string{"an unknown machine"}
	}
	return nil
}

// notRunNote begins the note of a part that was not run.
const notRunNote = "not run: "

// section shows a study.
func (b *bench) section(ctx context.Context, st *study) (*section, error) {
	if st.missing != nil {
		return &section{Title: st.title, Notes: []string{notRunNote + st.missing.Error()}}, nil
	}
	f := &finder{lab: b.lab, store: b.store}
	s, err := st.show(ctx, f)
	if errors.Is(err, errNoCells) {
		return &section{Title: st.title, Notes: []string{notRunNote + errNotRunYet.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	s.Title, s.Notes = st.title, append(st.notes, s.Notes...)
	if st.seeds != b.lab.Seeds {
		s.Seeds = st.seeds
	}
	if f.undone > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("**Not complete:** %d runs are still to be done.", f.undone))
	}
	return s, nil
}
