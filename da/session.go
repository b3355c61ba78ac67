package da

import (
	"errors"
	"io/fs"

	"rot.example/rot/engine"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A Session is a run at some checkpoint with all that it needs to go on.
type Session struct {
	Run     *runs.Run
	Config  Config // of the run
	Data    *Domains
	Backend *engine.Backend
	Trainer *Trainer
}

// OpenRun brings a run to its newest checkpoint. The data are where they were, or
// at source and target where those are not ""; a *train.MovedError says that
// they are not there. Open makes the backend that the configuration names.
func OpenRun(run *runs.Run, source, target string, open func(backend string) (*engine.Backend, error)) (*Session, error) {
	s := &Session{Run: run}
	if err := run.Config(&s.Config); err != nil {
		return nil, err
	}
	c := s.Config
	if source != "" {
		c.Source = source
	}
	if target != "" {
		c.Target = target
	}
	var err error
	if s.Data, _, err = Load(&c); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = &train.MovedError{Err: err}
		}
		return nil, err
	}
	if s.Backend, err = open(c.Backend); err != nil {
		return nil, err
	}
	s.Trainer, err = Resume(c, s.Data, s.Backend, run)
	return s, err
}

// Unit is what the data are: "images" or "rows".
func (s *Session) Unit() string {
	if s.Config.Size > 0 {
		return "images"
	}
	return "rows"
}

// Weighted returns the target samples with their weights.
func (t *Trainer) Weighted() (*train.Weighted, error) {
	w, err := t.Weights()
	if err != nil {
		return nil, err
	}
	d := t.data.Target
	return &train.Weighted{W: w, Outlier: t.data.Foreign(), IDs: d.IDs, Size: t.c.Size, Channels: t.c.Channels, Image: d.Image}, nil
}
