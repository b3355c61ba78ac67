// Package shards reads tables that are spread over many files, in blocks.
//
// The shards of a table are read as if they were one file, in the order of their
// names: columns and their kinds are those of its beginning, and rows count from
// 0 on through all shards. A block is some whole rows of a shard: a range of
// bytes of text, or row groups of Parquet.
package shards

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/store"
	"rot.example/rot/table"
)

// Unless Options says otherwise a table has about manyBlocks blocks, so that
// cores finish at about the same time, but none below minBlock bytes or beyond
// maxBlock: an engine's cost for an element must be nothing, and a lost worker's
// work not too much.
const (
	manyBlocks = 128
	minBlock   = 1 << 20
	maxBlock   = 16 << 20
)

// blockSize is how many bytes a block of the input has.
func (o *Options) blockSize(in *Input) int64 {
	if o.Block > 0 {
		return o.Block
	}
	return min(max(sum(in.Sizes)/manyBlocks, minBlock), maxBlock)
}

// Options tunes Open. The zero value is ready to use.
type Options struct {
	Block     int64 // bytes a block; 0 means a 128th of the table, but 1 to 16 MiB
	Header    table.Header
	AsWritten []string // see table.Options
	SkipBad   int64    // lines that need not be readable
}

// A Format is what has to be known to read a block by itself.
type Format struct {
	Parquet   bool          `json:"parquet,omitempty"`
	Layout    *table.Layout `json:"layout,omitempty"` // of text
	AsWritten []string      `json:"as_written,omitempty"`
}

// A Block is some whole rows of a shard.
type Block struct {
	Shard  string `json:"shard"`
	Number int    `json:"number"`          // among all blocks
	Start  int64  `json:"start,omitempty"` // bytes of text, without the gzip
	End    int64  `json:"end,omitempty"`
	First  int    `json:"first,omitempty"` // row groups of Parquet
	Last   int    `json:"last,omitempty"`
	Row    int64  `json:"row"` // number of the first row among all
	Rows   int64  `json:"rows"`
	Line   int64  `json:"line,omitempty"` // of the first row in its shard
}

// An Input is a table in shards.
type Input struct {
	Format Format
	Names  []string // of the shards
	Sizes  []int64  // in bytes
	RowsOf []int64  // rows of each shard
	Blocks []Block
	Rows   int64
	Fields []table.LayoutColumn
}

// Probe returns a table of the input's columns without rows.
func (in *Input) Probe() *table.Table {
	t := &table.Table{Name: in.Names[0], Named: in.Format.Layout == nil || in.Format.Layout.Named}
	for _, f := range in.Fields {
		t.Columns = append(t.Columns, table.Column{Name: f.Name, Kind: f.Kind, Width: f.Width, Index: f.Index})
	}
	return t
}

