package table

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"strings"

	"rot.example/rot/internal/openfile"
)

// A source is an open file on its way to a reader.
type source struct {
	name   string
	r      io.Reader   // of the file's bytes, without its gzip
	at     io.ReaderAt // of the file itself; nil for standard input and gzip
	size   int64       // of what r yields; negative when unknown
	packed bool        // gzip
	budget *account
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
			b := newAccount("stdin", opts.MaxMemory, 0)
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
	f, info, err := openfile.Open(path)
	if err != nil {
		return nil, readFailure(path, err)
	}
	s := &source{name: path, r: f, at: f, size: info.Size(), close: f.Close, budget: newAccount(path, opts.MaxMemory, info.Size())}
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
	s := &source{name: name, r: bufio.NewReader(r), at: r, size: size, close: func() error { return nil }, budget: newAccount(name, opts.MaxMemory, size)}
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
