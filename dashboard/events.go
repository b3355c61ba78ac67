package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"time"
)

const (
	mostStreams = 64
	stillHere   = 15 * time.Second // proxies and browsers drop what is silent
)

// serveEvents sends the event "hello" when it is watching, and then a "change"
// with the names of the folders that have changed, come or gone.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	if s.readers.Add(1) > mostStreams {
		s.readers.Add(-1)
		http.Error(w, "too many pages are watching", http.StatusServiceUnavailable)
		return
	}
	defer s.readers.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	send := func(text string) bool {
		extend(w, answerTime)
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil
	}
	defer s.join()()
	seen := s.current().marks
	if !send("retry: 2000\nevent: hello\ndata: {}\n\n") {
		return
	}
	tick := time.NewTicker(stillHere)
	defer tick.Stop()
	silent := time.Now()
	for {
		now, news := s.watch.next()
		changed := changes(seen, now.marks)
		seen = now.marks
		text := ": still here\n\n"
		if len(changed) > 0 {
			data, err := json.Marshal(map[string][]string{"runs": changed})
			if err != nil {
				return
			}
			text = "event: change\ndata: " + string(data) + "\n\n"
		}
		if len(changed) > 0 || time.Since(silent) >= stillHere {
			silent = time.Now()
			if !send(text) {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-news:
		case <-tick.C:
		}
	}
}

// A mark tells one state of a folder from another.
type mark [10]struct {
	size    int64
	changed int64
}

// watched are the files and folders whose change is a change of the run. A
// folder changes with the names in it; that of the run is the first.
var watched = [len(mark{})]string{".", "config.json", "metrics.jsonl", "weights.csv", "samples", "report.html", "results.html", "results.md", "failure", "checkpoints"}

// marksOf marks folders. What cannot be read is as good as gone.
func (s *Server) marksOf(names []string) map[string]mark {
	out := make(map[string]mark, len(names))
	for _, name := range names {
		var m mark
		for i, sub := range watched {
			if info, err := s.root.Stat(path.Join(name, sub)); err == nil {
				m[i].size, m[i].changed = info.Size(), info.ModTime().UnixNano()
			}
		}
		out[name] = m
	}
	return out
}

// changes are the names on which two looks do not agree.
func changes(before, now map[string]mark) []string {
	var out []string
	for name, m := range now {
		if old, ok := before[name]; !ok || old != m {
			out = append(out, name)
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
