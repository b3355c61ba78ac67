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

// openSource opens the file. Standard input is kept in text, if that is given,
// so that it can be read again.
func openSource(path string, opts *Options, text *[]byte) (*source, error) {
	if path == "-" {
		return openStdin(opts, text)
	}
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
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		b := bufio.NewReaderSize(f, 64<<10)
		// gzip takes a text shorter than its header for a file cut short.
		if mark, _ := b.Peek(2); string(mark) != "\x1f\x8b" {
			f.Close()
			return nil, readFailure(path, gzip.ErrHeader)
		}
		z, err := gzip.NewReader(b)
		if err != nil {
			f.Close()
			return nil, readFailure(path, err)
		}
		s.r, s.at, s.size, s.packed = z, nil, -1, true
	}
	return s, nil
}

// openStdin opens standard input, to be read once, or again and again when its
// text is kept.
func openStdin(opts *Options, text *[]byte) (*source, error) {
	if opts.Stdin == nil {
		return nil, failure("-", "there is no standard input to read")
	}
	s := &source{name: "stdin", size: -1, close: func() error { return nil }}
	if text == nil {
		s.r = bufio.NewReader(opts.Stdin)
		s.budget = newBudget(s.name, opts.MaxMemory, 0)
		return s, nil
	}
	if *text == nil {
		all, err := io.ReadAll(opts.Stdin)
		if err != nil {
			return nil, readFailure(s.name, err)
		}
		*text = all
	}
	s.size = int64(len(*text))
	s.r = bufio.NewReader(bytes.NewReader(*text))
	s.budget = newBudget(s.name, opts.MaxMemory, s.size)
	return s, nil
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
	return openTable(path, opts, nil, nil)
}

func openTable(path string, opts *Options, text *[]byte, kinds map[int]Kind) (*Reader, error) {
	if opts == nil {
		opts = &Options{}
	}
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
	src, err := openSource(path, opts, text)
	if err != nil {
		return nil, err
	}
	r := &Reader{src: src, format: format, name: path}
	switch format {
	case "csv":
		if path == "-" && src.isJSON() {
			r.format = "jsonl"
			r.blocks, err = openJSON(src, opts, kinds)
			break
		}
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
		return nil, err
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
	var text []byte
	var kinds map[int]Kind
	for {
		t, again, err := readOnce(path, opts, &text, kinds)
		if err != nil || again == nil {
			return t, err
		}
		if kinds == nil {
			kinds = make(map[int]Kind)
		}
		for j, kind := range again {
			kinds[j] = kind
		}
	}
}

// readOnce reads the table with the kinds given; again has columns that must be
// read as another kind.
func readOnce(path string, opts *Options, text *[]byte, kinds map[int]Kind) (t *Table, again map[int]Kind, err error) {
	r, err := openTable(path, opts, text, kinds)
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
