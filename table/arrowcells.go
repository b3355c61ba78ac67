package table

import (
	"encoding/binary"
	"fmt"
)

// cells reads the buffers of a flat field and returns what adds its i-th cell.
func (b *arrowBatch) cells(f *arrowField, out *builder, n int) (func(i int) error, error) {
	data, err := b.buffer()
	if err != nil {
		return nil, err
	}
	if f.coded {
		return b.codedCells(f, out, n, data)
	}
	switch f.typ {
	case arrowBool:
		if len(data) < (n+7)/8 {
			return nil, errBatch
		}
		return func(i int) error {
			v := data[i/8] >> (i % 8) & 1
			if out.kind.words() {
				out.addWord([]byte([]string{"false", "true"}[v]))
			} else {
				out.numbers = append(out.numbers, float64(v))
			}
			return nil
		}, nil
	case arrowUtf8, arrowBinary, arrowLargeUtf8, arrowLargeBinary, arrowUtf8View, arrowBinaryView, arrowFixedBinary:
		word, err := b.words(f, n, data)
		if err != nil {
			return nil, err
		}
		return func(i int) error {
			w, err := word(i)
			if err != nil {
				return err
			}
			if isMissing(w) {
				out.addMissing()
			} else if !out.addWord(w) {
				out.addWord([]byte(quote(string(w))))
			}
			return nil
		}, nil
	}
	if len(data)/f.size < n {
		return nil, errBatch
	}
	if out.kind.words() { // an id
		return func(i int) error {
			b := data[i*f.size : (i+1)*f.size]
			switch {
			case f.typ == arrowInt:
				out.addWord([]byte(f.elem.word(b)))
			case f.typ == arrowTimestamp || f.typ == arrowDate:
				out.addWord([]byte(timeText(f.number(b))))
			default:
				out.addWord([]byte(numberText(f.number(b))))
			}
			return nil
		}, nil
	}
	return func(i int) error {
		out.numbers = append(out.numbers, f.number(data[i*f.size:(i+1)*f.size]))
		return nil
	}, nil
}

// codedCells looks cells up in the field's dictionary.
func (b *arrowBatch) codedCells(f *arrowField, out *builder, n int, data []byte) (func(i int) error, error) {
	if len(data)/f.index.size < n {
		return nil, errBatch
	}
	d := b.r.dicts[f.dict]
	if d == nil {
		return nil, fmt.Errorf("the dictionary of column %s is not there", quote(f.name))
	}
	return func(i int) error {
		k := f.index.signed(data[i*f.index.size:])
		if f.index.kind == 'u' {
			k = int64(f.index.bits(data[i*f.index.size:]))
		}
		switch {
		case out.kind.numeric():
			if k < 0 || k >= int64(len(d.numbers)) {
				return errBatch
			}
			out.numbers = append(out.numbers, d.numbers[k])
		case d.words == nil:
			if k < 0 || k >= int64(len(d.numbers)) {
				return errBatch
			}
			out.addWord([]byte(numberText(d.numbers[k])))
		default:
			if k < 0 || k >= int64(len(d.words)) {
				return errBatch
			}
			if w := d.words[k]; isMissing([]byte(w)) {
				out.addMissing()
			} else {
				out.addWord([]byte(w))
			}
		}
		return nil
	}, nil
}

// words returns what finds the i-th word.
func (b *arrowBatch) words(f *arrowField, n int, data []byte) (func(i int) ([]byte, error), error) {
	switch f.typ {
	case arrowFixedBinary:
		if f.size <= 0 || len(data)/f.size < n {
			return nil, errBatch
		}
		return func(i int) ([]byte, error) { return data[i*f.size : (i+1)*f.size], nil }, nil
	case arrowUtf8View, arrowBinaryView:
		return b.viewWords(n, data)
	}
	text, err := b.buffer()
	if err != nil {
		return nil, err
	}
	if len(data)/f.size < n+1 && n > 0 {
		return nil, errBatch
	}
	return func(i int) ([]byte, error) {
		from, to, err := offsets(data, f.size, i, len(text))
		if err != nil {
			return nil, err
		}
		return text[from:to], nil
	}, nil
}

// offsets returns where the i-th list or word begins and ends.
func offsets(data []byte, size, i, most int) (from, to int, err error) {
	var a, z int64
	if size == 4 {
		a, z = int64(int32(binary.LittleEndian.Uint32(data[4*i:]))), int64(int32(binary.LittleEndian.Uint32(data[4*i+4:])))
	} else {
		a, z = int64(binary.LittleEndian.Uint64(data[8*i:])), int64(binary.LittleEndian.Uint64(data[8*i+8:]))
	}
	if a < 0 || z < a || z > int64(most) {
		return 0, 0, errBatch
	}
	return int(a), int(z), nil
}

// viewWords reads words of up to 12 bytes in place and longer ones from other
// buffers.
func (b *arrowBatch) viewWords(n int, data []byte) (func(i int) ([]byte, error), error) {
	count, err := b.viewBuffers()
	if err != nil {
		return nil, err
	}
	buffers := make([][]byte, count)
	for k := range buffers {
		if buffers[k], err = b.buffer(); err != nil {
			return nil, err
		}
	}
	if len(data)/16 < n {
		return nil, errBatch
	}
	return func(i int) ([]byte, error) {
		v := data[16*i : 16*i+16]
		size := int(int32(binary.LittleEndian.Uint32(v)))
		if size >= 0 && size <= 12 {
			return v[4 : 4+size], nil
		}
		k, at := int(binary.LittleEndian.Uint32(v[8:])), int(int32(binary.LittleEndian.Uint32(v[12:])))
		if size < 0 || k >= len(buffers) || at < 0 || at > len(buffers[k])-size {
			return nil, errBatch
		}
		return buffers[k][at : at+size], nil
	}, nil
}

// vectors decodes lists of numbers.
func (b *arrowBatch) vectors(f *arrowField, out *builder, n int, valid []byte) error {
	var data []byte
	var err error
	if f.typ != arrowFixedList {
		if data, err = b.buffer(); err != nil {
			return err
		}
		if len(data)/f.size < n+1 && n > 0 {
			return errBatch
		}
	}
	child, cost, err := b.column(&f.children[0])
	if err != nil {
		return err
	}
	defer b.r.budget.free(cost)
	if f.typ == arrowFixedList && len(child.Numbers)/f.width < n {
		return errBatch
	}
	for i := range n {
		from, to := i*f.width, (i+1)*f.width
		if f.typ != arrowFixedList {
			if from, to, err = offsets(data, f.size, i, len(child.Numbers)); err != nil {
				return err
			}
		}
		if f.width == 0 && to > from {
			f.width = to - from
			if err := b.r.budget.takeProduct(int64(n), int64(8*f.width)); err != nil {
				return err
			}
			out.width = f.width
			for range i { // all missing or empty so far
				out.addMissing()
			}
		}
		switch {
		case f.width == 0:
		case len(valid) > 0 && valid[i/8]>>(i%8)&1 == 0:
			out.addMissing()
		case to-from != f.width:
			out.addBadVector([]byte(lengthText(to-from)), 0)
		default:
			out.numbers = append(out.numbers, child.Numbers[from:to]...)
			out.good++
		}
	}
	return nil
}
