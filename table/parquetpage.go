package table

import (
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

// A parquetCursor reads one column of a Parquet file from top to bottom.
type parquetCursor struct {
	r      *parquetReader
	column *parquetColumn

	group   int   // row group to begin next
	at, end int64 // of the pages left in the current chunk
	codec   codec
	dict    *parquetValues
	dictNum []float64 // the dictionary as numbers

	page parquetPage
	held int64 // bytes of the page in the budget
	base int64 // bytes of the dictionary in the budget
}

// A parquetPage is a decoded page: levels, and values where there are any.
type parquetPage struct {
	n        int     // values, nulls among them
	pos      int     // next to hand out
	value    int     // next of the values that are not null
	def, rep []uint8 // nil where all are at their highest or lowest
	values   parquetValues
}

// parquetValues are values that are not null: of one size, back to back; or of
// any; or numbers of entries of the dictionary.
type parquetValues struct {
	n       int
	fixed   []byte
	words   [][]byte
	indexes []uint32 // into the dictionary, when not nil
}

func (c *parquetCursor) fail(err error) error {
	return &Error{File: c.r.file, Column: c.column.name, Msg: fmt.Sprintf("the Parquet file is damaged (%v)", err), Err: err}
}

// nextPage decodes the next page with values. It returns false at the end.
func (c *parquetCursor) nextPage() (bool, error) {
	for {
		if c.at >= c.end {
			if c.group == len(c.r.meta.RowGroups) {
				return false, nil
			}
			if err := c.nextChunk(); err != nil {
				return false, err
			}
			continue
		}
		if err := c.readPage(); err != nil {
			return false, err
		}
		if c.page.n > c.page.pos {
			return true, nil
		}
	}
}

// nextChunk goes to the column's chunk in the next row group.
func (c *parquetCursor) nextChunk() error {
	m := &c.r.meta.RowGroups[c.group].Columns[c.column.leaf].MetaData
	c.group++
	c.at = m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < c.at {
		c.at = d
	}
	if c.at < 0 || c.at > c.r.size || m.TotalCompressedSize < 0 || m.TotalCompressedSize > c.r.size-c.at || m.Type != c.column.physical {
		return c.fail(errPlace)
	}
	c.end = c.at + m.TotalCompressedSize
	codecs := map[format.CompressionCodec]codec{
		format.Uncompressed: codecNone, format.Snappy: codecSnappy, format.Gzip: codecGzip, format.Brotli: codecBrotli,
		format.Zstd: codecZstd, format.Lz4Raw: codecLZ4, format.Lz4: codecLZ4Hadoop,
	}
	var ok bool
	if c.codec, ok = codecs[m.Codec]; !ok {
		return &Error{File: c.r.file, Column: c.column.name, Msg: fmt.Sprintf("is compressed with %v, which is not read", m.Codec)}
	}
	c.r.budget.free(c.base)
	c.dict, c.dictNum, c.base = nil, nil, 0
	return nil
}

// readPage reads the page at c.at: a dictionary, or values.
func (c *parquetCursor) readPage() error {
	c.r.budget.free(c.held)
	c.page, c.held = parquetPage{}, 0
	h, n, err := c.readHeader()
	if err != nil {
		return err
	}
	c.at += n
	packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if packed < 0 || size < 0 || packed > c.end-c.at {
		return c.fail(errPlace)
	}
	var count int32
	switch {
	case h.Type == format.DataPage && h.DataPageHeader != nil:
		count = h.DataPageHeader.NumValues
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2 != nil:
		count = h.DataPageHeaderV2.NumValues
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader != nil:
		count = h.DictionaryPageHeader.NumValues
	default: // an index page
		c.at += packed
		return nil
	}
	// The bytes twice, and for each value its levels and an index or a slice.
	cost := packed + 2*size + 32*int64(count)
	if count < 0 {
		return c.fail(errCoding)
	}
	if err := c.r.budget.take(cost); err != nil {
		return err
	}
	c.held = cost
	raw := make([]byte, packed)
	if _, err := c.r.at.ReadAt(raw, c.at); err != nil {
		return c.fail(err)
	}
	c.at += packed
	switch h.Type {
	case format.DictionaryPage:
		err = c.readDictionary(raw, int(size), int(count))
	case format.DataPage:
		err = c.readDataV1(raw, int(size), h.DataPageHeader)
	default:
		err = c.readDataV2(raw, int(size), h.DataPageHeaderV2)
	}
	if err != nil {
		return c.fail(err)
	}
	return nil
}

var errPlace = fmt.Errorf("a page lies outside its chunk")

// readHeader reads the header at c.at and returns its length.
func (c *parquetCursor) readHeader() (*format.PageHeader, int64, error) {
	// Statistics can make a header long, though it hardly ever is.
	for _, window := range []int64{512, 1 << 20} {
		b := make([]byte, min(window, c.end-c.at))
		if _, err := c.r.at.ReadAt(b, c.at); err != nil {
			return nil, 0, c.fail(err)
		}
		t := thriftText{b: b}
		if !t.skip(thriftStruct, 0) {
			continue
		}
		h := new(format.PageHeader)
		if !decodeThrift(b[:t.i], h) {
			break
		}
		return h, int64(t.i), nil
	}
	return nil, 0, c.fail(fmt.Errorf("a page header cannot be read"))
}

func (c *parquetCursor) readDictionary(raw []byte, size, n int) error {
	data, err := c.codec.unpack(raw, size)
	if err != nil {
		return err
	}
	v, err := c.plain(data, n)
	if err != nil {
		return err
	}
	c.dict = &v
	c.base, c.held = c.base+c.held, 0
	if c.column.kind.numeric() {
		c.dictNum = make([]float64, n)
		c.numbers(c.dictNum, &v)
	}
	return nil
}

// settleWidth finds out how long the vectors of a list column are: as long as
// the first that is not missing.
func (c *parquetCursor) settleWidth() error {
	if c.column.kind != Vector {
		return nil
	}
	for {
		ok, err := c.nextPage()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		width := 0
		for i := range c.page.n {
			if c.page.rep[i] == 0 && width > 0 {
				break
			}
			if int(c.page.def[i]) >= c.column.element {
				width++
			}
		}
		if width > 0 {
			c.column.width = width
			break
		}
	}
	if c.column.width == 0 {
		c.column.kind, c.column.why = Other, "empty lists"
	}
	if err := c.r.budget.take(int64(c.column.width) * 8); err != nil || c.column.width > math.MaxInt32 {
		return err
	}
	c.r.budget.free(c.held + c.base)
	*c = parquetCursor{r: c.r, column: c.column}
	return nil
}
