package runs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"slices"
)

// A Tensor is one named array of a file.
type Tensor struct {
	Name  string
	DType string // F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL or C64
	Shape []int  // empty for a single number
	Data  []byte // little endian, row-major
}

// elementSize is bytes per element of the types that are read and written.
var elementSize = map[string]int{
	"F64": 8, "I64": 8, "U64": 8, "C64": 8,
	"F32": 4, "I32": 4, "U32": 4,
	"F16": 2, "BF16": 2, "I16": 2, "U16": 2,
	"I8": 1, "U8": 1, "BOOL": 1,
}

const (
	metadataKey = "__metadata__"
	hashKey     = "sha256"
	maxHeader   = 100_000_000 // as in https://github.com/huggingface/safetensors
)

// hashMark stands before the hash in the headers that we write. It cannot
// occur earlier: quotes inside a JSON string are escaped, and no other value
// of an entry called sha256 is a string.
var hashMark = []byte(`"` + hashKey + `":"`)

// A span is where the data of a tensor lies, counted from the end of the
// header.
type span struct {
	tensor     int
	begin, end int64
}

// ReadSafetensors reads a safetensors file, ours or one of others, and returns
// its tensors in the order of its header, and its metadata. A checkpoint's
// hash is verified. The error wraps ErrBroken when the content is at fault,
// and names the file and the tensor.
//
// No more memory is asked for than the file has bytes, whatever its header
// claims.
func ReadSafetensors(path string) ([]Tensor, map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("runs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("runs: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("runs: %s: %w: it is not a regular file", path, ErrBroken)
	}
	tensors, meta, err := readSafetensors(f, info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("runs: %s: %w: %w", path, ErrBroken, err)
	}
	return tensors, meta, nil
}

// readSafetensors reads size bytes from r.
func readSafetensors(r io.Reader, size int64) ([]Tensor, map[string]string, error) {
	if size < 8 {
		return nil, nil, fmt.Errorf("it has %d bytes, too few for any header", size)
	}
	sum := sha256.New()
	r = io.TeeReader(r, sum)
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, nil, cutShort(err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, nil, fmt.Errorf("its header claims %d bytes of %d", n, size)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, cutShort(err)
	}
	tensors, spans, meta, err := parseHeader(text)
	if err != nil {
		return nil, nil, err
	}
	if err := checkSpans(tensors, spans, size-8-int64(n)); err != nil {
		return nil, nil, err
	}
	hashed := meta["format"] == checkpointFormat
	if hashed {
		if err := hashHeader(sum, length[:], text, meta[hashKey]); err != nil {
			return nil, nil, err
		}
	} else {
		r = r.(teeless).untee()
	}
	for _, s := range spans {
		t := &tensors[s.tensor]
		t.Data = make([]byte, s.end-s.begin)
		if _, err := io.ReadFull(r, t.Data); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", t.Name, cutShort(err))
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); hashed && got != meta[hashKey] {
		return nil, nil, fmt.Errorf("its content has the hash %.8s…, its header says %.8s…", got, meta[hashKey])
	}
	return tensors, meta, nil
}
