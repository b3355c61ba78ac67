package dataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"rot.example/rot/internal/budget"
	"rot.example/rot/table"
)

// Options tunes Load and LoadTogether. The zero value is ready to use.
type Options struct {
	// IDColumn and LabelColumn say which column holds the names and which
	// the labels of the rows: by name, or by number counted from 1 as a
	// spreadsheet counts; a name wins over a number. In an .npz file they
	// are names of arrays, and a spec that names labels needs no LabelColumn.
	// Other formats have no columns to choose from, and setting either is an
	// error there.
	IDColumn    string
	LabelColumn string

	// Of the other columns, Columns are used, all if there are none, but for
	// those in Ignore; patterns with * and numbers from 1 are names, too.
	Columns, Ignore []string
	Lenient         bool // names in Ignore need not be there
	Bare            bool // nor need IDColumn and LabelColumn

	Header table.Header // of CSV and TSV: whether the first record has names

	// How columns become numbers. Encoding, made for other data before, goes
	// before Scale, Missing and Clock, for a new one.
	Encoding  *table.Encoding
	Scale     table.Scale
	Missing   table.Missing
	Clock     bool
	FileOrder bool // components stand in the order of the columns, not of their names

	// Sample is how many rows of a longer table are kept, drawn at random by
	// SampleSeed; 0 means all. They are named by their numbers in the file where
	// they have no ids. Of a spec that chooses rows all of these are kept.
	Sample     int
	SampleSeed uint64

	// Single lets the rows of an array of many columns stay in single precision,
	// in Points.Single, where that holds all of its numbers and nothing is to be
	// done to them.
	Single bool

	MaxMemory int64     // for a file, in bytes; see table.Options
	Stdin     io.Reader // what the spec "-" reads
}

const supported = "supported are .csv, .tsv, .parquet, .arrow, .feather, .jsonl, .npy, .npz and IDX files " +
	"(.csv, .tsv, .jsonl, .npy and IDX also as .gz), - for CSV on standard input, and synth:NAME"

// Load reads the sample that spec stands for; the package comment lists what
// spec may be. opts may be nil. The errors are those of LoadTogether.
func Load(spec string, opts *Options) (*Table, error) {
	all, err := LoadTogether([]string{spec}, opts)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// splitSpec takes apart FILE.npz:ARRAYS and IMAGES,LABELS. A file that exists
// under the whole name is that file.
func splitSpec(spec string) (path, part string) {
	if _, err := os.Stat(spec); err == nil {
		return spec, ""
	}
	if k := strings.LastIndex(lowerASCII(spec), ".npz:"); k >= 0 {
		return spec[:k+len(".npz")], spec[k+len(".npz:"):]
	}
	for k, c := range spec {
		if c == ',' && formatOf(spec[:k]) == "idx" {
			return spec[:k], spec[k+1:]
		}
	}
	return spec, ""
}

// lowerASCII is s with its ASCII letters in lower case. Unlike strings.ToLower
// it leaves every byte at its place.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// checkFile is the format of the file at path, or what keeps it from being
// read; spec is what the user gave.
func checkFile(spec, path string) (string, error) {
	format := formatOf(path)
	info, err := os.Stat(path)
	switch {
	case spec == "":
		return "", fileError(`""`, "no file given; %s", supported)
	case spec == "-":
		return "", fileError(spec, "standard input is taken as a whole; save it to a file to choose some of its rows")
	case strings.HasPrefix(spec, "stack:"):
		return "", fileError(spec, "is an image stack; image stacks are not point files")
	case errors.Is(err, fs.ErrNotExist) && format == "":
		e := fileError(spec, "no such file; %s", supported)
		e.Err = err
		return "", e
	case err != nil:
		return "", readError(path, err)
	case info.IsDir():
		return "", fileError(spec, "is a folder; image folders are not point files")
	case format == "":
		return "", fileError(spec, "%s; %s", whatIs(path), supported)
	}
	return format, nil
}

// whatIs names a file that is not a point file.
func whatIs(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp":
		return "is an image, not a point file"
	case ".bin":
		return "is no point file (CIFAR batches hold images)"
	case "":
		return "has no ending that says what it is"
	default:
		return "ends in " + ext + ", which is no known format"
	}
}

var idxName = regexp.MustCompile(`(^|[-._])idx\d?(-\w+)?$`)

// formatOf tells a file's format by its name; "" means unknown.
func formatOf(path string) string {
	name := strings.ToLower(filepath.Base(path))
	plain := strings.TrimSuffix(name, ".gz")
	if idxName.MatchString(plain) {
		return "idx"
	}
	return table.FormatOf(path)
}

// An input is an open file, decompressed if its name ends in .gz.
type input struct {
	io.Reader
	file   *os.File
	size   int64 // of what Reader yields; -1 when unknown
	packed int64 // of the file on disk
}

func open(path string) (*input, error) {
	in, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	in.packed = in.size
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		b := bufio.NewReader(in.file)
		// gzip takes a text shorter than its header for a file cut short.
		if mark, _ := b.Peek(2); string(mark) != "\x1f\x8b" {
			in.Close()
			return nil, readError(path, gzip.ErrHeader)
		}
		z, err := gzip.NewReader(b)
		if err != nil {
			in.Close()
			return nil, readError(path, err)
		}
		in.Reader, in.size = &unfolding{r: z, size: in.packed}, -1
	}
	return in, nil
}

// bounded is read, and refuses an array that the file may not unfold to. What
// is not compressed does not unfold.
func (in *input) bounded(read headerReader) headerReader {
	if in.size >= 0 {
		return read
	}
	return read.within(in.packed)
}

// unfolding reads what a file of size bytes unfolds to, as far as that may be.
type unfolding struct {
	r    io.Reader
	size int64
	done int64
}

func (u *unfolding) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.done += int64(n)
	if tooMuch := budget.Check(u.size, u.done); tooMuch != nil {
		return 0, tooMuch
	}
	return n, err
}

// Close closes the file.
func (in *input) Close() error { return in.file.Close() }
