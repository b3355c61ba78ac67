package shards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"rot.example/rot/table"
)

// layout is that of the beginning of all shards, one behind the other.
func (in *Input) layout(ctx context.Context, opts *Options) (*table.Layout, error) {
	var head []byte
	var first *table.Layout
	o := &table.Options{Header: opts.Header, AsWritten: opts.AsWritten}
	for k, name := range in.Names {
		text, err := readHead(ctx, name, in.Sizes[k])
		if err != nil {
			return nil, err
		}
		l, err := findLayout(name, text, o, opts.SkipBad)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			first = l
			o.Header = table.HeaderNo
			if l.Named {
				o.Header = table.HeaderYes
			}
		} else {
			if d := first.Differs(l); d != "" {
				return nil, fmt.Errorf("%s: %s, as %s has it", name, d, in.Names[0])
			}
			text = text[l.Skip:]
			if len(head) > 0 && head[len(head)-1] != '\n' {
				head = append(head, '\n')
			}
		}
		head = append(head, text...)
		if len(head) >= table.HeadBytes {
			break
		}
	}
	o.Header = opts.Header
	return findLayout(in.Names[0], head, o, opts.SkipBad)
}

// findLayout finds a layout by the beginning of a text, leaving out up to skip
// lines of JSON that cannot be read. Lines of CSV do not keep it from being found.
func findLayout(name string, head []byte, o *table.Options, skip int64) (*table.Layout, error) {
	for ; ; skip-- {
		l, err := table.FindLayout(name, head, o)
		var bad *table.Error
		if err == nil || skip <= 0 || table.FormatOf(name) != "jsonl" || !errors.As(err, &bad) || bad.Line < 1 {
			return l, err
		}
		lines := bytes.SplitAfter(head, []byte{'\n'})
		if bad.Line > len(lines) {
			return l, err
		}
		head = bytes.Join(slices.Delete(lines, bad.Line-1, bad.Line), nil)
	}
}

// keys are the columns of the first shard by itself.
func (in *Input) keys(ctx context.Context, opts *Options) ([]string, error) {
	head, err := readHead(ctx, in.Names[0], in.Sizes[0])
	if err != nil {
		return nil, err
	}
	l, err := findLayout(in.Names[0], head, &table.Options{AsWritten: opts.AsWritten}, opts.SkipBad)
	if err != nil {
		return nil, err
	}
	return columnNames(l), nil
}

func columnNames(l *table.Layout) (names []string) {
	for _, c := range l.Columns {
		names = append(names, c.Name)
	}
	return names
}

// renamed says which column of JSON a shard lacks where it has another in its
// place; "" where it does not. One that it only lacks, or only has more, may be
// a key that not every object has.
func renamed(keys []string, l *table.Layout) string {
	if keys == nil {
		return ""
	}
	have := columnNames(l)
	lacks := slices.IndexFunc(keys, func(k string) bool { return !slices.Contains(have, k) })
	more := slices.IndexFunc(have, func(k string) bool { return !slices.Contains(keys, k) })
	if lacks < 0 || more < 0 {
		return ""
	}
	return fmt.Sprintf("has no column %q, and has a column %q", keys[lacks], have[more])
}

func readHead(ctx context.Context, name string, size int64) ([]byte, error) {
	r, err := openText(ctx, name, 0, size)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, table.HeadBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}
