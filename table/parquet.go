package table

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetReader yields the rows of a Parquet file in blocks. Pages are
// decoded here and not by the library that decodes the footer, so that nothing
// is set aside on the word of the file.
type parquetReader struct {
	file    string
	at      io.ReaderAt
	size    int64
	budget  *account
	meta    *format.FileMetaData
	columns []parquetColumn
	cursors []*parquetCursor
	block   int
	done    int64
	notes   []string
}

func openParquet(src *source, opts *Options) (blockReader, error) {
	r := &parquetReader{file: src.name, at: src.at, size: src.size, budget: src.budget, block: opts.BlockRows}
	if err := r.readFooter(); err != nil {
		return nil, err
	}
	columns, leaves, err := parquetColumns(r.file, r.meta.Schema, opts)
	if err != nil {
		return nil, err
	}
	r.columns = columns
	r.notes = uniqueNames(len(columns), func(j int) *string { return &r.columns[j].name }, nil)
	readPandas(r.columns, r.meta.KeyValueMetadata)
	var rows int64
	for i := range r.meta.RowGroups {
		g := &r.meta.RowGroups[i]
		if len(g.Columns) != leaves || g.NumRows < 0 {
			return nil, r.damaged("row group %d has %d columns of %d", i, len(g.Columns), leaves)
		}
		for j := range g.Columns {
			if p := g.Columns[j].FilePath; p != "" {
				return nil, failure(r.file, "keeps its columns in other files (%s); merge them into one", quote(p))
			}
		}
		if rows += g.NumRows; rows < 0 {
			return nil, r.damaged("it declares too many rows")
		}
	}
	if rows != r.meta.NumRows {
		return nil, r.damaged("it declares %d rows and holds %d", r.meta.NumRows, rows)
	}
	if rows == 0 {
		return nil, failure(r.file, "the Parquet file has no rows")
	}
	if err := r.budget.takeProduct(int64(len(columns)), fieldCost); err != nil {
		return nil, err
	}
	if r.block <= 0 {
		r.block = max(256, min(1<<16, (4<<20)/len(columns)))
	}
	for j := range r.columns {
		c := &parquetCursor{r: r, column: &r.columns[j]}
		if err := c.settleWidth(); err != nil {
			return nil, err
		}
		r.cursors = append(r.cursors, c)
	}
	return r, nil
}

func (r *parquetReader) damaged(format string, args ...any) *Error {
	e := failure(r.file, format, args...)
	e.Msg = "the Parquet file is damaged: " + e.Msg
	return e
}

// structCost is more than a decoded struct of the footer takes in memory.
const structCost = 512

// readFooter decodes the footer, having checked that all it claims is there.
func (r *parquetReader) readFooter() error {
	var mark [8]byte
	if r.size < 12 {
		return failure(r.file, "is not a Parquet file: it has %d bytes", r.size)
	}
	if _, err := r.at.ReadAt(mark[:4], 0); err != nil {
		return readFailure(r.file, err)
	}
	if string(mark[:4]) != "PAR1" {
		return failure(r.file, "is not a Parquet file: it does not start with PAR1")
	}
	if _, err := r.at.ReadAt(mark[:], r.size-8); err != nil {
		return readFailure(r.file, err)
	}
	if string(mark[4:]) != "PAR1" {
		return failure(r.file, "the Parquet file is cut short: it does not end with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(mark[:]))
	if n > r.size-12 {
		return r.damaged("its footer claims %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := r.at.ReadAt(b, r.size-8-n); err != nil {
		return readFailure(r.file, err)
	}
	t := thriftText{b: b}
	if !t.skip(thriftStruct, 0) || t.i != len(b) {
		return r.damaged("its footer cannot be read")
	}
	if err := r.budget.takeProduct(int64(t.structs), structCost); err != nil {
		return err
	}
	r.meta = new(format.FileMetaData)
	if !decodeThrift(b, r.meta) {
		return r.damaged("its footer cannot be read")
	}
	return nil
}

// decodeThrift decodes the struct that b holds. It is strict: a field of
// another type than v has is an error.
func decodeThrift(b []byte, v any) bool {
	p := new(thrift.CompactProtocol)
	d := thrift.NewDecoder(p.NewReader(bytes.NewReader(b)))
	d.SetStrict(true)
	return d.Decode(v) == nil
}

// next reads the next rows of all columns at once.
func (r *parquetReader) next() (*Table, error) {
	left := r.meta.NumRows - r.done
	if left == 0 {
		return nil, io.EOF
	}
	rows := int(min(int64(r.block), left))
	t := &Table{Rows: rows, Columns: make([]Column, len(r.columns))}
	costs := make([]int64, len(r.columns))
	err := eachInParallel(len(r.columns), func(j int) error {
		c, cost, err := r.cursors[j].read(rows)
		t.Columns[j], costs[j] = c, cost
		return err
	})
	if err != nil {
		return nil, err
	}
	for j, cost := range costs {
		t.cost += cost
		t.Columns[j].Bad.Row += int(r.done)
	}
	r.done += int64(rows)
	return t, nil
}

func (r *parquetReader) schema() ([]field, bool) {
	fields := make([]field, len(r.columns))
	for j := range fields {
		fields[j] = r.columns[j].field
	}
	return fields, true
}

func (r *parquetReader) finish(t *Table) { t.Notes = append(t.Notes, r.notes...) }
func (r *parquetReader) close()          {}

// eachInParallel calls do for 0 to n-1 on a few goroutines and returns the
// error of the lowest number that fails.
func eachInParallel(n int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	workers := min(n, parallelism())
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				if errs[i] = do(i); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
