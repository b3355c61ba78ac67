package table

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

func (c *parquetCursor) readDataV1(raw []byte, size int, h *format.DataPageHeader) error {
	data, err := c.codec.unpack(raw, size)
	if err != nil {
		return err
	}
	c.page.n = int(h.NumValues)
	level := func(most int, encoding format.Encoding) ([]uint8, error) {
		if most == 0 {
			return nil, nil
		}
		if encoding != format.RLE || len(data) < 4 {
			return nil, errCoding
		}
		n := int(binary.LittleEndian.Uint32(data))
		if n > len(data)-4 {
			return nil, errCoding
		}
		part := data[4 : 4+n]
		data = data[4+n:]
		return levelsOf(part, most, c.page.n)
	}
	if c.page.rep, err = level(c.column.maxRep, h.RepetitionLevelEncoding); err != nil {
		return err
	}
	if c.page.def, err = level(c.column.maxDef, h.DefinitionLevelEncoding); err != nil {
		return err
	}
	return c.readValues(data, h.Encoding)
}

func (c *parquetCursor) readDataV2(raw []byte, size int, h *format.DataPageHeaderV2) error {
	c.page.n = int(h.NumValues)
	rep, def := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if rep < 0 || def < 0 || rep+def > len(raw) || rep+def > size {
		return errCoding
	}
	var err error
	if c.column.maxRep > 0 {
		if c.page.rep, err = levelsOf(raw[:rep], c.column.maxRep, c.page.n); err != nil {
			return err
		}
	}
	if c.column.maxDef > 0 {
		if c.page.def, err = levelsOf(raw[rep:rep+def], c.column.maxDef, c.page.n); err != nil {
			return err
		}
	}
	data := raw[rep+def:]
	if h.IsCompressed == nil || *h.IsCompressed {
		if data, err = c.codec.unpack(data, size-rep-def); err != nil {
			return err
		}
	}
	return c.readValues(data, h.Encoding)
}

// levelsOf decodes n levels of at most most.
func levelsOf(src []byte, most, n int) ([]uint8, error) {
	width := 0
	for m := most; m > 0; m >>= 1 {
		width++
	}
	out := make([]uint8, n)
	high := false
	err := runs(src, width, n, func(i int, v uint32) {
		out[i] = uint8(v)
		high = high || v > uint32(most)
	})
	if high {
		err = errCoding
	}
	return out, err
}

// readValues decodes the values of the page that are not null.
func (c *parquetCursor) readValues(data []byte, encoding format.Encoding) error {
	n := c.page.n
	if c.page.def != nil {
		n = 0
		for _, d := range c.page.def {
			if int(d) == c.column.maxDef {
				n++
			}
		}
	}
	var err error
	switch encoding {
	case format.Plain:
		c.page.values, err = c.plain(data, n)
	case format.RLEDictionary, plainDictionary:
		c.page.values, err = c.indexes(data, n)
	case format.DeltaBinaryPacked:
		c.page.values, err = c.deltaInts(data, n)
	case format.DeltaLengthByteArray:
		c.page.values, err = deltaWords(data, n)
	case format.DeltaByteArray:
		c.page.values, err = c.deltaPrefixes(data, n)
	case format.ByteStreamSplit:
		c.page.values, err = c.split(data, n)
	case format.RLE:
		if c.column.physical != format.Boolean || len(data) < 4 {
			return errCoding
		}
		fixed := make([]byte, n)
		err = runs(data[4:], 1, n, func(i int, v uint32) { fixed[i] = byte(v) })
		c.page.values = parquetValues{n: n, fixed: fixed}
	default:
		err = fmt.Errorf("values are coded by %v, which is not read", encoding)
	}
	return err
}

// plainDictionary is what old writers call format.RLEDictionary.
const plainDictionary format.Encoding = 2
