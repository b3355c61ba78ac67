package table

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// textReader turns text of the usual encodings into UTF-8 with newlines: it
// takes off a byte order mark, decodes UTF-16 and replaces bare carriage
// returns. It refuses what is not text.
func textReader(file string, r io.Reader) (io.Reader, []string, error) {
	b := bufio.NewReaderSize(r, 256<<10)
	head, err := b.Peek(64 << 10)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, nil, readFailure(file, err)
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		b.Discard(2)
		return &utf16Reader{r: b, order: binary.LittleEndian}, []string{"read as UTF-16"}, nil
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		b.Discard(2)
		return &utf16Reader{r: b, order: binary.BigEndian}, []string{"read as UTF-16"}, nil
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		b.Discard(3)
		head = head[3:]
	case bytes.HasPrefix(head, []byte{0x1F, 0x8B}):
		return nil, nil, failure(file, "is gzip data; end its name in .gz")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, nil, failure(file, "is a zip archive or a spreadsheet, not text; save the sheet as CSV")
	case bytes.HasPrefix(head, []byte("PAR1")):
		return nil, nil, failure(file, "is a Parquet file; end its name in .parquet")
	case len(head) >= 4 && head[1] == 0 && head[3] == 0 && head[0] != 0:
		return &utf16Reader{r: b, order: binary.LittleEndian}, []string{"read as UTF-16"}, nil
	case len(head) >= 4 && head[0] == 0 && head[2] == 0 && head[1] != 0:
		return &utf16Reader{r: b, order: binary.BigEndian}, []string{"read as UTF-16"}, nil
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, nil, failure(file, "is not text: it begins with zero bytes among others")
	}
	if bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		return &newlineReader{b}, []string{"lines end in carriage returns"}, nil
	}
	return b, nil, nil
}

// A utf16Reader decodes UTF-16 into UTF-8.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
	out   []byte
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		in := make([]byte, 16<<10)
		n, err := io.ReadFull(u.r, in)
		if n == 0 {
			return 0, err
		}
		units := make([]uint16, 0, n/2+1)
		for k := 0; k+1 < n; k += 2 {
			units = append(units, u.order.Uint16(in[k:]))
		}
		// A character in two halves may be cut in the middle.
		if k := len(units) - 1; k >= 0 && units[k]&0xFC00 == 0xD800 {
			if next, err := u.r.Peek(2); err == nil {
				units = append(units, u.order.Uint16(next))
				u.r.Discard(2)
			}
		}
		for _, r := range utf16.Decode(units) {
			u.out = utf8.AppendRune(u.out, r)
		}
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// A newlineReader turns carriage returns into newlines.
type newlineReader struct{ r io.Reader }

func (r *newlineReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for k, c := range p[:n] {
		if c == '\r' {
			p[k] = '\n'
		}
	}
	return n, err
}
