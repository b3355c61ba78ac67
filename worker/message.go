package worker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// ErrMessage reports bytes that are not a message. What follows them cannot be
// read any more.
var ErrMessage = errors.New("not a message")

const (
	prefixBytes = 12
	maxHeader   = 16 << 20
)

// step is how much memory is asked for before the bytes that fill it have come,
// whatever a header claims. It is a variable so that a test needs less.
var step = 256 << 20

// The types of array entries, named as NumPy does.
const (
	float64s = "<f8"
	int32s   = "<i4"
	bytes1   = "|u1"
)

// A Message is a header and its arrays.
type Message struct {
	ID     uint64          `json:"id"`
	Op     string          `json:"op"`
	Args   json.RawMessage `json:"args,omitempty"`
	Arrays []Array         `json:"arrays,omitempty"`
}

// An Array has its entries in Floats, Ints or Bytes, row-major, as DType says.
type Array struct {
	Name   string    `json:"name"`
	DType  string    `json:"dtype"`
	Shape  []int     `json:"shape"`
	Floats []float64 `json:"-"`
	Ints   []int32   `json:"-"`
	Bytes  []byte    `json:"-"`
}

// Floats is an array of float64 entries; without a shape it has one dimension.
func Floats(name string, v []float64, shape ...int) Array {
	if len(shape) == 0 {
		shape = []int{len(v)}
	}
	return Array{Name: name, DType: float64s, Shape: shape, Floats: v}
}

// Ints is an array of int32 entries in one dimension.
func Ints(name string, v []int32) Array {
	return Array{Name: name, DType: int32s, Shape: []int{len(v)}, Ints: v}
}

// Bytes is an array of bytes: a file, or text.
func Bytes(name string, v []byte) Array {
	return Array{Name: name, DType: bytes1, Shape: []int{len(v)}, Bytes: v}
}

// ReadMessage reads the next message. It returns io.EOF at the end of r between
// two messages, and otherwise an error that wraps ErrMessage or is that of r.
func ReadMessage(r *bufio.Reader) (*Message, error) {
	var prefix [prefixBytes]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("worker: input ends within a prefix: %w", ErrMessage)
		}
		return nil, err
	}
	size, rest := binary.LittleEndian.Uint32(prefix[:]), binary.LittleEndian.Uint64(prefix[4:])
	if size > maxHeader {
		return nil, fmt.Errorf("worker: header of %d bytes: %w", size, ErrMessage)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("worker: input ends within a header: %w", ErrMessage)
	}
	m := &Message{}
	if err := json.Unmarshal(header, m); err != nil {
		return nil, fmt.Errorf("worker: header: %v: %w", err, ErrMessage)
	}
	var total uint64
	for i := range m.Arrays {
		n, err := m.Arrays[i].bytes()
		if err != nil {
			return nil, err
		}
		if total += n; total > rest {
			break
		}
	}
	if total != rest {
		return nil, fmt.Errorf("worker: arrays of %d bytes where the prefix says %d: %w", total, rest, ErrMessage)
	}
	for i := range m.Arrays {
		if err := m.Arrays[i].read(r); err != nil {
			return nil, fmt.Errorf("worker: array %q: %v: %w", m.Arrays[i].Name, err, ErrMessage)
		}
	}
	return m, nil
}

// WriteMessage writes m, and does not flush w.
func WriteMessage(w *bufio.Writer, m *Message) error {
	var rest uint64
	for i := range m.Arrays {
		n, err := m.Arrays[i].bytes()
		if err != nil {
			return err
		}
		rest += n
	}
	header, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("worker: header: %w", err)
	}
	var prefix [prefixBytes]byte
	binary.LittleEndian.PutUint32(prefix[:], uint32(len(header)))
	binary.LittleEndian.PutUint64(prefix[4:], rest)
	if _, err := w.Write(prefix[:]); err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for i := range m.Arrays {
		if err := m.Arrays[i].write(w); err != nil {
			return err
		}
	}
	return nil
}

// bytes is the size of the entries.
func (a *Array) bytes() (uint64, error) {
	n, err := a.count()
	switch a.DType {
	case int32s:
		n *= 4
	case float64s:
		n *= 8
	}
	return n, err
}

func (a *Array) count() (uint64, error) {
	if a.DType != float64s && a.DType != int32s && a.DType != bytes1 {
		return 0, fmt.Errorf("worker: array %q: entries of type %q: %w", a.Name, a.DType, ErrMessage)
	}
	n := uint64(1)
	for _, d := range a.Shape {
		if d < 0 || d > 0 && n > math.MaxInt64/8/uint64(d) {
			return 0, fmt.Errorf("worker: array %q: shape %v: %w", a.Name, a.Shape, ErrMessage)
		}
		n *= uint64(d)
	}
	return n, nil
}

func (a *Array) read(r io.Reader) error {
	n, err := a.count()
	if err != nil {
		return err
	}
	switch a.DType {
	case int32s:
		a.Ints, err = readEntries[int32](r, int(n))
	case bytes1:
		a.Bytes, err = readEntries[byte](r, int(n))
	default:
		a.Floats, err = readEntries[float64](r, int(n))
	}
	return err
}

func (a *Array) write(w io.Writer) error {
	var err error
	switch a.DType {
	case int32s:
		_, err = w.Write(inBytes(a.Ints))
	case bytes1:
		_, err = w.Write(a.Bytes)
	default:
		_, err = w.Write(inBytes(a.Floats))
	}
	return err
}

// readEntries reads n numbers without asking for much more memory than has
// been filled so far.
func readEntries[T byte | int32 | float64](r io.Reader, n int) ([]T, error) {
	var one T
	most := step / int(unsafe.Sizeof(one))
	v := make([]T, min(n, most))
	for done := 0; ; {
		if _, err := io.ReadFull(r, inBytes(v[done:])); err != nil {
			return nil, errors.New("input ends within it")
		}
		if len(v) == n {
			return v, nil
		}
		done = len(v)
		more := make([]T, min(n, 4*done))
		copy(more, v)
		v = more
	}
}

// inBytes is v as it lies in memory: little endian on all systems that we build
// for, which a test makes sure of.
func inBytes[T byte | int32 | float64](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0])))
}

// A number is a float64 in JSON, which has no infinities and no NaN: those are
// the strings "inf", "-inf" and "nan", which Python's float understands.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	f := float64(v)
	switch {
	case math.IsNaN(f):
		return []byte(`"nan"`), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	}
	return json.Marshal(f)
}

func (v *number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"nan"`:
		*v = number(math.NaN())
	case `"inf"`:
		*v = number(math.Inf(1))
	case `"-inf"`:
		*v = number(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(v))
	}
	return nil
}
