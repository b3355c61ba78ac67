package train

import (
	"time"

	"rot.example/rot/runs"
)

// A Session is one call of a trainer's Run: it keeps the log and the time, and
// writes checkpoints when they are due.
type Session struct {
	run     *runs.Run
	saved   *Saved
	log     *runs.MetricsLog
	seconds *float64 // of all sessions; what checkpoints keep
	before  float64  // of earlier sessions
	start   time.Time
	last    time.Time // of the checkpoints
	every   time.Duration

	warm  time.Time // when the rate began to count
	began int       // the step after which it did
}

// usualEvery is the longest time between checkpoints unless someone chooses it.
const usualEvery = 30 * time.Second

// NewSession starts a Session at the step of saved. seconds points at the place
// in saved.Progress that holds the seconds of training, and every is the longest
// time between two checkpoints; 0 means 30 s.
func NewSession(run *runs.Run, saved *Saved, seconds *float64, every time.Duration) (*Session, error) {
	log, err := run.OpenMetrics(saved.Step)
	if err != nil {
		return nil, err
	}
	if every == 0 {
		every = usualEvery
	}
	now := time.Now()
	return &Session{run: run, saved: saved, log: log, seconds: seconds, before: *seconds, start: now, last: now, every: every}, nil
}

// Close closes the log.
func (s *Session) Close() error { return s.log.Close() }

// Seconds returns the time that training took, with that of earlier sessions.
func (s *Session) Seconds() float64 { return s.before + time.Since(s.start).Seconds() }

// Warm starts the measurement of the rate, once everything is compiled.
func (s *Session) Warm() { s.warm, s.began = time.Now(), s.saved.Step }

// Rate returns the steps a second since Warm; 0 before.
func (s *Session) Rate() float64 {
	if s.warm.IsZero() || s.saved.Step == s.began {
		return 0
	}
	return float64(s.saved.Step-s.began) / time.Since(s.warm).Seconds()
}

// Log appends the record of the current step to metrics.jsonl, if its number is
// a multiple of every or it is the last of so many steps.
func (s *Session) Log(record any, every, steps int) error {
	if s.saved.Step%every != 0 && s.saved.Step != steps {
		return nil
	}
	return s.log.Append(record)
}

// Due reports whether it is time for a checkpoint: long after the one before, or
// at the last of so many steps.
func (s *Session) Due(steps int) bool {
	return s.saved.Step == steps || time.Since(s.last) >= s.every
}

// Save writes a checkpoint; see Saved.Save for its errors.
func (s *Session) Save() error {
	*s.seconds = s.Seconds()
	s.last = time.Now()
	return s.saved.Save(s.run)
}
