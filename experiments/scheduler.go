package experiments

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rot.example/rot/train"
)

// A job is a cell that a study asks for, and how to get it.
type job struct {
	key   cellKey
	also  []cellKey // the same cell as other machines make it; only looked for when nothing is run
	files []string  // data specifications: what is hashed as the cell's data
	judge *judgeMaker

	// run makes the cell and returns what is stored, and a line about it.
	run func(ctx context.Context, l *lab) (result any, line string, err error)

	// adopt turns a cell of another experiment with the same configuration into
	// one of this; false where it is not complete. Nil where names matter, too.
	adopt func(l *lab, c storedCell) (result any, line string, ok bool, err error)

	now    expectation // data and judge are set by the scheduler
	number int         // in the experiment, from 0
}

// lockName returns the name of the lock of the cell. Cells that experiments
// share are locked by their configuration.
func (j *job) lockName() string {
	if j.adopt != nil {
		return "cell-" + j.key.hash
	}
	return "cell-" + j.key.id()
}

// A batch is a row of jobs that one worker does, one after the other, because
// they share data.
type batch struct {
	jobs []*job
	free func() // lets go of the data; may be nil
}

// A scheduler does the jobs of an experiment that are not done: those that are
// this process's part of it, and those of processes that were killed.
type scheduler struct {
	lab   *lab
	store *store
	locks *leases

	numbered int // jobs seen so far

	mu          sync.Mutex
	done, total int                  // jobs done here, and to be done here
	counted     map[*job]bool        // in total
	lastSeen    map[string]time.Time // when the owner of a part had been heard of at the first check
	stopped     map[*job]error       // runs that went wrong here, and are not tried again
}

func newScheduler(l *lab, s *store) *scheduler {
	return &scheduler{lab: l, store: s, locks: l.locks, counted: map[*job]bool{}, lastSeen: map[string]time.Time{}, stopped: map[*job]error{}}
}

// partLock returns the name of the lock that the process of a part holds as long
// as it is at work on an experiment.
func partLock(experiment string, part, parts int) string {
	return fmt.Sprintf("%s-part-%d-of-%d", experiment, part, parts)
}

// mine says whether a job is one of this process's part.
func (s *scheduler) mine(j *job) bool { return s.partOf(j) == s.lab.part() }

// partOf returns the part that a job belongs to.
func (s *scheduler) partOf(j *job) int { return j.number % s.lab.parts() }

// do does all jobs that it can and should. It returns the first error; a run
// that goes wrong does not keep the others from being done, and is an error in
// the end.
func (s *scheduler) do(ctx context.Context, batches []batch) error {
	batches = s.lab.asked(batches)
	if err := s.expect(ctx, batches); err != nil {
		return err
	}
	for first := true; ; first = false {
		var tasks []func(context.Context) error
		for _, b := range batches {
			tasks = append(tasks, func(ctx context.Context) error { return s.doBatch(ctx, b, first) })
		}
		if err := inParallel(ctx, s.lab.Workers, tasks); err != nil {
			return err
		}
		waits, err := s.waits(batches, first)
		if err != nil {
			return err
		}
		if !waits {
			return s.wentWrong(batches)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.locks.pause()):
		}
		if err := s.store.refresh(); err != nil {
			return err
		}
	}
}

// expect numbers the jobs, finds out what they would be made of now, and counts
// those that are to be done here.
func (s *scheduler) expect(ctx context.Context, batches []batch) error {
	old := map[string]int{}
	var reasons []string
	for _, b := range batches {
		for _, j := range b.jobs {
			j.number = s.numbered
			s.numbered++
			if err := j.expect(ctx, s.lab); err != nil {
				return err
			}
			if !s.mine(j) || s.isDone(j) {
				continue
			}
			s.count(j)
			if c := s.store.cells(j.key); len(c) > 0 {
				reason := c[len(c)-1].outdated(j.now)
				if old[reason] == 0 {
					reasons = append(reasons, reason)
				}
				old[reason]++
			}
		}
	}
	for _, r := range reasons {
		s.store.warning(&OldCellsError{Experiment: s.lab.name, Reason: r, Count: old[r]})
	}
	return nil
}

// expect finds out what the cell would be made of now.
func (j *job) expect(ctx context.Context, l *lab) (err error) {
	j.now.known = true
	if j.now.data, err = l.hashes.of(j.files); err != nil || j.judge == nil {
		return err
	}
	made, err := j.judge.get(ctx, l)
	if err != nil {
		return err
	}
	j.now.judge = made.id
	return nil
}

// count adds a job to those that are to be done here.
func (s *scheduler) count(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.counted[j] {
		s.counted[j] = true
		s.total++
	}
}

// isDone says whether a current cell of the job is in the store.
func (s *scheduler) isDone(j *job) bool {
	for _, c := range s.store.cells(j.key) {
		if c.outdated(j.now) == "" {
			return true
		}
	}
	return false
}

