package fetch

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options tunes Get. The zero value is ready to use.
type Options struct {
	Client *http.Client // nil means one that gives up on a silent server after a minute
	// Progress is called as bytes of a file come in; it may be nil. Total is 0
	// where the size is not known.
	Progress func(name string, done, total int64)
}

// ErrSum reports a file that is not what its hash says.
var ErrSum = errors.New("is not the file that was expected: its hash differs")

// Get downloads a set into dir, which is made if need be. What is there already
// and right is not loaded again, and what was begun is finished.
func (s *Set) Get(ctx context.Context, dir string, opts *Options) error {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Client == nil {
		o.Client = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: time.Minute, TLSHandshakeTimeout: 30 * time.Second,
		}}
	}
	if s.complete(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var paths []string
	for _, f := range s.files {
		path := filepath.Join(dir, f.name)
		if err := f.get(ctx, path, &o); err != nil {
			return fmt.Errorf("fetch: %s: %w", s.Name, err)
		}
		paths = append(paths, path)
	}
	if s.unpack == nil {
		return nil
	}
	if err := s.unpack(dir, paths); err != nil {
		return fmt.Errorf("fetch: %s: %w", s.Name, err)
	}
	for _, p := range paths {
		os.Remove(p) // what it held is there now
	}
	return nil
}

// complete says whether everything that an unpacked set is read from is there:
// unpacking gives files their names when all are written.
func (s *Set) complete(dir string) bool {
	if s.unpack == nil {
		return false // the files themselves are checked
	}
	for _, name := range s.Reads {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// get brings a file to path, from the first of its homes that has it.
func (f *file) get(ctx context.Context, path string, o *Options) error {
	if f.check(path) == nil {
		return nil
	}
	part := path + ".part"
	var failed []error
	for _, home := range f.homes {
		err := f.download(ctx, home, part, o)
		if err == nil {
			if err = f.check(part); err == nil {
				return os.Rename(part, path)
			}
			os.Remove(part) // it would only be wrong again
		}
		if ctx.Err() != nil {
			return ctx.Err() // what came so far stays for the next time
		}
		failed = append(failed, fmt.Errorf("%s: %w", home, err))
	}
	if info, err := os.Stat(part); err == nil && info.Size() == 0 {
		os.Remove(part)
		os.Remove(filepath.Dir(part)) // if nothing else is in it
	}
	return fmt.Errorf("%w\nto do it by hand, put the file from one of these addresses at %s", errors.Join(failed...), path)
}

// check compares a file with its hash.
func (f *file) check(path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var h hash.Hash = sha256.New()
	want, old := strings.CutPrefix(f.sum, "md5:")
	if old {
		h = md5.New()
	}
	if _, err := io.Copy(h, in); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != want {
		return ErrSum
	}
	return nil
}

// download appends to part what is missing of it.
func (f *file) download(ctx context.Context, url, part string, o *Options) error {
	out, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if f.size > 0 && have == f.size {
		return nil // all of it, and only the check was missing
	}
	if f.size > 0 && have > f.size {
		have = 0
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // the hash is of the file as it is
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	res, err := o.Client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusOK:
		have = 0 // from the start, whatever was asked
	case res.StatusCode == http.StatusPartialContent && strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		// There is no more of it: it is complete, or was never right.
		return nil
	default:
		return fmt.Errorf("the server answered %s", res.Status)
	}
	if err := out.Truncate(have); err != nil {
		return err
	}
	if _, err := out.Seek(have, io.SeekStart); err != nil {
		return err
	}
	total := f.size
	if total == 0 && res.ContentLength > 0 {
		total = have + res.ContentLength
	}
	body := io.Reader(res.Body)
	if total > 0 {
		body = io.LimitReader(body, total-have+1) // more than that is wrong, and no reason to fill the disk
	}
	w := &counted{w: out, done: have, report: func(done int64) {
		if o.Progress != nil {
			o.Progress(f.name, done, total)
		}
	}}
	_, err = io.Copy(w, body)
	if err == nil && w.done < cmp.Or(f.size, total) {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, out.Sync())
}

// counted reports what is written to it.
type counted struct {
	w      io.Writer
	done   int64
	report func(done int64)
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.done += int64(n)
	c.report(c.done)
	return n, err
}
