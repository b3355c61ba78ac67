package dashboard

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

var (
	errHidden    = errors.New("not a file that is shown")
	errIrregular = errors.New("not a regular file")
)

// open opens a regular file of the folder. name has slashes.
func (s *Server) open(name string) (*os.File, fs.FileInfo, error) {
	if !shown(name) {
		return nil, nil, errHidden
	}
	local := filepath.FromSlash(name)
	info, err := s.root.Stat(local)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would disturb its writer
		return nil, nil, errIrregular
	}
	// Another file may have come in its place; a pipe must not hold us up.
	f, err := s.root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err = f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// shown says whether a path is one that the dashboard may look at: local, in
// its shortest form, and nowhere hidden.
func shown(name string) bool {
	return fs.ValidPath(name) && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\\\x00") &&
		!slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") })
}

// shownName says the same of the name of a run.
func shownName(name string) bool { return shown(name) && !strings.Contains(name, "/") }

func (s *Server) serveRunFile(w http.ResponseWriter, r *http.Request) {
	if !shownName(r.PathValue("name")) {
		http.NotFound(w, r)
		return
	}
	s.sendFile(w, r, r.PathValue("name")+"/"+r.PathValue("path"))
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.sendFile(w, r, r.PathValue("path"))
}

// fileTypes are the types of files that a browser shows. All others are
// downloads: a browser must not guess.
var fileTypes = map[string]string{
	".csv":   "text/plain; charset=utf-8",
	".gif":   "image/gif",
	".html":  "text/html; charset=utf-8",
	".jpg":   "image/jpeg",
	".json":  "application/json",
	".jsonl": "text/plain; charset=utf-8",
	".md":    "text/plain; charset=utf-8",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
}

func (s *Server) sendFile(w http.ResponseWriter, r *http.Request, name string) {
	f, info, err := s.open(name)
	if err != nil {
		http.NotFound(w, r) // and no word about what is outside
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Security-Policy", filePolicy)
	if kind := fileTypes[strings.ToLower(path.Ext(name))]; kind != "" {
		h.Set("Content-Type", kind)
	} else {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	}
	extend(w, downloadTime)
	http.ServeContent(w, r, "", info.ModTime(), f)
}
