package table

import (
	"encoding/json"
	"errors"
	"fmt"
)

// scanObject calls do for each key and value of the object in text. The key is
// unquoted; the value is JSON as it stands. Nested values are checked.
func scanObject(text []byte, do func(key, value []byte) error) error {
	s := jsonText{b: text}
	s.space()
	if !s.take('{') {
		if s.i < len(s.b) && s.b[s.i] == '[' {
			return errors.New("begins with a list; one object a line is read (pandas: orient=\"records\", lines=True)")
		}
		return errors.New("is not a JSON object")
	}
	s.space()
	if s.take('}') {
		return s.end()
	}
	for {
		s.space()
		key, err := s.str()
		if err != nil {
			return err
		}
		if key, err = unquoteJSON(key); err != nil {
			return err
		}
		s.space()
		if !s.take(':') {
			return s.fail("a colon")
		}
		s.space()
		value, err := s.value()
		if err != nil {
			return err
		}
		if err := do(key, value); err != nil {
			return err
		}
		s.space()
		if s.take(',') {
			continue
		}
		if s.take('}') {
			return s.end()
		}
		return s.fail("a comma or a closing brace")
	}
}

// A jsonText steps through JSON.
type jsonText struct {
	b []byte
	i int
}

func (s *jsonText) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

func (s *jsonText) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *jsonText) fail(want string) error {
	if s.i >= len(s.b) {
		return errors.New("the JSON object is cut short (one object a line is read)")
	}
	return fmt.Errorf("is not JSON: %s expected before %s", want, quote(string(s.b[s.i:min(len(s.b), s.i+20)])))
}

func (s *jsonText) end() error {
	s.space()
	if s.i < len(s.b) {
		return s.fail("the end of the line")
	}
	return nil
}

// str returns the string at i with its quotes.
func (s *jsonText) str() ([]byte, error) {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return nil, s.fail("a quoted text")
	}
	begin := s.i
	for k := s.i + 1; k < len(s.b); k++ {
		switch s.b[k] {
		case '\\':
			k++
		case '"':
			s.i = k + 1
			return s.b[begin:s.i], nil
		}
	}
	s.i = len(s.b)
	return nil, s.fail("a closing quote")
}

// jsonEnds are the bytes after a value that is not quoted.
var jsonEnds = [256]bool{',': true, '}': true, ']': true, ' ': true, '\t': true, '\r': true}

// isJSONNumber reports whether v is a number as JSON has it.
func isJSONNumber(v []byte) bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(v) && v[i]-'0' <= 9 {
			i++
		}
		return i > from
	}
	if i < len(v) && v[i] == '-' {
		i++
	}
	if !digits() {
		return false
	}
	if i < len(v) && v[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < len(v) && v[i]|0x20 == 'e' {
		if i++; i < len(v) && (v[i] == '+' || v[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(v)
}

// value returns the value at i.
func (s *jsonText) value() ([]byte, error) {
	if s.i >= len(s.b) {
		return nil, s.fail("a value")
	}
	begin := s.i
	switch c := s.b[s.i]; c {
	case '"':
		return s.str()
	case '[', '{':
		return s.nested()
	}
	for s.i < len(s.b) && !jsonEnds[s.b[s.i]] {
		s.i++
	}
	v := s.b[begin:s.i]
	if isJSONNumber(v) {
		return v, nil
	}
	switch string(v) {
	case "null", "true", "false":
		return v, nil
	case "NaN", "Infinity", "-Infinity", "nan": // Python writes these
		if v[0] == 'N' || v[0] == 'n' {
			return []byte("null"), nil
		}
		return v, nil
	}
	if _, ok := parseNumber(v, '.'); !ok || v[0] == '+' || v[0] == 'i' || v[0] == 'I' {
		s.i = begin
		return nil, s.fail("a value")
	}
	return v, nil
}

// nested returns the list or object at i.
func (s *jsonText) nested() ([]byte, error) {
	begin, depth := s.i, 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			if _, err := s.str(); err != nil {
				return nil, err
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				s.i++
				v := s.b[begin:s.i]
				if !json.Valid(v) {
					s.i = begin
					return nil, s.fail("a value")
				}
				return v, nil
			}
		}
		s.i++
	}
	return nil, s.fail("a closing bracket")
}
