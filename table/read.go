package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Header says whether the first record of a text file names the columns.
type Header uint8

// The ways to treat the first record.
const (
	HeaderGuess Header = iota // by what it looks like
	HeaderYes
	HeaderNo
)

// Options tunes Read and Open. The zero value is ready to use.
type Options struct {
	Header    Header   // of CSV and TSV
	Delimiter byte     // of CSV; 0 means to find it out
	AsWritten []string // columns, by name or by number from 1, whose cells are kept as text in full, such as ids
	Array     string   // of NPZ: the one array to read; "" means all
	BlockRows int      // rows a block of Open; 0 means what suits the format

	// MaxMemory bounds what the reader holds, in bytes. 0 means 64 MiB and
	// 100 times the size of the file on disk, which no honest table needs and
	// which keeps a small file from unfolding without end.
	MaxMemory int64

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

// A source is an open file on its way to a reader.
type source struct {
	name   string
	r      io.Reader   // of the file's bytes, without its gzip
	at     io.ReaderAt // of the file itself; nil for standard input and gzip
	size   int64       // of what r yields; negative when unknown
	packed bool        // gzip
	budget *budget
	close  func() error
}

// An opener opens the same file again and again.
type opener func() (*source, error)

// fileOpener opens a file, or standard input, whose text it keeps when it will
// be needed again.
func fileOpener(path string, opts *Options, keep bool) opener {
	if path != "-" {
		return func() (*source, error) { return openFile(path, opts) }
	}
	var text []byte
	return func() (*source, error) {
		switch {
		case opts.Stdin == nil:
			return nil, failure("-", "there is no standard input to read")
		case !keep:
			b := newBudget("stdin", opts.MaxMemory, 0)
			return &source{name: "stdin", r: bufio.NewReader(opts.Stdin), size: -1, budget: b, close: func() error { return nil }}, nil
		case text == nil:
			var err error
			if text, err = io.ReadAll(opts.Stdin); err != nil {
				return nil, readFailure("stdin", err)
			}
		}
		return openBytes("stdin", text, opts)
	}
}

func openFile(path string, opts *Options) (*source, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, readFailure(path, err)
	case info.IsDir():
		return nil, failure(path, "is a folder, not a table")
	case !info.Mode().IsRegular():
		return nil, failure(path, "is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, readFailure(path, err)
	}
	s := &source{name: path, r: f, at: f, size: info.Size(), close: f.Close, budget: newBudget(path, opts.MaxMemory, info.Size())}
	if err := s.unzip(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// openBytes opens a file that is in memory.
func openBytes(name string, data []byte, opts *Options) (*source, error) {
	r := bytes.NewReader(data)
	size := int64(len(data))
	s := &source{name: name, r: bufio.NewReader(r), at: r, size: size, close: func() error { return nil }, budget: newBudget(name, opts.MaxMemory, size)}
	return s, s.unzip()
}

// unzip takes off the gzip of a file whose name ends in .gz.
func (s *source) unzip() error {
	if !strings.HasSuffix(strings.ToLower(s.name), ".gz") {
		return nil
	}
	b := bufio.NewReaderSize(s.r, 64<<10)
	// gzip takes a text shorter than its header for a file cut short.
	if mark, _ := b.Peek(2); string(mark) != "\x1f\x8b" {
		return readFailure(s.name, gzip.ErrHeader)
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return readFailure(s.name, err)
	}
	s.r, s.at, s.size, s.packed = z, nil, -1, true
	return nil
}

// isJSON reports whether standard input begins like JSON lines.
func (s *source) isJSON() bool {
	b, ok := s.r.(*bufio.Reader)
	if !ok {
		return false
	}
	head, _ := b.Peek(64)
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{"))
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
		t, again, err := readOnce(path, open, opts, kinds)
		if err != nil || again == nil {
			return t, err
		}
		for j, kind := range again {
			kinds[j] = kind
		}
	}
}

// readOnce reads the table with the kinds given; again has columns that must be
// read as another kind.
func readOnce(path string, open opener, opts *Options, kinds map[int]Kind) (t *Table, again map[int]Kind, err error) {
	r, err := openTable(path, open, opts, kinds)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var blocks []*Table
	for {
		b, err := r.block()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		blocks = append(blocks, b)
	}
	t, err = join(blocks, r)
	if err != nil {
		return nil, nil, err
	}
	if r.format != "csv" && r.format != "tsv" && r.format != "jsonl" {
		return t, nil, nil
	}
	for j := range t.Columns {
		if kind, ok := t.Columns[j].misread(); ok {
			if again == nil {
				again = make(map[int]Kind)
			}
			again[j] = kind
		}
	}
	return t, again, nil
}
