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
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rot.example/rot/internal/filelock"
	"rot.example/rot/internal/openfile"
)

// Options tunes Get. The zero value is ready to use.
type Options struct {
	Client *http.Client // nil means one that gives up on a silent server after a minute
	// Progress is called as bytes of a file come in; it may be nil. Total is 0
	// where the size is not known.
	Progress func(name string, done, total int64)
	// Silence is how long a server may send nothing before the next one is
	// asked; 0 means a minute.
	Silence time.Duration
	// Waiting is called when another process downloads into the same folder,
	// which is waited for; it may be nil.
	Waiting func()
}

// lockName is the file that the one process has locked which downloads into a
// folder.
const lockName = ".rot-get.lock"

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
	o.Silence = cmp.Or(o.Silence, time.Minute)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	release, err := filelock.Wait(ctx, filepath.Join(dir, lockName), o.Waiting)
	if err != nil {
		return fmt.Errorf("fetch: %s: %w", s.Name, err)
	}
	defer os.Remove(dir) // if nothing has come
	defer release()
	if s.complete(dir) {
		return nil
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
	names, err := s.unpack(dir, paths)
	if err == nil {
		err = s.writeSums(dir, names)
	}
	if err != nil {
		return fmt.Errorf("fetch: %s: %w", s.Name, err)
	}
	for _, p := range paths {
		os.Remove(p) // what it held is there now
	}
	return nil
}

// get brings a file to path, from the first of its homes that has it.
func (f *file) get(ctx context.Context, path string, o *Options) error {
	if f.check(path) == nil {
		return nil
	}
	part := path + ".part"
	var failed []error
	for _, home := range f.homes {
		err := f.from(ctx, home, part, o)
		if err == nil {
			os.Remove(part + homeSuffix)
			return os.Rename(part, path)
		}
		if ctx.Err() != nil {
			return ctx.Err() // what came so far stays for the next time
		}
		failed = append(failed, fmt.Errorf("%s: %w", home, err))
	}
	if info, err := os.Stat(part); err != nil || info.Size() == 0 {
		os.Remove(part)
		os.Remove(part + homeSuffix)
	}
	return fmt.Errorf("%w\nto do it by hand, put the file from one of these addresses at %s", errors.Join(failed...), path)
}

// homeSuffix names the file beside a part that says where the part comes from:
// what one home sent is no beginning of what another has.
const homeSuffix = ".home"

// from brings a file from one home to part, whole and checked.
func (f *file) from(ctx context.Context, home, part string, o *Options) error {
	if was, err := openfile.Read(part+homeSuffix, 1<<12); err != nil || string(was) != home {
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.WriteFile(part+homeSuffix, []byte(home), 0o666); err != nil {
			return err
		}
	}
	info, err := os.Stat(part)
	resumed := err == nil && info.Size() > 0
	if err := f.download(ctx, home, part, o); err != nil {
		return err
	}
	err = f.check(part)
	if err == nil {
		return nil
	}
	os.Remove(part) // it would only be wrong again
	if !resumed || !errors.Is(err, ErrSum) || ctx.Err() != nil {
		return err
	}
	if err := f.download(ctx, home, part, o); err != nil { // the beginning may have been wrong
		return err
	}
	if err = f.check(part); err != nil {
		os.Remove(part)
	}
	return err
}

// check compares a file with its hash.
func (f *file) check(path string) error {
	in, _, err := openfile.Open(path)
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
