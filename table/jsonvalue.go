package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// addJSON appends a value of JSON.
func (b *builder) addJSON(value []byte, line int) error {
	if value[0] == 'n' {
		b.addMissing()
		return nil
	}
	switch b.kind {
	case Vector:
		v, ok := vectorOf(value)
		if !ok || len(v) != b.width {
			b.addBadVector(value, line)
			return nil
		}
		b.numbers = append(b.numbers, v...)
		b.good++
	case Other:
	case Text:
		if value[0] == '"' {
			s, err := unquoteJSON(value)
			if err != nil {
				return err
			}
			value = s
		}
		if !b.add(value, line) {
			return errors.New(notUTF8)
		}
	default:
		if value[0] == '"' {
			s, err := unquoteJSON(value)
			if err != nil {
				return err
			}
			if b.kind != Time && !isGap(s) {
				b.addBad(s, line)
				return nil
			}
			value = s
		}
		b.addNumeric(value, line)
	}
	return nil
}

func (b *builder) addBadVector(value []byte, line int) {
	if b.bad.Count == 0 {
		b.bad.Row, b.bad.Line, b.bad.Text = len(b.numbers)/b.width, line, string(value[:min(len(value), 60)])
	}
	b.bad.Count++
	b.addMissing()
}

// vectorOf reads a list of numbers; null is NaN.
func vectorOf(value []byte) ([]float64, bool) {
	if value[0] != '[' {
		return nil, false
	}
	var list []*float64
	if json.Unmarshal(value, &list) != nil {
		return nil, false
	}
	out := make([]float64, len(list))
	for k, v := range list {
		out[k] = math.NaN()
		if v != nil {
			out[k] = *v
		}
	}
	return out, true
}

func unquoteJSON(value []byte) ([]byte, error) {
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], nil
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, fmt.Errorf("is not JSON: %v", err)
	}
	return []byte(s), nil
}
