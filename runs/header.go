package runs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// elementSize is bytes per element of the types that are read and written.
var elementSize = map[string]int{
	"F64": 8, "I64": 8, "U64": 8, "C64": 8,
	"F32": 4, "I32": 4, "U32": 4,
	"F16": 2, "BF16": 2, "I16": 2, "U16": 2,
	"I8": 1, "U8": 1, "BOOL": 1,
}

// A header is what stands before the data of a safetensors file.
type header struct {
	tensors []Tensor // without data, as listed
	places  []place  // of their data, in the order of the file
	meta    map[string]string
}

// A place is where the data of a tensor lies, counted from the end of the
// header.
type place struct {
	tensor     int
	begin, end int64
}

// parseHeader reads the text of a header. It goes from entry to entry because
// a map would hide their order and names that occur twice.
func parseHeader(text []byte) (*header, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("its header is not a JSON object")
	}
	h := &header{meta: map[string]string{}}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("its header: %w", err)
		}
		name, _ := tok.(string) // The decoder lets nothing else pass.
		if seen[name] {
			return nil, fmt.Errorf("its header has %q twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			if err := dec.Decode(&h.meta); err != nil {
				return nil, fmt.Errorf("its metadata: %w", err)
			}
			if h.meta == nil { // null
				h.meta = map[string]string{}
			}
			continue
		}
		if err := h.parseTensor(dec, name); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, fmt.Errorf("its header: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("its header goes on after its end")
	}
	slices.SortStableFunc(h.places, func(p, q place) int {
		return cmp.Or(cmp.Compare(p.begin, q.begin), cmp.Compare(p.end, q.end))
	})
	return h, nil
}

func (h *header) parseTensor(dec *json.Decoder, name string) error {
	var entry struct {
		DType   string  `json:"dtype"`
		Shape   []int   `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if err := dec.Decode(&entry); err != nil {
		return err
	}
	switch {
	case entry.Shape == nil:
		return errors.New("it has no shape")
	case len(entry.Offsets) != 2:
		return fmt.Errorf("it has %d data_offsets instead of 2", len(entry.Offsets))
	}
	h.places = append(h.places, place{len(h.tensors), entry.Offsets[0], entry.Offsets[1]})
	h.tensors = append(h.tensors, Tensor{Name: name, DType: entry.DType, Shape: entry.Shape})
	return nil
}

// check makes sure that the tensors take up exactly the given bytes, in order
// and without holes. Nothing is allocated before it passes.
func (h *header) check(size int64) error {
	var end int64
	for _, p := range h.places {
		t := h.tensors[p.tensor]
		want, err := t.bytes(size)
		switch {
		case err != nil:
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		case p.begin != end: // they overlap, or there is a hole
			return fmt.Errorf("tensor %q starts at byte %d, the one before it ends at %d", t.Name, p.begin, end)
		case p.end > size:
			return fmt.Errorf("tensor %q ends at byte %d of %d", t.Name, p.end, size)
		case p.end-p.begin != want:
			return fmt.Errorf("tensor %q has %d bytes, %s of shape %v takes %d", t.Name, p.end-p.begin, t.DType, t.Shape, want)
		}
		end = p.end
	}
	if end != size {
		return fmt.Errorf("its tensors end at byte %d of %d", end, size)
	}
	return nil
}

// bytes is the length of the data of t, which must not be above limit.
func (t *Tensor) bytes(limit int64) (int64, error) {
	size, ok := elementSize[t.DType]
	if !ok {
		return 0, fmt.Errorf("unknown type %q", t.DType)
	}
	if slices.ContainsFunc(t.Shape, func(d int) bool { return d < 0 }) {
		return 0, fmt.Errorf("shape %v has a negative side", t.Shape)
	}
	if slices.Contains(t.Shape, 0) {
		return 0, nil
	}
	n := int64(size)
	for _, d := range t.Shape {
		if n > limit/int64(d) {
			return 0, fmt.Errorf("%s of shape %v takes more than the %d bytes that there are", t.DType, t.Shape, limit)
		}
		n *= int64(d)
	}
	return n, nil
}
