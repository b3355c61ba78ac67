package dashboard

import (
	"errors"
	"sync"
	"time"

	"rot.example/rot/runs"
)

// A watch is the one look at the folder of runs that all pages share. It goes
// on looking while some page watches.
type watch struct {
	looking sync.Mutex // held by the one who looks

	mu    sync.Mutex
	last  *sight        // nil before the first
	pages int           // that watch
	going bool          // keepLooking
	news  chan struct{} // closed when last changes

	summaries map[string]*summarized // by the one who looks
}

// A sight is what a look found.
type sight struct {
	began time.Time
	took  time.Duration
	marks map[string]mark
	list  *runList
	err   error // of the folder as a whole
}

type summarized struct {
	mark mark
	sum  *runs.Summary // nil where there is an error
	err  error
}

// rest is how many times as long as a look takes it is good for: looking must
// not keep a processor busy, however many runs there are.
const rest = 4

// current returns what the folder looks like, as of a moment ago: a look of the
// pages that watch, or one of its own.
func (s *Server) current() *sight {
	if seen := s.watch.recent(s.poll); seen != nil {
		return seen
	}
	s.watch.looking.Lock()
	defer s.watch.looking.Unlock()
	if seen := s.watch.recent(s.poll); seen != nil { // somebody else looked in the meantime
		return seen
	}
	return s.readFolder()
}

// recent is the last sight, if it is good enough to be shown.
func (w *watch) recent(poll time.Duration) *sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		return nil
	}
	good := rest * w.last.took
	if w.pages > 0 { // the next look comes without being asked for
		good = 2 * (max(poll, good) + w.last.took)
	}
	if time.Since(w.last.began) > good {
		return nil
	}
	return w.last
}

// join counts a page that watches, and starts to look with the first. leave is
// to be called once.
func (s *Server) join() (leave func()) {
	w := &s.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pages++; !w.going {
		w.going = true
		go s.keepLooking()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.pages--
	}
}

func (s *Server) keepLooking() {
	w := &s.watch
	for {
		pause := s.poll
		w.mu.Lock()
		if w.last != nil {
			pause = max(pause, rest*w.last.took)
		}
		w.mu.Unlock()
		time.Sleep(pause)
		w.mu.Lock()
		w.going = w.pages > 0
		going := w.going
		w.mu.Unlock()
		if !going {
			return
		}
		w.looking.Lock()
		s.readFolder()
		w.looking.Unlock()
	}
}

// next returns the last sight and a channel that is closed when there is
// another.
func (w *watch) next() (*sight, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.news == nil {
		w.news = make(chan struct{})
	}
	return w.last, w.news
}

// readFolder reads the folder and sums up the runs that have changed. The caller
// holds looking.
func (s *Server) readFolder() *sight {
	w := &s.watch
	seen := &sight{began: time.Now(), list: &runList{Runs: []*runs.Summary{}, Problems: []string{}}}
	names, err := s.folders()
	seen.err = err
	seen.marks = s.marksOf(names)
	fresh := make(map[string]*summarized, len(names))
	for _, name := range names {
		known := w.summaries[name]
		// Whether a run is still training depends on the time as well.
		if known == nil || known.mark != seen.marks[name] || known.sum != nil && known.sum.State == runs.Training {
			known = &summarized{mark: seen.marks[name]}
			if known.sum, known.err = s.summarize(name); known.err == nil {
				known.sum.Config = nil // long, and only the run's own page shows it
			}
		}
		fresh[name] = known
		switch {
		case known.err == nil:
			seen.list.Runs = append(seen.list.Runs, known.sum)
		case !errors.Is(known.err, runs.ErrNotRun):
			seen.list.Problems = append(seen.list.Problems, known.err.Error())
		}
	}
	w.summaries = fresh
	seen.took = time.Since(seen.began)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = seen
	if w.news != nil {
		close(w.news)
	}
	w.news = make(chan struct{})
	return seen
}
