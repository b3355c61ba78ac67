package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A codec is a way to compress the data of a Parquet page or an Arrow buffer.
type codec uint8

const (
	codecNone codec = iota
	codecSnappy
	codecGzip
	codecBrotli
	codecZstd
	codecLZ4       // one block
	codecLZ4Frame  // Arrow
	codecLZ4Hadoop // blocks with their lengths, as old Parquet writers have them
)

var errUnpack = errors.New("the compressed data is damaged")

// unpack decompresses src into exactly size bytes, never more.
func (c codec) unpack(src []byte, size int) ([]byte, error) {
	switch c {
	case codecNone:
		if len(src) != size {
			return nil, fmt.Errorf("%d bytes where %d were declared", len(src), size)
		}
		return src, nil
	case codecSnappy:
		if n, err := snappy.DecodedLen(src); err != nil || n != size {
			return nil, errUnpack
		}
		return snappy.Decode(make([]byte, size), src)
	case codecLZ4:
		dst := make([]byte, size)
		n, err := lz4.UncompressBlock(src, dst)
		if err != nil || n != size {
			return nil, errUnpack
		}
		return dst, nil
	case codecLZ4Hadoop:
		return unpackHadoop(src, size)
	case codecGzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, errUnpack
		}
		return readExactly(r, size)
	case codecBrotli:
		return readExactly(brotli.NewReader(bytes.NewReader(src)), size)
	case codecLZ4Frame:
		return unpackLZ4Frame(src, size)
	case codecZstd:
		d := zstdPool.Get().(*zstd.Decoder)
		defer zstdPool.Put(d)
		if err := d.Reset(bytes.NewReader(src)); err != nil {
			return nil, errUnpack
		}
		return readExactly(d, size)
	}
	return nil, errors.New("compressed in a way that is not read")
}

// zstdPool keeps decoders, which are expensive to make. A frame may ask for a
// window of at most 16 MiB, twice what the strongest usual level uses.
var zstdPool = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(16<<20), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}}

func readExactly(r io.Reader, size int) ([]byte, error) {
	dst := make([]byte, size)
	if _, err := io.ReadFull(r, dst); err != nil {
		return nil, errUnpack
	}
	var one [1]byte
	if n, _ := r.Read(one[:]); n > 0 {
		return nil, errUnpack
	}
	return dst, nil
}

// unpackHadoop reads blocks that each begin with their two lengths, big
// endian; a writer that left those out wrote one plain block.
func unpackHadoop(src []byte, size int) ([]byte, error) {
	dst := make([]byte, 0, size)
	rest := src
	for len(rest) >= 8 {
		n, packed := be32(rest), be32(rest[4:])
		if packed > len(rest)-8 || n > size-len(dst) {
			break
		}
		k, err := lz4.UncompressBlock(rest[8:8+packed], dst[len(dst):len(dst)+n])
		if err != nil || k != n {
			break
		}
		dst = dst[:len(dst)+n]
		rest = rest[8+packed:]
	}
	if len(dst) == size && len(rest) == 0 {
		return dst, nil
	}
	return codecLZ4.unpack(src, size)
}

func be32(b []byte) int { return int(b[0])<<24 | int(b[1])<<16 | int(b[2])<<8 | int(b[3]) }
