package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// Options tunes New. The zero value is ready to use.
type Options struct {
	Hosts []string      // names that the server is reached by, besides localhost
	Poll  time.Duration // between two looks at the folder while a page is open; 0 means a second
}

// A Server shows one folder of runs.
type Server struct {
	root    *os.Root
	hosts   []string
	poll    time.Duration
	mux     *http.ServeMux
	curves  cache[*series]
	weights cache[*weighed]
	watch   watch
	readers atomic.Int32 // open event streams
}

// New opens the folder dir. Close gives it back.
func New(dir string, opts *Options) (*Server, error) {
	if opts == nil {
		opts = &Options{}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	s := &Server{root: root, hosts: opts.Hosts, poll: opts.Poll, mux: http.NewServeMux()}
	if s.poll <= 0 {
		s.poll = time.Second
	}
	for pattern, h := range map[string]http.HandlerFunc{
		"/{$}":                         servePage,
		"/assets/":                     serveAsset,
		"/favicon.ico":                 serveIcon,
		"/api/runs":                    answer(s.listRuns),
		"/api/runs/{name}":             answer(s.showRun),
		"/api/runs/{name}/metrics":     answer(s.showMetrics),
		"/api/runs/{name}/weights":     answer(s.showWeights),
		"/api/compare":                 answer(s.compareRuns),
		"/api/reports":                 answer(s.listReports),
		"/api/events":                  s.serveEvents,
		"/runs/{name}/files/{path...}": s.serveRunFile,
		"/files/{path...}":             s.serveFile,
		"/reports/{path...}":           s.serveReport,
	} {
		s.mux.HandleFunc(pattern, h)
	}
	return s, nil
}

// Close gives the folder back.
func (s *Server) Close() error { return s.root.Close() }

const (
	headerTime   = 10 * time.Second
	idleTime     = 2 * time.Minute
	shutdownTime = 5 * time.Second
)

// Serve answers on l, which it closes, until ctx is cancelled, and then lets
// the requests that are under way finish. Being cancelled is no error.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return serve(ctx, l, &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    1 << 16,
	})
}

func serve(ctx context.Context, l net.Listener, h *http.Server) error {
	// Event streams end with ctx; Shutdown alone would wait for them.
	h.BaseContext = func(net.Listener) context.Context { return ctx }
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		stopped <- h.Shutdown(ctx)
	})
	err := h.Serve(l)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		h.Close()
		return fmt.Errorf("dashboard: %w", err)
	}
	if err := <-stopped; err != nil {
		h.Close() // a download that takes its time
	}
	return nil
}
