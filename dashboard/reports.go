package dashboard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"rot.example/rot/report"
)

const (
	reportDepth = 5    // folders below the root
	mostVisited = 1e5  // entries; a folder of photographs is not what this is for
	mostReports = 1000 // of them
	mostText    = 1 << 22
)

// A reportFile is a page, or a results.md without one, somewhere below the
// root.
type reportFile struct {
	Path string `json:"path"`
	file
}

var errEnough = errors.New("enough")

// listReports looks for what finished runs, clean, dist, demo and reproduce
// leave, newest first.
func (s *Server) listReports(*http.Request) (any, error) {
	out := []reportFile{}
	visited := 0
	err := fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > mostVisited || len(out) >= mostReports {
			return errEnough
		}
		if err != nil || name == "." {
			return nil // a folder that may not be read has no pages
		}
		if d.IsDir() {
			if !shown(name) || strings.Count(name, "/") >= reportDepth || d.Name() == "checkpoints" || d.Name() == "samples" {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case path.Ext(name) == ".html":
		case path.Base(name) == "results.md":
			if _, err := s.root.Stat(strings.TrimSuffix(name, "md") + "html"); err == nil {
				return nil // the same as a page
			}
		default:
			return nil
		}
		if info, err := fs.Stat(s.root.FS(), name); err == nil && info.Mode().IsRegular() && shown(name) {
			out = append(out, reportFile{name, file{path.Base(name), info.Size(), info.ModTime()}})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b reportFile) int { return b.Changed.Compare(a.Changed) })
	return map[string]any{"reports": out}, nil
}

// serveReport sends a page. One in Markdown becomes such a page
// here; where that does not work, it is shown as text.
func (s *Server) serveReport(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	if path.Ext(name) != ".md" {
		s.sendFile(w, r, name)
		return
	}
	page, changed, err := s.render(name)
	if err != nil {
		s.sendFile(w, r, name)
		return
	}
	w.Header().Set("Content-Security-Policy", filePolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", changed, bytes.NewReader(page))
}

func (s *Server) render(name string) (page []byte, changed time.Time, err error) {
	f, info, err := s.open(name)
	if err != nil {
		return nil, changed, err
	}
	defer f.Close()
	if info.Size() > mostText {
		return nil, changed, fmt.Errorf("%s has %d bytes, more than %d", name, info.Size(), mostText)
	}
	text, err := io.ReadAll(io.LimitReader(f, mostText))
	if err != nil {
		return nil, changed, err
	}
	var b bytes.Buffer
	err = report.Write(&b, &report.Page{Title: name, Body: string(text), Files: beside{s, path.Dir(name)}})
	return b.Bytes(), info.ModTime(), err
}

// beside are the files in a folder and below, as far as they are shown.
type beside struct {
	s   *Server
	dir string
}

// Open implements fs.FS.
func (b beside) Open(name string) (fs.File, error) {
	f, _, err := b.s.open(path.Join(b.dir, name))
	if err != nil {
		return nil, err // not f: a nil *os.File would pass for a file
	}
	return f, nil
}
