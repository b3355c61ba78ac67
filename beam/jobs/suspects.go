package jobs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/beam/store"
)

// A suspectsSpec lists the rows up to the cut.
type suspectsSpec struct {
	Out string
	Cut float64
}

// Run implements engine.Task: it reads a file of scores again.
func (s *suspectsSpec) Run(ctx context.Context, element []byte) ([]byte, error) {
	var f FileInfo
	if err := json.Unmarshal(element, &f); err != nil {
		return nil, err
	}
	r, err := store.OpenRange(ctx, store.Join(s.Out, f.File), 0, f.Bytes)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	info := FileInfo{File: strings.TrimSuffix(strings.Replace(f.File, "scores/", "suspects/", 1), ".csv") + ".txt", Shard: f.Shard, Row: f.Row}
	var text bytes.Buffer
	if info.Rows, err = listSuspects(&text, r, s.Cut); err != nil {
		return nil, fmt.Errorf("%s: %w", f.File, err)
	}
	if info.Rows == 0 {
		return json.Marshal([]FileInfo{})
	}
	info.Bytes, info.SHA256, err = writePart(ctx, store.Join(s.Out, info.File), func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal([]FileInfo{info})
}

// listSuspects copies the ids, as they are written, of rows whose p-value is at
// most cut. A record may run over several lines where an id does.
func listSuspects(w io.Writer, r io.Reader, cut float64) (n int64, err error) {
	scan := bufio.NewReaderSize(r, 1<<20)
	var record []byte
	for first := true; ; {
		line, err := scan.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		record = append(record, line...)
		if bytes.Count(record, []byte{'"'})%2 == 1 {
			continue
		}
		if first {
			first, record = false, record[:0]
			continue
		}
		text := bytes.TrimSuffix(record, []byte{'\n'})
		last := bytes.LastIndexByte(text, ',')
		before := bytes.LastIndexByte(text[:max(last, 0)], ',')
		begin := bytes.IndexByte(text, ',')
		if begin < 0 || before <= begin {
			return n, fmt.Errorf("%q is no line of scores", text)
		}
		p, err := strconv.ParseFloat(string(text[last+1:]), 64)
		if err != nil {
			return n, err
		}
		if p <= cut {
			n++
			if _, err := w.Write(append(text[begin+1:before:before], '\n')); err != nil {
				return n, err
			}
		}
		record = record[:0]
	}
}

// Merge implements engine.Task.
func (s *suspectsSpec) Merge(a, b []byte) ([]byte, error) {
	var x, y []FileInfo
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	x = append(x, y...)
	slices.SortFunc(x, func(a, b FileInfo) int { return strings.Compare(a.File, b.File) })
	return json.Marshal(x)
}
