package runs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// little is values as the data of a tensor.
func little(values any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return b
}

// samples is one tensor of every kind, in an order that is not that of a file.
func samples() []Tensor {
	return []Tensor{
		{"mask", "U8", []int{3}, []byte{1, 2, 3}},
		{"critic/conv.weight", "F32", []int{2, 3}, little([]float32{1, 2, 3, -1, -2, -3})},
		{"half", "BF16", []int{1}, []byte{0x80, 0x3f}},
		{"step", "I64", []int{}, little([]int64{-5})},
		{"rng", "U64", []int{2}, little([]uint64{math.MaxUint64, 7})},
		{"weights", "F64", []int{2}, little([]float64{0.5, 1.5})},
		{"none", "I32", []int{4, 0}, []byte{}},
		{`quoted "name" <&> ρ`, "I32", []int{1, 1}, little([]int32{9})},
	}
}

func TestSafetensorsRoundTrip(t *testing.T) {
	for _, tensors := range [][]Tensor{samples(), {}, samples()[:1]} {
		meta := [][2]string{{"format", checkpointFormat}, {"note", `a "quote" and "sha256":"` + string(noHash)}}
		var buf bytes.Buffer
		if err := writeSafetensors(&buf, tensors, meta); err != nil {
			t.Fatal(err)
		}
		if n := binary.LittleEndian.Uint64(buf.Bytes()); n%8 != 0 || buf.Bytes()[8] != '{' {
			t.Errorf("header of %d bytes starts with %q", n, buf.Bytes()[8])
		}
		got, m, err := readSafetensors(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(tensors) || len(got) > 0 && !reflect.DeepEqual(got, tensors) {
			t.Errorf("tensors %v, want %v", got, tensors)
		}
		if m["note"] != meta[1][1] {
			t.Errorf("metadata %v", m)
		}
	}
}

// TestSafetensorsAligned looks at the places in the file.
func TestSafetensorsAligned(t *testing.T) {
	text, err := headText(samples(), layout(samples()), nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := parseHeader(text[8:])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range h.places {
		if t2 := h.tensors[p.tensor]; p.begin%int64(elementSize[t2.DType]) != 0 {
			t.Errorf("%s of %s at byte %d", t2.Name, t2.DType, p.begin)
		}
	}
}

// TestSafetensorsOfPython reads what the reference implementation has written;
// testdata/README.md says how.
func TestSafetensorsOfPython(t *testing.T) {
	got, meta, err := ReadSafetensors("testdata/python.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	want := []Tensor{
		{"steps", "I64", []int{2}, little([]int64{3, -4})},
		{"scalar", "F64", []int{}, little(2.5)},
		{"layer1.weight", "F32", []int{2, 3}, little([]float32{0, 0.25, 0.5, 0.75, 1, 1.25})},
		{"none", "F32", []int{0, 4}, []byte{}},
		{"half", "F16", []int{2}, little([]uint16{0x3e00, 0xc000})}, // 1.5, −2
		{"bytes", "U8", []int{1, 1}, []byte{7}},
		{"mask", "BOOL", []int{3}, []byte{1, 0, 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tensors %v, want %v", got, want)
	}
	if meta["made_by"] != "safetensors 0.8.0 for Python" || len(meta) != 1 {
		t.Errorf("metadata %v", meta)
	}
}

// file is a safetensors file with the given header and n bytes of data.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

// badFiles is a file for every thing that can be wrong, and a part of the
// error.
var badFiles = []struct {
	name string
	data []byte
	text string
}{
	{"empty", nil, "cut short"},
	{"seven bytes", make([]byte, 7), "cut short"},
	{"no header", make([]byte, 8), "not a JSON object"},
	{"huge header", binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "claims a header of 18446744073709551615"},
	{"header longer than the file", binary.LittleEndian.AppendUint64(nil, 100), "claims a header of 100"},
	{"text", []byte("this is no safetensors file at all"), "claims a header"},
	{"array", file(`[]`, 0), "not a JSON object"},
	{"cut header", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}`, 1), "its header"},
	{"more header", file(`{}{}`, 0), "goes on after its end"},
	{"twice", file(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), `"a" twice`},
	{"metadata", file(`{"__metadata__":{"a":1}}`, 0), "its metadata"},
	{"type", file(`{"a":{"dtype":"F4","shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": unknown type "F4"`},
	{"no type", file(`{"a":{"shape":[1],"data_offsets":[0,1]}}`, 1), `tensor "a": unknown type ""`},
	{"no shape", file(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1), `tensor "a": it has no shape`},
	{"no offsets", file(`{"a":{"dtype":"U8","shape":[1]}}`, 1), `tensor "a": it has 0 data_offsets`},
	{"three offsets", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}`, 1), `tensor "a": it has 3 data_offsets`},
	{"fraction", file(`{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}`, 1), `tensor "a"`},
	{"not an object", file(`{"a":3}`, 1), `tensor "a"`},
	{"negative side", file(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1), `tensor "a": shape [-1] has a negative side`},
	{"two negative sides", file(`{"a":{"dtype":"U8","shape":[-1,-1],"data_offsets":[0,1]}}`, 1), "negative side"},
	{"negative offset", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[-1,1]}}`, 1), `tensor "a"`},
	{"backwards", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,-1]}}`, 0), `tensor "a"`},
	{"huge tensor", file(`{"a":{"dtype":"U8","shape":[1000000000000],"data_offsets":[0,1000000000000]}}`, 1), "more than the 1 bytes"},
	{"overflow", file(`{"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "more than the 0 bytes"},
	{"overflow to the right size", file(`{"a":{"dtype":"U8","shape":[9223372036854775807,2],"data_offsets":[0,8]}}`, 8), "more than the 8 bytes"},
	{"size", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4), `tensor "a"`},
	{"size and shape", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}`, 8), `tensor "a" has 8 bytes, F32 of shape [1] takes 4`},
	{"overlap", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 3), `tensor "b" starts at byte 1`},
	{"same place", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 2), `tensor "b" starts at byte 0`},
	{"hole", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, 3), `tensor "b" starts at byte 2`},
	{"hole at the start", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2), `tensor "a" starts at byte 1`},
	{"data missing", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 1), "more than the 1 bytes"},
	{"data left over", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}`, 3), "end at byte 2 of 3"},
	{"no hash", file(`{"__metadata__":{"format":"rot-1"}}`, 0), "no hash"},
	{"short hash", file(`{"__metadata__":{"format":"rot-1","sha256":"00"}}`, 0), "no hash"},
	{"wrong hash", file(`{"__metadata__":{"format":"rot-1","sha256":"`+string(noHash)+`"}}`, 0), "its hash is"},
}

func TestReadSafetensorsErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.safetensors")
	for _, tt := range badFiles {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(path, tt.data, 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := ReadSafetensors(path)
			if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), tt.text) || !strings.HasPrefix(err.Error(), "runs: "+path) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
	if _, _, err := ReadSafetensors(path + "?"); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrBroken) {
		t.Errorf("missing file: error %v", err)
	}
	if _, _, err := ReadSafetensors(filepath.Dir(path)); err == nil {
		t.Error("a folder was read")
	}
}

// TestReadSafetensorsMemory gives headers that claim the world.
func TestReadSafetensorsMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, tt := range badFiles {
		_, _, _ = readSafetensors(bytes.NewReader(tt.data), int64(len(tt.data)))
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 {
		t.Errorf("%d bytes allocated for %d small files", n, len(badFiles))
	}
}

func TestWriteSafetensorsErrors(t *testing.T) {
	one := Tensor{"a", "U8", []int{1}, []byte{1}}
	for _, tt := range []struct {
		name    string
		tensors []Tensor
		meta    [][2]string
		text    string
	}{
		{"no name", []Tensor{{"", "U8", nil, []byte{1}}}, nil, `called ""`},
		{"reserved name", []Tensor{{metadataKey, "U8", nil, []byte{1}}}, nil, "called"},
		{"name", []Tensor{{"\xff", "U8", nil, []byte{1}}}, nil, "called"},
		{"twice", []Tensor{one, one}, nil, `two tensors are called "a"`},
		{"type", []Tensor{{"a", "F31", nil, []byte{1}}}, nil, `tensor "a": unknown type "F31"`},
		{"side", []Tensor{{"a", "U8", []int{-1}, []byte{1}}}, nil, "negative side"},
		{"size", []Tensor{{"a", "F32", []int{2}, make([]byte, 4)}}, nil, `tensor "a" has 4 bytes`},
		{"overflow", []Tensor{{"a", "F64", []int{1 << 62, 4}, nil}}, nil, `tensor "a"`},
		{"meta", nil, [][2]string{{"a", "\xff"}}, "not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var buf bytes.Buffer
			err := writeSafetensors(&buf, tt.tensors, tt.meta)
			if !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), tt.text) || buf.Len() > 0 {
				t.Errorf("error %v after %d bytes, want one with %q", err, buf.Len(), tt.text)
			}
		})
	}
}

func FuzzSafetensors(f *testing.F) {
	for _, tt := range badFiles {
		f.Add(tt.data)
	}
	var buf bytes.Buffer
	if err := writeSafetensors(&buf, samples(), [][2]string{{"format", checkpointFormat}}); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	python, err := os.ReadFile("testdata/python.safetensors")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(python)
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, meta, err := readSafetensors(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		total := 0
		for _, x := range tensors {
			total += len(x.Data)
			if n, err := x.bytes(int64(len(x.Data))); err != nil || n != int64(len(x.Data)) {
				t.Fatalf("%s %v has %d bytes, %v", x.DType, x.Shape, len(x.Data), err)
			}
		}
		if total > len(data) {
			t.Fatalf("%d bytes of tensors from %d", total, len(data))
		}
		if meta["format"] == checkpointFormat {
			return // its metadata holds a hash already
		}
		var again bytes.Buffer
		if err := writeSafetensors(&again, tensors, nil); err != nil {
			return // a name that we would not write
		}
		got, _, err := readSafetensors(bytes.NewReader(again.Bytes()), int64(again.Len()))
		if err != nil || len(got) != len(tensors) || len(got) > 0 && !reflect.DeepEqual(got, tensors) {
			t.Fatalf("%v became %v, %v", tensors, got, err)
		}
	})
}
