package table

import (
	"io"
	"slices"
)

// ParquetGroups returns how many rows each row group of a Parquet file has, and
// its columns.
func ParquetGroups(name string, at io.ReaderAt, size int64, opts *Options) (rows []int64, columns []LayoutColumn, err error) {
	r, err := openGroups(name, at, size, opts)
	if err != nil {
		return nil, nil, err
	}
	for i := range r.meta.RowGroups {
		rows = append(rows, r.meta.RowGroups[i].NumRows)
	}
	fields, _ := r.schema()
	for _, f := range fields {
		columns = append(columns, layoutColumn(f))
	}
	return rows, columns, nil
}

// OpenGroups starts to read the row groups first to last−1 of a Parquet file.
// Only the columns for which wanted is true are read; nil means all. opts may be
// nil.
func OpenGroups(name string, at io.ReaderAt, size int64, first, last int, wanted func(column string) bool, opts *Options) (*Reader, error) {
	r, err := openGroups(name, at, size, opts)
	if err != nil {
		return nil, err
	}
	if first < 0 || last > len(r.meta.RowGroups) || first >= last {
		return nil, failure(name, "has no row groups %d to %d", first, last-1)
	}
	r.meta.RowGroups = r.meta.RowGroups[first:last]
	r.meta.NumRows = 0
	for i := range r.meta.RowGroups {
		r.meta.NumRows += r.meta.RowGroups[i].NumRows
	}
	if wanted != nil {
		r.columns = slices.DeleteFunc(r.columns, func(c parquetColumn) bool { return !wanted(c.name) })
	}
	if len(r.columns) == 0 {
		return nil, failure(name, "has none of the columns that are wanted")
	}
	r.cursors = nil
	for j := range r.columns {
		r.cursors = append(r.cursors, &parquetCursor{r: r, column: &r.columns[j]})
	}
	src := &source{name: name, budget: r.budget, close: func() error { return nil }}
	return &Reader{blocks: r, src: src, format: "parquet", name: name}, nil
}

func openGroups(name string, at io.ReaderAt, size int64, opts *Options) (*parquetReader, error) {
	if opts == nil {
		opts = &Options{}
	}
	r, err := openParquet(&source{name: name, at: at, size: size, budget: newAccount(name, opts.MaxMemory, size)}, opts)
	if err != nil {
		return nil, readFailure(name, err)
	}
	return r.(*parquetReader), nil
}

// DifferentColumns says how the columns of a Parquet file differ from those that
// are wanted, by name and order; "" where they do not.
func DifferentColumns(want, have []LayoutColumn) string { return differentColumns(want, have) }
