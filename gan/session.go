package gan

import (
	"errors"
	"fmt"
	"io/fs"

	"rot.example/rot/engine"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// A Session is a run at some checkpoint with all that it needs to go on.
type Session struct {
	Run     *runs.Run
	Config  Config // of the run
	Data    *train.Data
	Backend *engine.Backend
	Trainer *Trainer
}

// OpenRun brings a run to its newest checkpoint. The data are where they were, or
// at data where that is not ""; a *train.MovedError says that they are not
// there. Open makes the backend that the configuration names.
func OpenRun(run *runs.Run, data string, open func(backend string) (*engine.Backend, error)) (*Session, error) {
	s := &Session{Run: run}
	if err := run.Config(&s.Config); err != nil {
		return nil, err
	}
	c := s.Config
	if data != "" {
		c.Data = data
	}
	var err error
	if s.Data, _, err = Load(&c); err != nil {
		if data == "" && errors.Is(err, fs.ErrNotExist) {
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

// OpenModel opens the generator of a run at its newest checkpoint, to sample
// from: the data need not be there, and Data has nothing in it. Its error wraps
// runs.ErrNoCheckpoint where the run has none.
func OpenModel(run *runs.Run, open func(backend string) (*engine.Backend, error)) (*Session, error) {
	s := &Session{Run: run}
	if err := run.Config(&s.Config); err != nil {
		return nil, err
	}
	s.Data = Blank(&s.Config)
	var err error
	if s.Backend, err = open(s.Config.Backend); err != nil {
		return nil, err
	}
	if s.Trainer, err = New(s.Config, s.Data, s.Backend); err != nil {
		return nil, err
	}
	if err := s.Trainer.Restore(run); err != nil {
		return nil, err
	}
	if s.Trainer.Step() == 0 {
		return nil, fmt.Errorf("gan: %s: %w", run.Path(), runs.ErrNoCheckpoint)
	}
	return s, nil
}

// Unit is what the data are: "images" or "points".
func (s *Session) Unit() string {
	if s.Config.Size > 0 {
		return "images"
	}
	return "points"
}