// Open finds the shards that patterns stand for, checks that they are parts of
// one table, and counts the rows of each block. What is wrong with the data is
// an *engine.DataError.
func Open(ctx context.Context, job *engine.Job, patterns []string, opts *Options) (*Input, error) {
	all, err := OpenAll(ctx, job, [][]string{patterns}, opts)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// OpenAll opens several inputs as Open does one.
func OpenAll(ctx context.Context, job *engine.Job, patterns [][]string, opts *Options) ([]*Input, error) {
	if opts == nil {
		opts = &Options{}
	}
	var inputs, texts []*Input
	var specs [][]byte
	var parts [][][]byte
	for _, p := range patterns {
		in, err := find(ctx, p, opts)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
		if in.Format.Parquet {
			if err := in.openParquet(ctx, opts); err != nil {
				return nil, err
			}
			continue
		}
		spec, elements, err := in.openText(ctx, opts)
		if err != nil {
			return nil, err
		}
		texts, specs, parts = append(texts, in), append(specs, spec), append(parts, elements)
	}
	if len(texts) > 0 {
		out, err := job.RunEach(ctx, indexTask, specs, parts)
		if err != nil {
			return nil, err
		}
		for k, in := range texts {
			var counts []counted
			if err := json.Unmarshal(out[k], &counts); err != nil {
				return nil, err
			}
			if err := in.settle(counts); err != nil {
				return nil, err
			}
		}
	}
	for _, in := range inputs {
		for k := range in.Blocks {
			in.Blocks[k].Number = k
		}
	}
	return inputs, nil
}

// find lists the shards.
func find(ctx context.Context, patterns []string, opts *Options) (*Input, error) {
	in := &Input{Format: Format{AsWritten: opts.AsWritten}}
	names, err := store.List(ctx, patterns...)
	if err != nil {
		return nil, &engine.DataError{Err: err}
	}
	if err := complete(names); err != nil {
		return nil, &engine.DataError{Err: err}
	}
	for _, name := range names {
		if name, err = store.Absolute(name); err != nil {
			return nil, err
		}
		in.Names = append(in.Names, name)
		size, err := store.Size(ctx, name)
		if err != nil {
			return nil, &engine.DataError{Err: err}
		}
		if size == 0 {
			return nil, dataErrorf("%s: the shard is empty", name)
		}
		in.Sizes = append(in.Sizes, size)
	}
	format := table.FormatOf(in.Names[0])
	for _, name := range in.Names {
		if f := table.FormatOf(name); f != format {
			return nil, dataErrorf("%s: is %s by its name, and %s is %s", name, orUnknown(f), in.Names[0], orUnknown(format))
		}
	}
	switch format {
	case "parquet":
		in.Format.Parquet = true
	case "csv", "tsv", "jsonl":
	default:
		return nil, dataErrorf("%s: shards are .csv, .tsv, .jsonl (these also as .gz) or .parquet", in.Names[0])
	}
	return in, nil
}

func orUnknown(format string) string {
	if format == "" {
		return "no table"
	}
	return format
}

func dataErrorf(format string, args ...any) error {
	return &engine.DataError{Err: fmt.Errorf(format, args...)}
}

var numbered = regexp.MustCompile(`^(.*?)(\d+)-of-(\d+)(.*)$`)

// complete checks that names such as part-00003-of-00010.csv are all there.
func complete(names []string) error {
	have := map[string][]int{}
	for _, name := range names {
		m := numbered.FindStringSubmatch(name)
		if m == nil {
			return nil
		}
		k, _ := strconv.Atoi(m[2])
		key := m[1] + "\x00" + m[3] + "\x00" + m[4]
		have[key] = append(have[key], k)
	}
	for key, numbers := range have {
		part := strings.Split(key, "\x00")
		total, err := strconv.Atoi(part[1])
		if err != nil || total > 1<<24 {
			continue
		}
		first := 0
		if !slices.Contains(numbers, 0) && slices.Contains(numbers, total) {
			first = 1 // counted from 1
		}
		var missing []string
		for k := first; k < first+total; k++ {
			if !slices.Contains(numbers, k) {
				missing = append(missing, fmt.Sprintf("%s%0*d-of-%s%s", part[0], len(part[1]), k, part[1], part[2]))
			}
		}
		if n := len(missing); n > 0 {
			return fmt.Errorf("%d of %d shards are missing: %s%s", n, total, strings.Join(missing[:min(n, 3)], ", "), map[bool]string{true: ", …"}[n > 3])
		}
	}
	return nil
}

func (in *Input) openParquet(ctx context.Context, opts *Options) error {
	size := opts.blockSize(in)
	for k, name := range in.Names {
		groups, columns, err := table.ParquetGroups(name, store.At{Ctx: ctx, Name: name}, in.Sizes[k], &table.Options{AsWritten: opts.AsWritten})
		if err != nil {
			return &engine.DataError{Err: err}
		}
		if k == 0 {
			in.Fields = columns
		} else if d := table.DifferentColumns(in.Fields, columns); d != "" {
			return dataErrorf("%s: %s, as %s has it", name, d, in.Names[0])
		}
		for j := range columns {
			if a, b := in.Fields[j].Kind, columns[j].Kind; a != b {
				return dataErrorf("%s: column %q holds %vs, and in %s %vs", name, columns[j].Name, b, in.Names[0], a)
			}
		}
		var rows int64
		// Small groups go together, up to about a block.
		perRow := float64(in.Sizes[k]) / float64(max(1, sum(groups)))
		for g := 0; g < len(groups); {
			b := Block{Shard: name, First: g, Row: in.Rows + rows}
			for g < len(groups) && (b.Rows == 0 || float64(b.Rows+groups[g])*perRow <= float64(size)) {
				b.Rows += groups[g]
				g++
			}
			b.Last = g
			if b.Rows > 0 {
				in.Blocks = append(in.Blocks, b)
			}
			rows += b.Rows
		}
		in.RowsOf = append(in.RowsOf, rows)
		in.Rows += rows
	}
	return nil
}

func sum(v []int64) (s int64) {
	for _, x := range v {
		s += x
	}
	return s
}

// openText finds the layout and returns the task that counts records, and the
// parts to count.
func (in *Input) openText(ctx context.Context, opts *Options) (spec []byte, elements [][]byte, err error) {
	layout, err := in.layout(ctx, opts)
	if err != nil {
		return nil, nil, &engine.DataError{Err: err}
	}
	in.Format.Layout, in.Fields = layout, layout.Columns
	size := opts.blockSize(in)
	header := table.HeaderNo
	if layout.Named {
		header = table.HeaderYes
	}
	index := indexSpec{Layout: layout, Header: header, AsWritten: opts.AsWritten, First: in.Names[0], SkipBad: opts.SkipBad}
	if layout.Format == "jsonl" {
		if index.Keys, err = in.keys(ctx, opts); err != nil {
			return nil, nil, &engine.DataError{Err: err}
		}
	}
	if spec, err = json.Marshal(index); err != nil {
		return nil, nil, err
	}
	for k, name := range in.Names {
		n := max(1, (in.Sizes[k]+size-1)/size)
		if isPacked(name) {
			n = 1 // gzip has to be read from its beginning
		}
		for p := range n { // equal parts: engines do not balance within a bundle
			e, err := json.Marshal(part{Shard: k, Part: int(p), Name: name, Start: in.Sizes[k] * p / n, End: in.Sizes[k] * (p + 1) / n, Size: in.Sizes[k]})
			if err != nil {
				return nil, nil, err
			}
			elements = append(elements, e)
		}
	}
	return spec, elements, nil
}

// settle finds out from the counts of all parts which bytes are which rows.
func (in *Input) settle(counts []counted) error {
	slices.SortFunc(counts, func(a, b counted) int {
		if a.Shard != b.Shard {
			return a.Shard - b.Shard
		}
		return a.Part - b.Part
	})
	for lo := 0; lo < len(counts); {
		hi := lo
		for hi < len(counts) && counts[hi].Shard == counts[lo].Shard {
			hi++
		}
		name := in.Names[counts[lo].Shard]
		open := false
		line, rows := counts[lo].Line, int64(0)
		first := len(in.Blocks)
		for _, c := range counts[lo:hi] {
			if c.Start < counts[lo].Skip {
				return dataErrorf("%s: the header is longer than a block; take larger blocks", name)
			}
			n := c.Outside
			if open {
				n = c.Inside
			}
			if n.Records > 0 {
				if k := len(in.Blocks); k > first {
					in.Blocks[k-1].End = c.Start + n.First
				}
				in.Blocks = append(in.Blocks, Block{Shard: name, Start: c.Start + n.First, End: c.End, Row: in.Rows + rows, Rows: n.Records, Line: line + n.Before})
			} else if k := len(in.Blocks); k > first {
				in.Blocks[k-1].End = c.End
			}
			rows, line, open = rows+n.Records, line+n.Lines, n.Open
		}
		if rows == 0 {
			return dataErrorf("%s: the shard has no rows", name)
		}
		if k := len(in.Blocks); k > first {
			in.Blocks[k-1].End = counts[hi-1].End
		}
		in.RowsOf = append(in.RowsOf, rows)
		in.Rows += rows
		lo = hi
	}
	return nil
}

func isPacked(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".gz") }