// isSettled says whether there is nothing to be done for a job here: it is done,
// or its run has gone wrong.
func (s *scheduler) isSettled(j *job) bool {
	s.mu.Lock()
	err := s.stopped[j]
	s.mu.Unlock()
	return err != nil || s.isDone(j)
}

// wentWrong returns the errors of the runs that went wrong here, in the order of
// the jobs; nil for none.
func (s *scheduler) wentWrong(batches []batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, b := range batches {
		for _, j := range b.jobs {
			if err := s.stopped[j]; err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// doBatch does the jobs of a batch that are not done and that nobody else is
// doing: at first only those of this part, then also those of parts whose
// process was killed.
func (s *scheduler) doBatch(ctx context.Context, b batch, first bool) error {
	if b.free != nil {
		defer b.free()
	}
	for _, j := range b.jobs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.isSettled(j) {
			continue
		}
		if !s.mine(j) {
			if first {
				continue
			}
			state, _, err := s.locks.state(partLock(s.lab.name, s.partOf(j), s.lab.parts()))
			if err != nil {
				return err
			}
			if state != leaseExpired {
				continue
			}
		}
		if err := s.doJob(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// doJob does a job unless another process is doing it.
func (s *scheduler) doJob(ctx context.Context, j *job) error {
	lock, err := s.locks.take(j.lockName())
	var busy *BusyError
	if errors.As(err, &busy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.release()
	// Whoever had the lock may have done it.
	if err := s.store.refresh(); err != nil || s.isDone(j) {
		return err
	}
	s.count(j)
	made, result, line, err := s.adopted(j)
	if err != nil {
		return err
	}
	if result == nil {
		if result, line, err = j.run(ctx, s.lab); err != nil {
			err = fmt.Errorf("%s: %w", j.key.name, err)
			var stopped *train.StoppedError
			if !errors.As(err, &stopped) {
				return err
			}
			s.mu.Lock()
			s.stopped[j] = err
			s.mu.Unlock()
			s.store.warning(err)
			return nil
		}
		made = j.now.provenance(s.lab.device())
	}
	if !lock.holds() {
		return nil // it was taken over: another process does it
	}
	if err := s.store.append(j.key, made, result); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.lab.Done != nil {
		s.lab.Done(j.key.name+": "+line, s.done, s.total)
	}
	return nil
}

// adopted returns a current cell of another experiment that serves for the job;
// nil for none.
func (s *scheduler) adopted(j *job) (made Provenance, result any, line string, err error) {
	if j.adopt == nil {
		return made, nil, "", nil
	}
	for _, c := range s.store.othersCells(j.key.hash) {
		if c.outdated(j.now) != "" {
			continue
		}
		result, line, ok, err := j.adopt(s.lab, c)
		if err != nil {
			return made, nil, "", err
		}
		if ok {
			return c.Provenance, result, line, nil
		}
	}
	return made, nil, "", nil
}

// waits says whether there is something to wait for: a job of this part that
// another process is doing, or a part whose process may have been killed. Once
// a process has been heard of after this part was done, it is left alone.
func (s *scheduler) waits(batches []batch, first bool) (bool, error) {
	open := map[int]bool{} // parts that are not done
	for _, b := range batches {
		for _, j := range b.jobs {
			if !s.isSettled(j) {
				open[s.partOf(j)] = true
			}
		}
	}
	waits := open[s.lab.part()]
	for part := range s.lab.parts() {
		name := partLock(s.lab.name, part, s.lab.parts())
		if part == s.lab.part() {
			continue
		}
		state, lastSeen, err := s.locks.state(name)
		if err != nil {
			return false, err
		}
		switch {
		case state == leaseNone: // not begun, or ended in good order
		case state == leaseExpired && !open[part]:
			s.locks.forget(name)
		case !open[part]:
		case state == leaseExpired:
			waits = waits || first || !s.othersAtWork(batches, part)
		case s.lastSeen[name].IsZero():
			s.lastSeen[name] = lastSeen
			waits = true
		case s.lastSeen[name].Equal(lastSeen):
			waits = true
		}
	}
	return waits, nil
}

// othersAtWork says whether all jobs of a killed process's part that are not
// done are in the hands of other processes.
func (s *scheduler) othersAtWork(batches []batch, part int) bool {
	for _, b := range batches {
		for _, j := range b.jobs {
			if s.partOf(j) != part || s.isSettled(j) {
				continue
			}
			if state, _, err := s.locks.state(j.lockName()); err != nil || state != leaseAlive {
				return false
			}
		}
	}
	return true
}

// inParallel runs the tasks, as many at a time as there are workers, and returns
// the first error.
func inParallel(ctx context.Context, workers int, tasks []func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	free := make(chan bool, max(1, workers))
	for _, task := range tasks {
		free <- true
		if ctx.Err() != nil {
			break
		}
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() { <-free }()
			if err := task(ctx); err != nil {
				cancel(err)
			}
		}()
	}
	wait.Wait()
	return context.Cause(ctx)
}
