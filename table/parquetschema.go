package table

import (
	"encoding/json"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetColumn is a column at the top of a Parquet schema.
type parquetColumn struct {
	field
	leaf     int // of the chunks of a row group; of the first one below a group
	physical format.Type
	size     int // bytes of a fixed-size value, 0 for byte arrays
	maxDef   int
	maxRep   int
	element  int // definition level from which on a list has an element
	number   func(b []byte) float64
	word     func(b []byte) []byte
}

// parquetColumns walks the schema, which is a tree laid out in a list.
func parquetColumns(file string, schema []format.SchemaElement, opts *Options) ([]parquetColumn, int, error) {
	if len(schema) < 2 {
		return nil, 0, failure(file, "the Parquet file has no columns")
	}
	w := schemaWalk{schema: schema, at: 1}
	var columns []parquetColumn
	for range schema[0].NumChildren {
		c, ok := w.column()
		if !ok {
			return nil, 0, failure(file, "the Parquet file is damaged: its schema is not a tree")
		}
		c.whole = isWhole(&c.field, len(columns), opts)
		c.index = isIndexName(c.name, 1, 2)
		if (c.whole || c.index) && c.kind != Vector && c.kind != Other {
			c.kind = Text
		}
		columns = append(columns, c)
	}
	if w.at != len(schema) {
		return nil, 0, failure(file, "the Parquet file is damaged: its schema is not a tree")
	}
	return columns, w.leaves, nil
}

type schemaWalk struct {
	schema []format.SchemaElement
	at     int
	leaves int
}

// skip steps over a whole subtree.
func (w *schemaWalk) skip(depth int) bool {
	if w.at >= len(w.schema) || depth > 64 {
		return false
	}
	e := &w.schema[w.at]
	w.at++
	if e.NumChildren == 0 {
		w.leaves++
		return e.Type != nil
	}
	for range e.NumChildren {
		if !w.skip(depth + 1) {
			return false
		}
	}
	return e.NumChildren > 0
}

func levels(e *format.SchemaElement) (def, rep int) {
	if e.RepetitionType == nil {
		return 0, 0
	}
	switch *e.RepetitionType {
	case format.Optional:
		return 1, 0
	case format.Repeated:
		return 1, 1
	}
	return 0, 0
}

// column reads the column at w.at.
func (w *schemaWalk) column() (c parquetColumn, ok bool) {
	if w.at >= len(w.schema) {
		return c, false
	}
	begin, leaf := w.at, w.leaves
	if !w.skip(0) {
		return c, false
	}
	e := &w.schema[begin]
	c.name, c.leaf, c.width = e.Name, leaf, 1
	c.maxDef, c.maxRep = levels(e)
	inner := e
	for k := begin + 1; k < w.at; k++ {
		inner = &w.schema[k]
		def, rep := levels(inner)
		c.maxDef += def
		c.maxRep += rep
		if rep == 1 {
			c.element = c.maxDef
		}
	}
	if e.NumChildren == 0 && c.maxRep == 1 {
		c.element = c.maxDef
	}
	switch {
	case w.leaves-leaf > 1 || c.maxRep > 1 || (c.maxRep == 0 && e.NumChildren > 0):
		c.kind, c.why = Other, "structs or nested lists"
		return c, true
	}
	c.physical = *inner.Type
	c.describe(inner)
	if c.maxRep == 1 {
		if c.kind == Number || c.kind == Boolean {
			c.kind, c.width = Vector, 0 // the first row tells
		} else {
			c.kind, c.why = Other, "lists of "+c.kind.plural()
		}
	}
	return c, true
}

// describe settles the kind of a leaf and how its values are read.
func (c *parquetColumn) describe(e *format.SchemaElement) {
	lt := e.LogicalType
	if lt == nil {
		lt = &format.LogicalType{}
	}
	is := func(t deprecated.ConvertedType) bool { return e.ConvertedType != nil && *e.ConvertedType == t }
	unsigned := lt.Integer != nil && !lt.Integer.IsSigned ||
		e.ConvertedType != nil && *e.ConvertedType >= deprecated.Uint8 && *e.ConvertedType <= deprecated.Uint64
	scale := 1.0
	c.kind = Number
	switch {
	case lt.Decimal != nil:
		scale = math.Pow(10, -float64(lt.Decimal.Scale))
	case is(deprecated.Decimal) && e.Scale != nil:
		scale = math.Pow(10, -float64(*e.Scale))
	case lt.Date != nil || is(deprecated.Date):
		c.kind, scale = Time, 86400
	case lt.Timestamp != nil:
		c.kind, scale = Time, unitSeconds(lt.Timestamp.Unit)
	case is(deprecated.TimestampMillis):
		c.kind, scale = Time, 1e-3
	case is(deprecated.TimestampMicros):
		c.kind, scale = Time, 1e-6
	case lt.Time != nil:
		scale = unitSeconds(lt.Time.Unit)
	case is(deprecated.TimeMillis):
		scale = 1e-3
	case is(deprecated.TimeMicros):
		scale = 1e-6
	}
	c.word = func(b []byte) []byte { return []byte(numberText(c.number(b))) }
	decimal := lt.Decimal != nil || is(deprecated.Decimal)
	switch c.physical {
	case format.Boolean:
		c.kind, c.size = Boolean, 1
		c.number = func(b []byte) float64 { return float64(b[0]) }
		c.word = func(b []byte) []byte {
			if b[0] != 0 {
				return []byte("true")
			}
			return []byte("false")
		}
	case format.Int32:
		c.size = 4
		c.integers(elem{kind: "iu"[btoi(unsigned)], size: 4}, scale, decimal)
	case format.Int64:
		c.size = 8
		c.integers(elem{kind: "iu"[btoi(unsigned)], size: 8}, scale, decimal)
	case format.Float:
		c.size = 4
		c.number = elem{kind: 'f', size: 4}.number
	case format.Double:
		c.size = 8
		c.number = elem{kind: 'f', size: 8}.number
	case format.Int96:
		c.kind, c.size = Time, 12
		c.number = int96Seconds
		c.word = func(b []byte) []byte { return []byte(timeText(int96Seconds(b))) }
	case format.FixedLenByteArray:
		c.size = 1
		if e.TypeLength != nil && *e.TypeLength > 0 && *e.TypeLength <= 1<<16 {
			c.size = int(*e.TypeLength)
		}
		c.fixed(e, lt, scale, decimal)
	default:
		c.bytes(scale, decimal)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// integers reads whole numbers, as they are or times scale.
func (c *parquetColumn) integers(e elem, scale float64, decimal bool) {
	c.number = e.number
	switch {
	case decimal:
		// Division by a power of ten rounds once where a product rounds twice.
		tens := math.Round(1 / scale)
		c.number = func(b []byte) float64 { return e.number(b) / tens }
	case c.kind == Time:
		c.number = func(b []byte) float64 { return scaleTime(e.signed(b), scale) }
		c.word = func(b []byte) []byte { return []byte(timeText(c.number(b))) }
	case scale != 1:
		c.number = func(b []byte) float64 { return e.number(b) * scale }
	default:
		c.word = func(b []byte) []byte { return []byte(e.word(b)) }
	}
}

// fixed describes arrays of bytes of one length.
func (c *parquetColumn) fixed(e *format.SchemaElement, lt *format.LogicalType, scale float64, decimal bool) {
	switch {
	case decimal:
		tens := math.Round(1 / scale)
		c.number = func(b []byte) float64 { return bigEndian(b) / tens }
	case lt.Float16 != nil && c.size == 2:
		c.number = elem{kind: 'f', size: 2}.number
	case lt.UUID != nil && c.size == 16:
		c.kind = Text
		c.word = func(b []byte) []byte { return []byte(uuidText(b)) }
	case e.ConvertedType != nil && *e.ConvertedType == deprecated.Interval:
		c.kind, c.why = Other, "intervals"
	default:
		c.kind = Text
		c.word = func(b []byte) []byte { return b }
	}
}

// bytes describes arrays of bytes of any length.
func (c *parquetColumn) bytes(scale float64, decimal bool) {
	if decimal {
		tens := math.Round(1 / scale)
		c.number = func(b []byte) float64 { return bigEndian(b) / tens }
		return
	}
	c.kind = Text
	c.word = func(b []byte) []byte { return b }
}

// readPandas takes from pandas' metadata which columns are categories and
// which are its index.
func readPandas(columns []parquetColumn, meta []format.KeyValue) {
	for _, kv := range meta {
		if kv.Key != "pandas" {
			continue
		}
		var p struct {
			Columns []struct {
				Field string `json:"field_name"`
				Type  string `json:"pandas_type"`
			} `json:"columns"`
		}
		if json.Unmarshal([]byte(kv.Value), &p) != nil {
			return
		}
		typed := map[string]bool{}
		for _, c := range p.Columns {
			typed[c.Field] = c.Type == "categorical"
		}
		for j := range columns {
			columns[j].typed = typed[columns[j].name]
		}
	}
}
