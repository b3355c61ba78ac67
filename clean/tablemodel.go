package clean

import (
	"encoding/json"
	"errors"
	"io"

	"rot.example/rot/table"
)

// errNoEncoding is a model that cannot say what its columns are.
var errNoEncoding = errors.New("does not say what its columns are")

// WriteTable writes m with how the columns of a table become its numbers. A nil
// encoding is that of numbers without names.
func (m *Model) WriteTable(w io.Writer, e *table.Encoding) error {
	if e == nil {
		e = table.Plain(m.Dim)
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return m.Write(w, text)
}

// ReadTableModel reads what WriteTable wrote.
func ReadTableModel(r io.Reader) (*Model, *table.Encoding, error) {
	m, text, err := ReadModel(r)
	if err != nil {
		return nil, nil, err
	}
	e, err := table.ParseEncoding(text)
	if err == nil && e.Dim() != m.Dim {
		err = errNoEncoding
	}
	if err != nil {
		return nil, nil, err
	}
	return m, e, nil
}
