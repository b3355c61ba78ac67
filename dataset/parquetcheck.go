package dataset

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The Parquet library sets memory aside on the word of the file: the length of
// its footer, of each list in it, of each page. A damaged file can ask for
// more than there is, and running out of memory cannot be recovered from. So
// before the library sees a file, checkParquet walks its footer and its page
// headers and compares what they claim with the bytes that are there.

// maxFooter is far above the footers of real files, a few kilobytes per row
// group.
const maxFooter = 64 << 20

// plausible reports whether so many bytes of a file can stand for so many
// values or bytes of data: run-length coding and compression shrink a lot, but
// not without limit.
func plausible(claim, bytes int64) bool {
	return claim >= 0 && bytes >= 0 && claim <= 1<<24+4096*min(bytes, math.MaxInt64>>13)
}

// checkParquet returns the footer of a flat Parquet file whose claims about
// itself hold.
func checkParquet(file string, r io.ReaderAt, size int64) (*format.FileMetaData, error) {
	var mark [8]byte
	if size < 12 {
		return nil, fileError(file, "is not a Parquet file: it has %d bytes", size)
	}
	if _, err := r.ReadAt(mark[:4], 0); err != nil {
		return nil, readError(file, err)
	}
	if string(mark[:4]) != "PAR1" {
		return nil, fileError(file, "is not a Parquet file: it does not start with PAR1")
	}
	if _, err := r.ReadAt(mark[:], size-8); err != nil {
		return nil, readError(file, err)
	}
	if string(mark[4:]) != "PAR1" {
		return nil, fileError(file, "the Parquet file is cut short: it does not end with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(mark[:]))
	if n > size-12 || n > maxFooter {
		return nil, fileError(file, "the Parquet file is damaged: its footer claims %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, size-8-n); err != nil {
		return nil, readError(file, err)
	}
	meta := new(format.FileMetaData)
	if used, ok := decodeThrift(b, meta); !ok || used != len(b) {
		return nil, fileError(file, "the Parquet file is damaged: its footer cannot be read")
	}
	if err := checkSchema(file, meta.Schema); err != nil {
		return nil, err
	}
	return meta, checkRowGroups(file, r, size, meta)
}

func checkSchema(file string, schema []format.SchemaElement) error {
	if len(schema) < 2 {
		return fileError(file, "the Parquet file has no columns")
	}
	for i := range schema[1:] {
		c := &schema[1+i]
		list := c.RepetitionType != nil && *c.RepetitionType == format.Repeated
		if c.NumChildren != 0 || c.Type == nil || list {
			return fileError(file, "column %s is a list or a group; only flat columns of numbers are read", quote(c.Name))
		}
	}
	if int(schema[0].NumChildren) != len(schema)-1 {
		return fileError(file, "the Parquet file is damaged: it declares %d columns and describes %d", schema[0].NumChildren, len(schema)-1)
	}
	return nil
}

func checkRowGroups(file string, r io.ReaderAt, size int64, meta *format.FileMetaData) error {
	var rows, values int64
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		if len(g.Columns) != len(meta.Schema)-1 {
			return fileError(file, "the Parquet file is damaged: row group %d has %d columns of %d", i, len(g.Columns), len(meta.Schema)-1)
		}
		for j := range g.Columns {
			c := &g.Columns[j]
			if c.FilePath != "" {
				return fileError(file, "keeps its columns in other files (%s); merge them into one", quote(c.FilePath))
			}
			n, ok := checkPages(r, size, &c.MetaData)
			if !ok || n != g.NumRows {
				return fileError(file, "the Parquet file is damaged: the pages of column %s do not add up in row group %d", quote(meta.Schema[1+j].Name), i)
			}
			values += n // cannot overflow: each page was held against its bytes
		}
		rows += g.NumRows
	}
	switch {
	case rows != meta.NumRows:
		return fileError(file, "the Parquet file is damaged: it declares %d rows and holds %d", meta.NumRows, rows)
	case !plausible(values, size):
		return fileError(file, "the Parquet file claims %d values in %d bytes", values, size)
	case rows == 0:
		return fileError(file, "the Parquet file has no rows")
	}
	return nil
}

// checkPages counts the values in the pages of a column chunk and checks that
// the pages fill the chunk.
func checkPages(r io.ReaderAt, size int64, c *format.ColumnMetaData) (values int64, ok bool) {
	at := c.DataPageOffset
	if c.DictionaryPageOffset != 0 {
		at = c.DictionaryPageOffset
	}
	if at < 0 || at > size || c.TotalCompressedSize < 0 || c.TotalCompressedSize > size-at {
		return 0, false
	}
	end := at + c.TotalCompressedSize
	for at < end {
		h, n, ok := readPageHeader(r, at, end)
		if !ok {
			return 0, false
		}
		at += int64(n)
		length := int64(h.CompressedPageSize)
		if length < 0 || length > end-at || !plausible(int64(h.UncompressedPageSize), length) {
			return 0, false
		}
		at += length
		var count int32
		switch {
		case h.Type == format.DataPage && h.DataPageHeader != nil:
			count = h.DataPageHeader.NumValues
			values += int64(count)
		case h.Type == format.DataPageV2 && h.DataPageHeaderV2 != nil:
			count = h.DataPageHeaderV2.NumValues
			values += int64(count)
		case h.Type == format.DictionaryPage && h.DictionaryPageHeader != nil:
			count = h.DictionaryPageHeader.NumValues
		default:
			return 0, false
		}
		if !plausible(int64(count), length) {
			return 0, false
		}
	}
	return values, true
}

// readPageHeader reads the header at this offset and returns its length.
func readPageHeader(r io.ReaderAt, at, end int64) (*format.PageHeader, int, bool) {
	// Statistics can make a header long, though it hardly ever is.
	for _, window := range []int64{512, 1 << 20} {
		b := make([]byte, min(window, end-at))
		if _, err := r.ReadAt(b, at); err != nil {
			return nil, 0, false
		}
		h := new(format.PageHeader)
		if n, ok := decodeThrift(b, h); ok {
			return h, n, true
		}
	}
	return nil, 0, false
}

// decodeThrift decodes the struct at the start of b into v and returns its
// length. It is strict: a field of another type than v has is an error, so
// that the library, which reads on past such a field, sees what was checked.
func decodeThrift(b []byte, v any) (int, bool) {
	t := thriftText{b: b}
	if !t.skip(thriftStruct, 0) {
		return 0, false
	}
	p := new(thrift.CompactProtocol)
	d := thrift.NewDecoder(p.NewReader(bytes.NewReader(b[:t.i])))
	d.SetStrict(true)
	return t.i, d.Decode(v) == nil
}
