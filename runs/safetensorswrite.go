package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// writeSafetensors writes the tensors and the entries of meta, to which it
// adds the hash.
func writeSafetensors(w io.Writer, tensors []Tensor, meta [][2]string) error {
	if err := checkTensors(tensors); err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	order := layout(tensors)
	head, err := headText(tensors, order, meta)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	// The hash stands before the data, so the data is gone through twice
	// rather than copied.
	sum := sha256.New()
	sum.Write(head)
	for _, k := range order {
		sum.Write(tensors[k].Data)
	}
	hex.Encode(head[bytes.Index(head, hashMark)+len(hashMark):], sum.Sum(nil))
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, k := range order {
		if _, err := w.Write(tensors[k].Data); err != nil {
			return err
		}
	}
	return nil
}

func checkTensors(tensors []Tensor) error {
	seen := map[string]bool{}
	for _, t := range tensors {
		switch {
		case t.Name == "" || t.Name == metadataKey || !utf8.ValidString(t.Name):
			return fmt.Errorf("a tensor cannot be called %q", t.Name)
		case seen[t.Name]:
			return fmt.Errorf("two tensors are called %q", t.Name)
		}
		seen[t.Name] = true
		n, err := t.bytes(math.MaxInt64)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if n != int64(len(t.Data)) {
			return fmt.Errorf("tensor %q has %d bytes, %s of shape %v takes %d", t.Name, len(t.Data), t.DType, t.Shape, n)
		}
	}
	return nil
}

// layout is the order of the data: large elements first, so that each one
// lies at a multiple of its size for readers that map the file.
func layout(tensors []Tensor) []int {
	order := make([]int, len(tensors))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(k, l int) int {
		return elementSize[tensors[l].DType] - elementSize[tensors[k].DType]
	})
	return order
}

// headText is the length and the text of the header, with a blank hash. It
// lists the tensors as they are given, which is the order to read them in.
func headText(tensors []Tensor, order []int, meta [][2]string) ([]byte, error) {
	offsets := make([][2]int64, len(tensors))
	var end int64
	for _, k := range order {
		begin := end
		end += int64(len(tensors[k].Data))
		offsets[k] = [2]int64{begin, end}
	}
	text := append(make([]byte, 8), `{"`+metadataKey+`":{`...)
	for _, m := range meta {
		if !utf8.ValidString(m[0]) || !utf8.ValidString(m[1]) {
			return nil, fmt.Errorf("the meta entry %q is not UTF-8", m[0])
		}
		text = append(appendJSON(append(appendJSON(text, m[0]), ':'), m[1]), ',')
	}
	text = append(append(append(text, hashMark...), noHash...), `"}`...)
	for k, t := range tensors {
		text = append(appendJSON(append(text, ','), t.Name), ':')
		text = appendJSON(text, struct {
			DType   string   `json:"dtype"`
			Shape   []int    `json:"shape"`
			Offsets [2]int64 `json:"data_offsets"`
		}{t.DType, append([]int{}, t.Shape...), offsets[k]}) // [] for a number, not null
	}
	text = append(text, '}')
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text)-8 > maxHeader {
		return nil, fmt.Errorf("the header would have %d bytes, more than %d", len(text)-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(text, uint64(len(text)-8))
	return text, nil
}

// appendJSON appends v, which always has a JSON form.
func appendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(dst, b...)
}
