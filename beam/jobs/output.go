// Package jobs answers rot's questions about tables in shards.
package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/store"
	"rot.example/rot/internal/atomicfile"
)

// An Output is a folder that a job fills. The manifest is written last: a folder
// without one is unfinished, and the same job goes on in it.
type Output struct {
	Dir   string
	fresh bool // nothing was there before
}

const (
	manifestName = "manifest.json"
	workName     = "work"
	jobName      = "job.json"
)

// openOutput takes a folder for the job of this fingerprint.
func openOutput(ctx context.Context, dir, fingerprint string) (*Output, error) {
	dir, err := store.Absolute(dir)
	if err != nil {
		return nil, err
	}
	o := &Output{Dir: dir}
	if done, err := store.Exists(ctx, o.path(manifestName)); err != nil {
		return nil, err
	} else if done {
		return nil, fmt.Errorf("%s: the folder holds a finished result; name another, or remove it", dir)
	}
	mark := o.path(workName, jobName)
	started, err := store.Exists(ctx, mark)
	if err != nil {
		return nil, err
	}
	want := []byte(fmt.Sprintf("{\"job\": %q}\n", fingerprint))
	if started {
		have, err := store.Read(ctx, mark)
		if err != nil {
			return nil, err
		}
		if string(have) != string(want) {
			return nil, fmt.Errorf("%s: the folder is in use: it holds the unfinished result of another job; name another, or remove it", dir)
		}
		return o, nil
	}
	if !store.IsRemote(dir) {
		names, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if len(names) > 0 {
			return nil, fmt.Errorf("%s: the folder is in use: it holds %s and is no result of rot-beam; name another", dir, names[0].Name())
		}
	} else if files, err := store.List(ctx, store.Join(dir, "*")); err == nil && len(files) > 0 {
		return nil, fmt.Errorf("%s: the folder is in use: it holds %s and is no result of rot-beam; name another", dir, files[0])
	}
	o.fresh = true
	return o, store.WriteBytes(ctx, mark, want)
}

func (o *Output) path(names ...string) string {
	p := o.Dir
	for _, n := range names {
		p = store.Join(p, n)
	}
	return p
}

// discard removes what a job that cannot succeed has written.
func (o *Output) discard(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if !store.IsRemote(o.Dir) {
		_ = os.RemoveAll(o.Dir)
		return
	}
	for _, sub := range []string{"*", "scores/*", "suspects/*", "bad/*", "work/*", "work/scores/*"} {
		files, _ := store.List(ctx, store.Join(o.Dir, sub))
		for _, f := range files {
			_ = store.Remove(ctx, f)
		}
	}
}

// failed is called with the error of a job: data that can never do leave
// nothing behind, and a failure of the machinery leaves what is done.
func (o *Output) failed(ctx context.Context, err error) error {
	var data *engine.DataError
	if errors.As(err, &data) {
		o.discard(ctx)
		return err
	}
	if ctx.Err() == nil {
		return fmt.Errorf("%w (the same command goes on where this one stopped)", err)
	}
	return err
}

// finish writes the manifest and removes the marks of work in progress.
func (o *Output) finish(ctx context.Context, manifest any) error {
	if err := writeJSON(ctx, o.path(manifestName), manifest); err != nil {
		return err
	}
	if !store.IsRemote(o.Dir) {
		if err := o.sweep(); err != nil {
			return err
		}
		return os.RemoveAll(filepath.Join(o.Dir, workName))
	}
	for _, sub := range []string{"work/*", "work/scores/*"} {
		files, _ := store.List(ctx, store.Join(o.Dir, sub))
		for _, f := range files {
			if err := store.Remove(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweep removes files that a killed worker has not finished.
func (o *Output) sweep() error {
	for _, dir := range []string{"scores", "suspects", "bad"} {
		names, err := os.ReadDir(filepath.Join(o.Dir, dir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, n := range names {
			if atomicfile.IsTemporary(n.Name()) {
				if err := os.Remove(filepath.Join(o.Dir, dir, n.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

func writeJSON(ctx context.Context, path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteBytes(ctx, path, append(text, '\n'))
}

// fingerprint tells jobs apart.
func fingerprint(parts ...any) (string, error) {
	h := sha256.New()
	for _, p := range parts {
		b, err := json.Marshal(p)
		if err != nil {
			return "", err
		}
		_, _ = h.Write(append(b, 0))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A FileInfo is a file of an output.
type FileInfo struct {
	File   string `json:"file"`
	Shard  string `json:"shard"`
	Row    int64  `json:"row"` // number of its first row among all
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// writePart writes a file of an output and says what it wrote.
func writePart(ctx context.Context, path string, write func(io.Writer) error) (size int64, sum string, err error) {
	h := sha256.New()
	n := &counter{}
	err = store.Write(ctx, path, func(w io.Writer) error { return write(io.MultiWriter(w, h, n)) })
	return n.n, hex.EncodeToString(h.Sum(nil)), err
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
