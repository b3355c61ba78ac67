package table

import (
	"fmt"
	"slices"
)

// A Kind is what the cells of a column are.
type Kind uint8

// The kinds of columns.
const (
	Number   Kind = iota // real numbers
	Boolean              // true or false
	Category             // one of a few words
	Time                 // instants
	Text                 // words without end
	Vector               // lists of numbers, all of one length
	Other                // something that is not read, such as structs
)

var kindNames = [...]string{"number", "boolean", "category", "time", "text", "vector", "other"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("table: %q is not a kind of column", text)
	}
	*k = Kind(i)
	return nil
}

// numeric reports whether cells of the kind are kept in Column.Numbers.
func (k Kind) numeric() bool { return k == Number || k == Boolean || k == Time || k == Vector }

// words reports whether cells of the kind are kept in Column.Codes.
func (k Kind) words() bool { return k == Category || k == Text }

// plural is the kind of several cells.
func (k Kind) plural() string {
	switch k {
	case Number:
		return "numbers"
	case Boolean:
		return "booleans"
	case Category:
		return "categories"
	case Time:
		return "times"
	case Vector:
		return "vectors"
	}
	return k.String()
}
