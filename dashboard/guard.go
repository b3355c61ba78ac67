package dashboard

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// The content security policies of the page and of files. A file's own scripts
// run, as pages sort their tables by one, but in an origin of their own, from
// which nothing can be loaded: pages hold their pictures.
const (
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	filePolicy = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

const (
	answerTime   = time.Minute
	downloadTime = time.Hour
)

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	switch {
	case !s.knows(r.Host):
		http.Error(w, "this server does not go by that name", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		if r.ContentLength != 0 {
			refuseRest(w)
		}
		http.Error(w, "this server only reads", http.StatusMethodNotAllowed)
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		refuseBody(w)
	default:
		extend(w, answerTime)
		s.mux.ServeHTTP(w, r)
	}
}

// refuseBody answers a request that brings something along: nothing here takes
// it, and it is not waited for.
func refuseBody(w http.ResponseWriter) {
	refuseRest(w)
	http.Error(w, "this server takes no request with a body", http.StatusRequestEntityTooLarge)
}

// refuseRest ends the connection with the answer. What has not come yet would
// otherwise be waited for.
func refuseRest(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
}

// extend gives the client more time to take what is sent. A connection that
// knows no deadlines, as in tests, does without.
func extend(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// knows says whether a request's Host is one that this server goes by. A name
// can be made to point here by whoever owns it; an address cannot.
func (s *Server) knows(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	name = strings.TrimSuffix(name, ".")
	return strings.EqualFold(name, "localhost") ||
		slices.ContainsFunc(s.hosts, func(h string) bool { return strings.EqualFold(name, h) })
}
