package train

import (
	"testing"
	"time"
)

// TestSession: records go to the log on the schedule, checkpoints when time is
// up and at the end, and time goes on from session to session.
func TestSession(t *testing.T) {
	run, saved := newRun(t), someSaved(t)
	p := &progress{Loss: 100} // stands for the seconds here
	saved.Progress, saved.Step = p, 0
	s, err := NewSession(run, saved, &p.Loss, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rate() != 0 {
		t.Errorf("%v steps a second before there is any", s.Rate())
	}
	for saved.Step = 1; saved.Step <= 7; saved.Step++ {
		if saved.Step == 2 {
			s.Warm()
			if s.Rate() != 0 {
				t.Errorf("%v steps a second right after warming up", s.Rate())
			}
		}
		if err := s.Log(map[string]int{"step": saved.Step}, 3, 7); err != nil {
			t.Fatal(err)
		}
		if due := s.Due(7); due != (saved.Step == 7) {
			t.Errorf("step %d: a checkpoint is due: %v", saved.Step, due)
		}
	}
	saved.Step = 7
	if s.Rate() <= 0 {
		t.Error("no rate")
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if p.Loss < 100 || p.Loss > 160 {
		t.Errorf("%v seconds, want a little more than 100", p.Loss)
	}
	log, err := run.Metrics()
	if err != nil || len(log) != 3 || log[0]["step"] != 3.0 || log[1]["step"] != 6.0 || log[2]["step"] != 7.0 {
		t.Errorf("log %v, %v; want the steps 3, 6 and 7", log, err)
	}
	if steps, err := run.List(); err != nil || len(steps) != 1 {
		t.Errorf("checkpoints %v, %v; want one", steps, err)
	}

	// A checkpoint is due when time is up, too.
	saved.Step = 8
	if s, err = NewSession(run, saved, &p.Loss, time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if time.Sleep(time.Millisecond); !s.Due(100) {
		t.Error("time is up, and no checkpoint is due")
	}
	if s.Seconds() <= 100 {
		t.Errorf("%v seconds, want those of the session before, too", s.Seconds())
	}
}
