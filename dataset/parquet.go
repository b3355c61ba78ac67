package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// readParquet reads a file of flat columns. The library underneath panics on
// damaged files; this is the one place that turns its panics into errors.
func readParquet(file string, r io.ReaderAt, size int64, opts *Options) (t *Table, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			t, err = nil, fileError(file, "the Parquet file is damaged (%v)", p)
		}
	}()
	meta, err := checkParquet(file, r, size)
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fileError(file, "the Parquet file is damaged (%v)", err)
	}
	schema := meta.Schema[1:] // without the root
	names := make([]string, len(schema))
	for j := range schema {
		names[j] = schema[j].Name
	}
	roles, bad := columnRoles(file, names, len(names), opts)
	if bad != nil {
		return nil, bad
	}
	t = &Table{Columns: coordNames(names, roles)}
	t.Points.Dim = len(t.Columns)
	if t.Points.Dim == 0 {
		return nil, fileError(file, "no column is left for the coordinates")
	}
	for j := range schema {
		if msg, remedy := whyNotNumeric(&schema[j]); msg != "" && roles[j] == roleCoord {
			return nil, &InputError{File: file, Row: -1, Column: columnName(names, j), Msg: msg, Remedy: remedy}
		}
	}
	p := &parquetTable{t: t, file: file, rows: int(meta.NumRows)}
	t.Points.Coords = make([]float64, p.rows*t.Points.Dim)
	k := 0
	for j, col := range f.Root().Columns() {
		c := parquetColumn{Column: col, schema: &schema[j], role: roles[j], k: k}
		if c.role == roleCoord {
			k++
		}
		if err := p.read(c); err != nil {
			return nil, err
		}
	}
	if i := firstNotFinite(t.Points.Coords); i >= 0 {
		return nil, notFinite(file, i, t.Points.Dim, t.Columns, t.Points.Coords[i])
	}
	return t, nil
}

// A parquetTable is a Table under construction.
type parquetTable struct {
	t    *Table
	file string
	rows int
}

type parquetColumn struct {
	*parquet.Column
	schema *format.SchemaElement
	role   role
	k      int // which coordinate it is
}

// read copies one column into the table.
func (p *parquetTable) read(c parquetColumn) error {
	pages := c.Pages()
	defer pages.Close()
	seen := make(map[string]string) // equal labels share their memory
	var text []string
	buf := make([]parquet.Value, 512)
	row := 0
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return p.damaged(c, err)
		}
		for values := page.Values(); ; {
			n, err := values.ReadValues(buf)
			for _, v := range buf[:n] {
				if v.IsNull() {
					return &InputError{File: p.file, Row: row, Column: strconv.Quote(c.schema.Name), Msg: "the value is missing (rows count from 0)"}
				}
				if row >= p.rows {
					return p.damaged(c, errors.New("more values than rows"))
				}
				if c.role == roleCoord {
					p.t.Points.Coords[row*p.t.Points.Dim+c.k] = c.number(v)
				} else {
					s := c.text(v)
					if _, ok := seen[s]; !ok {
						seen[s] = s
					}
					text = append(text, seen[s])
				}
				row++
			}
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return p.damaged(c, err)
			} else if n == 0 {
				return p.damaged(c, io.ErrNoProgress)
			}
		}
		parquet.Release(page)
	}
	if row != p.rows {
		return p.damaged(c, fmt.Errorf("%d values for %d rows", row, p.rows))
	}
	switch c.role {
	case roleID:
		p.t.Points.IDs = text
	case roleLabel:
		p.t.Labels = text
	}
	return nil
}

func (p *parquetTable) damaged(c parquetColumn, err error) error {
	return &InputError{File: p.file, Row: -1, Column: strconv.Quote(c.schema.Name), Msg: fmt.Sprintf("the Parquet file is damaged (%v)", err), Err: err}
}

func (c parquetColumn) number(v parquet.Value) float64 {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return 1
		}
		return 0
	case parquet.Int32:
		if unsigned(c.schema) {
			return float64(v.Uint32())
		}
		return float64(v.Int32())
	case parquet.Int64:
		if unsigned(c.schema) {
			return float64(v.Uint64())
		}
		return float64(v.Int64())
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	}
	if b := v.ByteArray(); len(b) == 2 {
		return half(uint16(b[0]) | uint16(b[1])<<8)
	}
	return math.NaN()
}

// text is v as a label or an id: integers in full, text copied out of the page.
func (c parquetColumn) text(v parquet.Value) string {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean())
	case parquet.Int32:
		if unsigned(c.schema) {
			return strconv.FormatUint(uint64(v.Uint32()), 10)
		}
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		if unsigned(c.schema) {
			return strconv.FormatUint(v.Uint64(), 10)
		}
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.Float, parquet.Double:
		return numberText(c.number(v))
	case parquet.Int96:
		return v.Int96().String()
	}
	return string(v.ByteArray())
}

func unsigned(s *format.SchemaElement) bool {
	if s.LogicalType != nil && s.LogicalType.Integer != nil {
		return !s.LogicalType.Integer.IsSigned
	}
	return s.ConvertedType != nil && *s.ConvertedType >= deprecated.Uint8 && *s.ConvertedType <= deprecated.Uint64
}

// whyNotNumeric says why a column cannot be a coordinate; "" means it can.
func whyNotNumeric(s *format.SchemaElement) (msg string, remedy Remedy) {
	lt := s.LogicalType
	if lt == nil {
		lt = &format.LogicalType{}
	}
	is := func(types ...deprecated.ConvertedType) bool {
		return s.ConvertedType != nil && slices.Contains(types, *s.ConvertedType)
	}
	switch kind := parquet.Kind(*s.Type); {
	case lt.Unknown != nil:
		return "holds no values", ""
	case lt.Date != nil, lt.Time != nil, lt.Timestamp != nil, kind == parquet.Int96,
		is(deprecated.Date, deprecated.TimeMillis, deprecated.TimeMicros, deprecated.TimestampMillis, deprecated.TimestampMicros):
		return "holds dates or times; save them as numbers", ""
	case lt.Decimal != nil, is(deprecated.Decimal):
		return "holds decimals; save them as doubles", ""
	case lt.Float16 != nil, kind >= parquet.Boolean && kind <= parquet.Double:
		return "", ""
	}
	return "holds text, not numbers", DeclareNames
}
