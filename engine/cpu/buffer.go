package cpu

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/shapes"
)

// Buffer implements compute.Buffer: an array in ordinary memory.
type Buffer struct {
	backend *Backend
	shape   shapes.Shape
	words   []uint64 // nil once finalized
}

var _ compute.Buffer = (*Buffer)(nil)

var errFinalized = errors.New("cpu: the backend or the buffer was finalized")

func (b *Backend) newBuffer(shape shapes.Shape) *Buffer {
	return &Buffer{backend: b, shape: shape, words: b.memory.get(byteSize(shape))}
}

func (x *Buffer) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x.words)) }

// Backend implements compute.Buffer.
func (x *Buffer) Backend() compute.Backend { return x.backend }

// Finalize implements compute.Buffer. The memory is used again.
func (x *Buffer) Finalize() error {
	if x == nil || x.words == nil {
		return errFinalized
	}
	x.backend.memory.put(x.words)
	x.words = nil
	return nil
}

// Shape implements compute.Buffer.
func (x *Buffer) Shape() (shapes.Shape, error) { return x.shape, nil }

// DeviceNum implements compute.Buffer.
func (x *Buffer) DeviceNum() (compute.DeviceNum, error) { return 0, nil }

// CopyToDevice implements compute.Buffer.
func (x *Buffer) CopyToDevice(compute.DeviceNum) (compute.Buffer, error) {
	return nil, fmt.Errorf("cpu: there is one device: %w", compute.ErrNotImplemented)
}

// Data implements compute.Buffer: a slice of the elements themselves.
func (x *Buffer) Data() (any, error) {
	if x.words == nil {
		return nil, errFinalized
	}
	return slice(x.shape.DType, x.pointer(), x.shape.Size()), nil
}

// ToFlatData implements compute.Buffer.
func (x *Buffer) ToFlatData(flat any) error {
	data, err := x.Data()
	if err != nil {
		return err
	}
	return copyFlat(flat, data)
}

// BufferFromFlatData implements compute.Backend.
func (b *Backend) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	x, data, err := b.NewSharedBuffer(device, shape)
	if err != nil {
		return nil, err
	}
	if err := copyFlat(data, flat); err != nil {
		return nil, err
	}
	return x, nil
}

// HasSharedBuffers implements compute.Backend: programs may read and write the
// arrays in place.
func (b *Backend) HasSharedBuffers() bool { return true }

// NewSharedBuffer implements compute.Backend.
func (b *Backend) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (compute.Buffer, any, error) {
	switch {
	case b.IsFinalized():
		return nil, nil, errFinalized
	case device != 0:
		return nil, nil, fmt.Errorf("cpu: there is no device %d", device)
	}
	if err := known(shape); err != nil {
		return nil, nil, err
	}
	x := b.newBuffer(shape)
	data, err := x.Data()
	return x, data, err
}

// known refuses shapes that the backend does not have.
func known(shape shapes.Shape) error {
	if sizeOf(shape.DType) == 0 || shape.IsDynamic() || shape.Rank() > maxAxes {
		return fmt.Errorf("cpu: arrays %s: %w", shape, compute.ErrNotImplemented)
	}
	return nil
}

func byteSize(shape shapes.Shape) int { return shape.Size() * sizeOf(shape.DType) }

// copyFlat copies one slice to another of the same type and length.
func copyFlat(dst, src any) error {
	d, s := reflect.ValueOf(dst), reflect.ValueOf(src)
	if d.Kind() != reflect.Slice || d.Type() != s.Type() || d.Len() != s.Len() {
		return fmt.Errorf("cpu: cannot copy %T to %T, or not %d elements", src, dst, s.Len())
	}
	reflect.Copy(d, s)
	return nil
}

// slice is the Go slice of n elements at p.
func slice(t dtypes.DType, p unsafe.Pointer, n int) any {
	switch t {
	case dtypes.Bool:
		return unsafe.Slice((*bool)(p), n)
	case dtypes.Int8:
		return unsafe.Slice((*int8)(p), n)
	case dtypes.Int16:
		return unsafe.Slice((*int16)(p), n)
	case dtypes.Int32:
		return unsafe.Slice((*int32)(p), n)
	case dtypes.Int64:
		return unsafe.Slice((*int64)(p), n)
	case dtypes.Uint8:
		return unsafe.Slice((*uint8)(p), n)
	case dtypes.Uint16:
		return unsafe.Slice((*uint16)(p), n)
	case dtypes.Uint32:
		return unsafe.Slice((*uint32)(p), n)
	case dtypes.Uint64:
		return unsafe.Slice((*uint64)(p), n)
	case dtypes.Float32:
		return unsafe.Slice((*float32)(p), n)
	case dtypes.Float64:
		return unsafe.Slice((*float64)(p), n)
	case dtypes.BFloat16:
		return unsafe.Slice((*bfloat16.BFloat16)(p), n)
	}
	panic("cpu: slice of unknown type " + t.String())
}
