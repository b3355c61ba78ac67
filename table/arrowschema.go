package table

import (
	"encoding/json"
	"math"
)

// Arrow's types, as its Schema.fbs numbers them.
const (
	arrowNull = 1 + iota
	arrowInt
	arrowFloat
	arrowBinary
	arrowUtf8
	arrowBool
	arrowDecimal
	arrowDate
	arrowTime
	arrowTimestamp
	arrowInterval
	arrowList
	arrowStruct
	arrowUnion
	arrowFixedBinary
	arrowFixedList
	arrowMap
	arrowDuration
	arrowLargeBinary
	arrowLargeUtf8
	arrowLargeList
	arrowRunEnd
	arrowBinaryView
	arrowUtf8View
	arrowListView
	arrowLargeListView
)

// An arrowField is a column of an Arrow schema, or a part of one.
type arrowField struct {
	field
	typ      int
	size     int // bytes of a fixed-size value; of an offset for lists and words
	number   func(b []byte) float64
	elem     elem // of whole numbers, for words
	children []arrowField
	dict     int64 // of its dictionary
	coded    bool  // its values are numbers of entries of a dictionary
	index    elem
}

// arrowFields reads the fields of a schema or of a field.
func arrowFields(f flat, i, depth int, b *account) ([]arrowField, error) {
	at, n := f.vector(i, 4)
	if err := b.takeProduct(int64(n), fieldCost); err != nil {
		return nil, err
	}
	fields := make([]arrowField, n)
	for k := range fields {
		if depth > 32 || *f.bad {
			return nil, errFlat
		}
		var err error
		if fields[k], err = arrowFieldOf(f.element(at, k), depth, b); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

func arrowFieldOf(f flat, depth int, b *account) (a arrowField, err error) {
	a.name, a.width = f.text(0), 1
	a.typ = int(f.integer(2, 1, 0))
	t := f.table(3)
	if a.children, err = arrowFields(f, 5, depth+1, b); err != nil {
		return a, err
	}
	a.describe(t)
	if d := f.table(4); d.pos != 0 {
		a.coded, a.dict = true, d.integer(0, 8, 0)
		a.index = elem{kind: 'i', size: 4}
		if it := d.table(1); it.pos != 0 {
			a.index.size = int(it.integer(0, 4, 0)) / 8
			if it.integer(1, 1, 0) == 0 {
				a.index.kind = 'u'
			}
		}
		a.typed = true
		if !a.index.fits() || len(a.children) > 0 {
			a.kind, a.why = Other, "a dictionary of lists"
		}
	}
	return a, nil
}

var clockUnits = [...]float64{1, 1e-3, 1e-6, 1e-9}

func clockUnit(u int64) float64 { return clockUnits[u&3] }

// describe settles the kind of a field of type t.
func (a *arrowField) describe(t flat) {
	a.kind = Number
	switch a.typ {
	case arrowNull:
	case arrowBool:
		a.kind = Boolean
	case arrowInt:
		a.elem = elem{kind: 'u', size: int(t.integer(0, 4, 0)) / 8}
		if t.integer(1, 1, 0) != 0 {
			a.elem.kind = 'i'
		}
		a.fixed(a.elem.size, a.elem.number)
	case arrowFloat:
		e := elem{kind: 'f', size: 2 << (t.integer(0, 2, 0) & 3)}
		a.fixed(e.size, e.number)
	case arrowDecimal:
		tens := math.Pow(10, float64(t.integer(1, 4, 0)))
		a.fixed(int(t.integer(2, 4, 128))/8, func(b []byte) float64 { return littleEndian(b) / tens })
	case arrowDate:
		a.kind = Time
		if t.integer(0, 2, 1) == 0 {
			a.clock(4, 86400)
		} else {
			a.clock(8, 1e-3)
		}
	case arrowTimestamp:
		a.kind = Time
		a.clock(8, clockUnit(t.integer(0, 2, 0)))
	case arrowTime:
		a.clock(int(t.integer(1, 4, 32))/8, clockUnit(t.integer(0, 2, 1)))
	case arrowDuration:
		a.clock(8, clockUnit(t.integer(0, 2, 1)))
	case arrowUtf8, arrowBinary:
		a.kind, a.size = Text, 4
	case arrowLargeUtf8, arrowLargeBinary:
		a.kind, a.size = Text, 8
	case arrowUtf8View, arrowBinaryView:
		a.kind, a.size = Text, 16
	case arrowFixedBinary:
		a.kind, a.size = Text, int(t.integer(0, 4, 0))
	case arrowList, arrowLargeList, arrowFixedList:
		a.list(t)
	default:
		a.kind, a.why = Other, "structs or nested values"
	}
}

// fixed describes numbers of so many bytes.
func (a *arrowField) fixed(size int, number func([]byte) float64) {
	a.size, a.number = size, number
	switch size {
	case 1, 2, 4, 8, 16, 32:
	default:
		a.kind, a.why, a.size = Other, "numbers of an unknown size", 1
	}
}

// clock describes whole multiples of a unit in seconds.
func (a *arrowField) clock(size int, unit float64) {
	e := elem{kind: 'i', size: size}
	a.fixed(size, func(b []byte) float64 { return scaleTime(e.signed(b), unit) })
}

// list describes lists; those of numbers are vectors.
func (a *arrowField) list(t flat) {
	a.size = 4
	if a.typ == arrowLargeList {
		a.size = 8
	}
	a.kind, a.why = Other, "nested lists"
	if len(a.children) != 1 {
		return
	}
	c := &a.children[0]
	if c.coded || c.typ == arrowNull || (c.kind != Number && c.kind != Boolean) {
		a.why = "lists of " + c.kind.plural()
		return
	}
	a.kind, a.why, a.width = Vector, "", 0
	if a.typ == arrowFixedList {
		a.width = int(t.integer(0, 4, 0))
		if a.width <= 0 || a.width > 1<<20 {
			a.kind, a.why, a.width = Other, "empty lists", 1
		}
	}
}

// littleEndian is the integer that b holds in two's complement.
func littleEndian(b []byte) float64 {
	turned := make([]byte, len(b))
	for i, x := range b {
		turned[len(b)-1-i] = x
	}
	return bigEndian(turned)
}

// pandasIndex returns the names of the columns that pandas says are its index
// and have no name of their own.
func arrowPandas(fields []arrowField, schema flat) {
	at, n := schema.vector(2, 4)
	for k := range n {
		kv := schema.element(at, k)
		if kv.text(0) != "pandas" {
			continue
		}
		var p struct {
			Columns []struct {
				Field string `json:"field_name"`
				Type  string `json:"pandas_type"`
			} `json:"columns"`
		}
		if json.Unmarshal([]byte(kv.text(1)), &p) != nil {
			return
		}
		for _, c := range p.Columns {
			for j := range fields {
				if fields[j].name == c.Field && c.Type == "categorical" {
					fields[j].typed = true
				}
			}
		}
	}
}
