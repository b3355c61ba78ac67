package worker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
)

// raw is a message as bytes, with the lengths as given.
func raw(header string, size uint32, arrays []byte, rest uint64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, size)
	b = binary.LittleEndian.AppendUint64(b, rest)
	return append(append(b, header...), arrays...)
}

func whole(header string, arrays []byte) []byte {
	return raw(header, uint32(len(header)), arrays, uint64(len(arrays)))
}

func TestMessageRoundTrip(t *testing.T) {
	want := &Message{ID: 7, Op: "robust", Args: json.RawMessage(`{"rho":0.5}`), Arrays: []Array{
		Floats("X", []float64{1, math.Inf(1), math.Copysign(0, -1), 5e-324, 2, 3}, 3, 2),
		Ints("i", []int32{-1, 2147483647}),
		Floats("none", nil),
	}}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	for range 2 {
		if err := WriteMessage(w, want); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(&b)
	for range 2 {
		got, err := ReadMessage(r)
		if err != nil {
			t.Fatal(err)
		}
		got.Arrays[2].Floats = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if _, err := ReadMessage(r); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

// TestLittleEndian is for systems that we do not build for.
func TestLittleEndian(t *testing.T) {
	if got, want := inBytes([]float64{1}), []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}; !bytes.Equal(got, want) {
		t.Errorf("1.0 lies in memory as %x, arrays are sent as %x", got, want)
	}
}

// TestLargeArray needs more memory than is asked for at once.
func TestLargeArray(t *testing.T) {
	defer func(was int) { step = was }(step)
	step = 1 << 20
	n := step/8 + 5
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
	}
	got, err := readEntries[float64](bytes.NewReader(inBytes(v)), n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != float64(i) {
			t.Fatalf("entry %d is %v", i, got[i])
		}
	}
}

func TestReadMessageErrors(t *testing.T) {
	array := func(dtype, shape string) string {
		return `{"id":1,"op":"exact","arrays":[{"name":"M","dtype":"` + dtype + `","shape":` + shape + `}]}`
	}
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"half a prefix", []byte{1, 2, 3}, "within a prefix"},
		{"huge header", raw("", 1<<31, nil, 0), "header of 2147483648 bytes"},
		{"half a header", raw(`{"id"`, 50, nil, 0), "within a header"},
		{"not JSON", whole("hello", nil), "header: "},
		{"unknown entries", whole(array("<f4", "[1]"), make([]byte, 4)), `entries of type "<f4"`},
		{"negative shape", whole(array("<f8", "[-1]"), nil), "shape [-1]"},
		{"shape that overflows", whole(array("<f8", "[4294967296,4294967296]"), nil), "shape [4294967296 4294967296]"},
		{"prefix says less", raw(array("<f8", "[2]"), uint32(len(array("<f8", "[2]"))), make([]byte, 16), 8), "arrays of 16 bytes where the prefix says 8"},
		{"more memory than anybody has", raw(array("<f8", "[1000000000000]"), uint32(len(array("<f8", "[1000000000000]"))), nil, 8e12), "input ends within it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadMessage(bufio.NewReader(bytes.NewReader(tt.in)))
			if !errors.Is(err, ErrMessage) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want ErrMessage with %q", err, tt.want)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	for _, v := range []float64{0, -1.5, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		text, err := json.Marshal(number(v))
		if err != nil {
			t.Fatal(err)
		}
		var got number
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if float64(got) != v && !(math.IsNaN(float64(got)) && math.IsNaN(v)) {
			t.Errorf("%v became %s and then %v", v, text, got)
		}
	}
	var v number
	if err := json.Unmarshal([]byte(`"many"`), &v); err == nil {
		t.Error("a word is taken for a number")
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add(whole(`{"id":1,"op":"exact","arrays":[{"name":"M","dtype":"<f8","shape":[1,1]}]}`, make([]byte, 8)))
	f.Add(whole(`{"id":1,"op":"cancel"}`, nil))
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := ReadMessage(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			if err != io.EOF && !errors.Is(err, ErrMessage) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err := WriteMessage(w, m); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		again, err := ReadMessage(bufio.NewReader(&b))
		if err != nil {
			t.Fatal(err)
		}
		if again.ID != m.ID || again.Op != m.Op || len(again.Arrays) != len(m.Arrays) {
			t.Fatalf("%+v became %+v", m, again)
		}
	})
}
