package shards

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/store"
	"rot.example/rot/table"
)

const indexTask = "index"

func init() {
	engine.Register(indexTask, func(spec []byte) (engine.Task, error) {
		t := new(indexSpec)
		return t, json.Unmarshal(spec, t)
	})
}

// An indexSpec counts the records of parts of text.
type indexSpec struct {
	Layout    *table.Layout
	Header    table.Header
	AsWritten []string
	First     string   // the shard that the others are compared with
	Keys      []string // its columns, where they are JSON
	SkipBad   int64
}

// A part is a range of bytes that need not begin or end with a line.
type part struct {
	Shard, Part      int
	Name             string
	Start, End, Size int64
}

// A counted is a part whose ends have moved to the next newlines, and what is
// in it.
type counted struct {
	Shard, Part     int
	Start, End      int64
	Skip, Line      int64 // of the first part: header bytes, and the line of the first record
	Outside, Inside table.CutCount
}

// Run implements engine.Task.
func (s *indexSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var p part
	if err := json.Unmarshal(element, &p); err != nil {
		return nil, err
	}
	c, err := s.count(ctx, &p)
	if err != nil {
		return nil, &engine.DataError{Err: err}
	}
	return json.Marshal([]counted{*c})
}

func (s *indexSpec) count(ctx context.Context, p *part) (*counted, error) {
	c := &counted{Shard: p.Shard, Part: p.Part}
	if p.Part == 0 {
		head, err := readHead(ctx, p.Name, p.Size)
		if err != nil {
			return nil, err
		}
		l, err := findLayout(p.Name, head, &table.Options{Header: s.Header, AsWritten: s.AsWritten, Delimiter: s.Layout.Delimiter}, s.SkipBad)
		if err != nil {
			return nil, err
		}
		if d := s.Layout.Differs(l); d != "" {
			return nil, fmt.Errorf("%s: %s, as %s has it", p.Name, d, s.First)
		}
		if d := renamed(s.Keys, l); d != "" {
			return nil, fmt.Errorf("%s: %s, unlike %s", p.Name, d, s.First)
		}
		c.Skip, c.Line, c.Start = l.Skip, int64(l.Lines), l.Skip
	}
	r, err := openText(ctx, p.Name, max(p.Start-1, 0), p.Size)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if isPacked(p.Name) {
		p.End = 1 << 62
	}
	a := aligner{r: r, at: max(p.Start-1, 0)}
	if p.Part > 0 {
		if err := a.skipLine(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		c.Start = a.at
	} else if err := a.discard(c.Skip); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	cut := s.Layout.Cutter()
	outside, inside := table.CutCount{First: -1}, table.CutCount{First: -1, Open: true}
	for {
		text, err := a.lines(p.End)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if len(text) == 0 {
			break
		}
		from := a.at - int64(len(text)) - c.Start
		addScan(&outside, cut, text, from)
		if c.Part == 0 || cut.Plain {
			continue
		}
		addScan(&inside, cut, text, from)
	}
	c.End, c.Outside, c.Inside = a.at, outside, inside
	return c, nil
}

// addScan goes on counting with text, so many bytes behind the beginning.
func addScan(to *table.CutCount, cut table.Cutter, text []byte, from int64) {
	n := cut.Scan(text, to.Open)
	if to.First < 0 && n.First >= 0 {
		to.First, to.Before = from+n.First, to.Lines+n.Before
	}
	to.Records += n.Records
	to.Lines += n.Lines
	to.Open = n.Open
}

// Merge implements engine.Task.
func (s *indexSpec) Merge(a, b []byte) ([]byte, error) {
	// Two lists in brackets become one.
	out := append(bytes.Clone(a[:len(a)-1]), ',')
	return append(out, b[1:]...), nil
}

// An aligner reads lines and knows where it is.
type aligner struct {
	r    io.Reader
	buf  []byte
	at   int64 // of the first byte of buf
	done bool
}

const alignBytes = 4 << 20

func (a *aligner) fill() error {
	if a.done {
		return nil
	}
	if cap(a.buf) < len(a.buf)+alignBytes {
		a.buf = append(make([]byte, 0, len(a.buf)+alignBytes), a.buf...)
	}
	n, err := io.ReadFull(a.r, a.buf[len(a.buf):len(a.buf)+alignBytes])
	a.buf = a.buf[:len(a.buf)+n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		a.done, err = true, nil
	}
	return err
}

func (a *aligner) drop(n int) {
	a.buf = a.buf[n:]
	a.at += int64(n)
}

// skipLine steps behind the next newline.
func (a *aligner) skipLine() error {
	for {
		if k := bytes.IndexByte(a.buf, '\n'); k >= 0 {
			a.drop(k + 1)
			return nil
		}
		a.drop(len(a.buf))
		if a.done {
			return nil
		}
		if err := a.fill(); err != nil {
			return err
		}
	}
}

func (a *aligner) discard(n int64) error {
	for n > 0 && !(a.done && len(a.buf) == 0) {
		k := int(min(n, int64(len(a.buf))))
		a.drop(k)
		n -= int64(k)
		if n > 0 {
			if err := a.fill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// lines returns the next lines, up to the one that holds the byte before end;
// none when that is behind.
func (a *aligner) lines(end int64) ([]byte, error) {
	for {
		if a.at >= end {
			return nil, nil
		}
		if len(a.buf) == 0 || a.at+int64(len(a.buf)) < end && len(a.buf) < alignBytes {
			if err := a.fill(); err != nil {
				return nil, err
			}
		}
		n := len(a.buf)
		if last := end - 1 - a.at; last < int64(n) {
			// The line that holds the last byte goes on to its end.
			if k := bytes.IndexByte(a.buf[last:], '\n'); k >= 0 {
				n = int(last) + k + 1
			} else if !a.done {
				if err := a.fill(); err != nil {
					return nil, err
				}
				continue
			}
		} else if k := bytes.LastIndexByte(a.buf, '\n'); k >= 0 {
			n = k + 1
		} else if !a.done {
			if err := a.fill(); err != nil {
				return nil, err
			}
			continue
		}
		text := a.buf[:n]
		a.drop(n)
		return text, nil
	}
}

// openText opens bytes start to end of a text, without its gzip.
func openText(ctx context.Context, name string, start, end int64) (io.ReadCloser, error) {
	if !isPacked(name) {
		return store.OpenRange(ctx, name, start, end-start)
	}
	f, err := store.OpenRange(ctx, name, 0, 1<<62)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err == nil {
		_, err = io.CopyN(io.Discard, z, start)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &unzipped{Reader: z, file: f}, nil
}

type unzipped struct {
	io.Reader
	file io.Closer
}

func (u *unzipped) Close() error { return u.file.Close() }
