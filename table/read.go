package table

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Header says whether the first record of a text file names the columns.
type Header string

// The ways to treat the first record.
const (
	HeaderGuess Header = ""    // by what it looks like
	HeaderYes   Header = "yes" // it does
	HeaderNo    Header = "no"  // it is a row
)

// Options tunes Read and Open. The zero value is ready to use.
type Options struct {
	Header    Header   // of CSV and TSV
	Delimiter byte     // of CSV; 0 means to find it out
	AsWritten []string // columns, by name or by number from 1, whose cells are kept as text in full, such as ids
	Array     string   // of NPZ: the one array to read; "" means all
	BlockRows int      // rows a block of Open; 0 means what suits the format

	// MaxMemory bounds what the reader holds, in bytes. 0 means the limit of
	// the process if it has one, and else 64 MiB and 64 times the size of the
	// file on disk, which honest tables stay below and which keeps a small file
	// from unfolding without end.
	MaxMemory int64

	// Sample is how many rows Read keeps of a longer table, drawn at random by
	// SampleSeed and in the order of the file; 0 means all. What Read holds then
	// does not grow with the file. Table.Sampled says which rows they are.
	Sample     int
	SampleSeed uint64

	Stdin io.Reader // what the name "-" reads, as CSV or JSON lines
}

// Formats lists the endings of names that are read.
const Formats = ".csv, .tsv, .parquet, .npy, .npz, .arrow, .feather and .jsonl (.csv, .tsv, .npy and .jsonl also as .gz)"

// FormatOf returns the format of a file by its name, "" when it is none.
func FormatOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	plain := strings.TrimSuffix(name, ".gz")
	packed := plain != name
	switch ext := filepath.Ext(plain); ext {
	case ".csv", ".tsv", ".npy", ".jsonl":
		return ext[1:]
	case ".ndjson":
		return "jsonl"
	case ".tab":
		return "tsv"
	case ".npz", ".parquet", ".arrow":
		if !packed {
			return ext[1:]
		}
	case ".pq":
		if !packed {
			return "parquet"
		}
	case ".feather", ".ipc", ".arrows":
		if !packed {
			return "arrow"
		}
	}
	return ""
}

// A blockReader yields the rows of a file in blocks.
type blockReader interface {
	schema() (fields []field, named bool)
	next() (*Table, error) // io.EOF after the last
	finish(*Table)         // adds notes after the last
	close()
}

// A Reader yields a table in blocks of rows. All blocks have the columns of
// the first. In a text format the kinds of the columns are those of its
// beginning, and cells of another kind are counted as bad.
type Reader struct {
	blocks blockReader
	src    *source
	format string
	name   string
	cost   int64
}

// Open starts to read a table in blocks. path is "-" for standard input. opts
// may be nil.
func Open(path string, opts *Options) (*Reader, error) {
	if opts == nil {
		opts = &Options{}
	}
	return openTable(path, fileOpener(path, opts, false), opts, nil)
}

func openTable(path string, open opener, opts *Options, kinds map[int]Kind) (*Reader, error) {
	format := FormatOf(path)
	if path == "-" {
		format = "csv"
	}
	if format == "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, readFailure(path, err)
		}
		return nil, failure(path, "is no table by its name; read are %s", Formats)
	}
	src, err := open()
	if err != nil {
		return nil, err
	}
	if path == "-" && src.isJSON() {
		format = "jsonl"
	}
	r := &Reader{src: src, format: format, name: path}
	switch format {
	case "csv":
		r.blocks, err = openCSV(src, 0, opts, kinds)
	case "tsv":
		r.blocks, err = openCSV(src, '\t', opts, kinds)
	case "jsonl":
		r.blocks, err = openJSON(src, opts, kinds)
	case "parquet":
		r.blocks, err = openParquet(src, opts)
	case "npy":
		r.blocks, err = openNPY(src, opts)
	case "npz":
		r.blocks, err = openNPZ(src, opts)
	case "arrow":
		r.blocks, err = openArrow(src, opts)
	}
	if err != nil {
		src.close()
		return nil, readFailure(src.name, err)
	}
	return r, nil
}

// Next returns the next block, and io.EOF after the last. The memory of the
// block before goes back into the budget: a caller that keeps blocks has to
// keep its own account.
func (r *Reader) Next() (*Table, error) {
	r.src.budget.free(r.cost)
	r.cost = 0
	t, err := r.block()
	if err != nil {
		return nil, err
	}
	r.cost = t.cost
	for j := range t.Columns {
		settleWords(&t.Columns[j])
	}
	return t, nil
}

func (r *Reader) block() (*Table, error) {
	t, err := r.blocks.next()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			err = readFailure(r.src.name, err)
		}
		return nil, err
	}
	_, t.Named = r.blocks.schema()
	t.Name, t.Format = r.name, r.format
	return t, nil
}

// Notes returns what the reader has found worth a word so far.
func (r *Reader) Notes() []string {
	var t Table
	r.blocks.finish(&t)
	return t.Notes
}

// Close ends the reading and closes the file.
func (r *Reader) Close() error {
	r.blocks.close()
	return r.src.close()
}

// Read reads a whole table. path is "-" for standard input. opts may be nil.
// Whatever is wrong with the file is an *Error that names the place.
func Read(path string, opts *Options) (*Table, error) {
	if opts == nil {
		opts = &Options{}
	}
	return readAll(path, fileOpener(path, opts, true), opts)
}

// ReadBytes reads a table that is in memory as Read does a file of this name.
func ReadBytes(name string, data []byte, opts *Options) (*Table, error) {
	if opts == nil {
		opts = &Options{}
	}
	return readAll(name, func() (*source, error) { return openBytes(name, data, opts) }, opts)
}

func readAll(path string, open opener, opts *Options) (*Table, error) {
	kinds := make(map[int]Kind)
	for {
		t, revised, err := readOnce(path, open, opts, kinds)
		if err != nil || revised == nil {
			return t, err
		}
		for j, kind := range revised {
			kinds[j] = kind
		}
	}
}

// readOnce reads the table with the kinds given; revised has columns that must be
// read as another kind.
func readOnce(path string, open opener, opts *Options, kinds map[int]Kind) (t *Table, revised map[int]Kind, err error) {
	r, err := openTable(path, open, opts, kinds)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	some := newSampler(opts, r.src.budget)
	for {
		b, err := r.block()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		some.add(b)
	}
	some.shrink()
	places := some.places()
	t, err = join(some.blocks, r)
	if err != nil {
		return nil, nil, err
	}
	if t.Sampled = places; places != nil {
		t.Total, t.Shape, t.line = some.seen, nil, 0
	}
	if r.format != "csv" && r.format != "tsv" && r.format != "jsonl" {
		return t, nil, nil
	}
	for j := range t.Columns {
		if kind, ok := t.Columns[j].misread(); ok {
			if revised == nil {
				revised = make(map[int]Kind)
			}
			revised[j] = kind
		}
	}
	return t, revised, nil
}
