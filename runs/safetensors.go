package runs

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"rot.example/rot/internal/budget"
	"rot.example/rot/internal/openfile"
)

// A Tensor is one named array of a file.
type Tensor struct {
	Name  string
	DType string // F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL or C64
	Shape []int  // empty for a single number
	Data  []byte // little endian, row-major
}

const (
	metadataKey = "__metadata__"
	hashKey     = "sha256"
	maxHeader   = 100_000_000 // bytes; the limit of https://github.com/huggingface/safetensors
)

// hashMark stands before the hash in the headers that we write. It occurs
// nowhere else: quotes inside a JSON string are escaped, and what follows the
// name of a tensor is not a string.
var hashMark = []byte(`"` + hashKey + `":"`)

// noHash is what the file has in place of its hash while it is hashed.
var noHash = bytes.Repeat([]byte{'0'}, hex.EncodedLen(sha256.Size))

// ReadSafetensors reads a safetensors file, ours or one of others, and returns
// its tensors in the order of its header, and its metadata. The hash of a
// checkpoint is verified. The error wraps ErrBroken when the content is at
// fault, and names the file and the tensor.
//
// No more memory is asked for than the file has bytes, whatever its header
// claims. The data of each tensor is a piece of memory of its own.
func ReadSafetensors(path string) ([]Tensor, map[string]string, error) {
	f, info, err := openfile.Open(path)
	if errors.Is(err, openfile.ErrIrregular) {
		return nil, nil, fmt.Errorf("runs: %w: %w", ErrBroken, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("runs: %w", err)
	}
	defer f.Close()
	// The data have the size of the file; its header, as text and parsed, may
	// take a few times as much.
	if err := budget.Check(info.Size(), 2*info.Size()); err != nil {
		return nil, nil, fmt.Errorf("runs: %s: %w", path, err)
	}
	tensors, meta, err := readSafetensors(f, info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("runs: %s: %w: %w", path, ErrBroken, err)
	}
	return tensors, meta, nil
}

// readSafetensors reads a file of the given size.
func readSafetensors(in io.Reader, size int64) ([]Tensor, map[string]string, error) {
	r := bufio.NewReaderSize(in, 1<<16) // Large tensors pass through it without a copy.
	head, err := readHead(r, size)
	if err != nil {
		return nil, nil, err
	}
	h, err := parseHeader(head[8:])
	if err != nil {
		return nil, nil, err
	}
	if err := h.check(size - int64(len(head))); err != nil {
		return nil, nil, err
	}
	if h.meta["format"] != checkpointFormat {
		return h.tensors, h.meta, h.readData(r)
	}
	sum := sha256.New()
	if err := hashHead(sum, head, h.meta[hashKey]); err != nil {
		return nil, nil, err
	}
	if err := h.readData(io.TeeReader(r, sum)); err != nil {
		return nil, nil, err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != h.meta[hashKey] {
		return nil, nil, fmt.Errorf("its hash is %.8s…, its header says %.8s…", got, h.meta[hashKey])
	}
	return h.tensors, h.meta, nil
}

// readHead reads the length of the header and the header.
func readHead(r io.Reader, size int64) ([]byte, error) {
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, cutShort(err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, fmt.Errorf("it has %d bytes and claims a header of %d", size, n)
	}
	head := append(make([]byte, 0, 8+n), length[:]...)[:8+n]
	if _, err := io.ReadFull(r, head[8:]); err != nil {
		return nil, cutShort(err)
	}
	return head, nil
}

// readData reads what follows the header.
func (h *header) readData(r io.Reader) error {
	for _, p := range h.places {
		t := &h.tensors[p.tensor]
		t.Data = make([]byte, p.end-p.begin)
		if _, err := io.ReadFull(r, t.Data); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, cutShort(err))
		}
	}
	return nil
}

// hashHead feeds sum with head, in which the hash is blanked out.
func hashHead(sum hash.Hash, head []byte, value string) error {
	at := bytes.Index(head, slices.Concat(hashMark, []byte(value)))
	if at < 0 || len(value) != len(noHash) {
		return errors.New("it has no hash")
	}
	at += len(hashMark)
	sum.Write(head[:at])
	sum.Write(noHash)
	sum.Write(head[at+len(noHash):])
	return nil
}

// cutShort says in words that a file ends too early.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it is cut short")
	}
	return err
}
