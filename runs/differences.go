package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// A Difference is a key of configurations that do not agree on it.
type Difference struct {
	Key    string            `json:"key"`
	Values []json.RawMessage `json:"values"` // one a configuration; null: it has no such key
}

// Differences compares configurations key by key, in the order in which they
// have them. One configuration differs from nothing.
func Differences(configs []json.RawMessage) ([]Difference, error) {
	var keys []string
	values := map[string][]json.RawMessage{}
	for i, c := range configs {
		fields, err := Fields(c)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			if values[f.Key] == nil {
				keys = append(keys, f.Key)
				values[f.Key] = make([]json.RawMessage, len(configs))
			}
			values[f.Key][i] = f.Value
		}
	}
	out := []Difference{}
	for _, k := range keys {
		v := values[k]
		if slices.ContainsFunc(v[1:], func(x json.RawMessage) bool { return !bytes.Equal(x, v[0]) }) {
			out = append(out, Difference{k, v})
		}
	}
	return out, nil
}

// A Field is a key of a configuration and its value, without needless spaces.
type Field struct {
	Key   string
	Value json.RawMessage
}

// Fields returns the fields of a JSON object in the order of the text,
// which a map would lose.
func Fields(object json.RawMessage) ([]Field, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("runs: fields: %w: it is not a JSON object", ErrConfig)
	}
	var out []Field
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("runs: fields: %w: %w", ErrConfig, err)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fmt.Errorf("runs: fields: %w: %w", ErrConfig, err)
		}
		var value bytes.Buffer
		if err := json.Compact(&value, raw); err != nil {
			return nil, fmt.Errorf("runs: fields: %w: %w", ErrConfig, err)
		}
		out = append(out, Field{key.(string), value.Bytes()})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("runs: fields: %w: %w", ErrConfig, err)
	}
	return out, nil
}
