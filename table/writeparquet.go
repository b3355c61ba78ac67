package table

import (
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pageRows is how many values a page of a written file has.
const pageRows = 1 << 16

// writeParquet writes one row group of plain, uncompressed pages, which every
// reader takes.
func writeParquet(w io.Writer, columns []NumberColumn) error {
	out := &countWriter{w: w}
	if _, err := io.WriteString(out, "PAR1"); err != nil {
		return err
	}
	rows := columns[0].len()
	meta := format.FileMetaData{Version: 1, NumRows: int64(rows), CreatedBy: "rot"}
	meta.Schema = []format.SchemaElement{{Name: "schema", NumChildren: int32(len(columns))}}
	group := format.RowGroup{NumRows: int64(rows)}
	for j := range columns {
		c := &columns[j]
		kind, required := format.Double, format.Required
		if c.Ints != nil {
			kind = format.Int64
		}
		meta.Schema = append(meta.Schema, format.SchemaElement{Name: c.Name, Type: &kind, RepetitionType: &required})
		begin := out.n
		if err := c.writePages(out, rows); err != nil {
			return err
		}
		group.Columns = append(group.Columns, format.ColumnChunk{FileOffset: begin, MetaData: format.ColumnMetaData{
			Type: kind, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{c.Name}, NumValues: int64(rows),
			TotalUncompressedSize: out.n - begin, TotalCompressedSize: out.n - begin, DataPageOffset: begin,
		}})
		group.TotalByteSize += out.n - begin
	}
	meta.RowGroups = []format.RowGroup{group}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		return err
	}
	n := len(footer)
	footer = append(footer, byte(n), byte(n>>8), byte(n>>16), byte(n>>24), 'P', 'A', 'R', '1')
	_, err = out.Write(footer)
	return err
}

// writePages writes all values of a column.
func (c *NumberColumn) writePages(w io.Writer, rows int) error {
	for from := 0; from < rows || from == 0; from += pageRows {
		to := min(from+pageRows, rows)
		var data []byte
		for i := from; i < to; i++ {
			data = c.bytes(data, i)
		}
		head, err := thrift.Marshal(new(thrift.CompactProtocol), format.PageHeader{
			Type: format.DataPage, UncompressedPageSize: int32(len(data)), CompressedPageSize: int32(len(data)),
			DataPageHeader: &format.DataPageHeader{
				NumValues: int32(to - from), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
			},
		})
		if err != nil {
			return err
		}
		if _, err := w.Write(append(head, data...)); err != nil {
			return err
		}
	}
	return nil
}

// A countWriter counts what goes through it.
type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
