package table

import (
	"encoding/binary"
	"errors"
	"io"
)

// readSchema reads the first message of a stream.
func (r *arrowReader) readSchema() (flat, error) {
	meta, _, err := r.message()
	if err != nil {
		return meta, err
	}
	if meta.pos == 0 || meta.integer(1, 1, 0) != 1 {
		return meta, r.damaged(errors.New("it has no schema"))
	}
	return meta.table(2), nil
}

// readFooter reads the end of a file: its schema, and where its dictionaries
// and record batches lie.
func (r *arrowReader) readFooter() (flat, error) {
	var tail [10]byte
	cut := failure(r.file, "the Arrow file is cut short: it does not end with ARROW1")
	if r.size < 8+10 {
		return flat{}, cut
	}
	if _, err := r.at.ReadAt(tail[:], r.size-10); err != nil {
		return flat{}, readFailure(r.file, err)
	}
	if string(tail[4:]) != arrowMark {
		return flat{}, cut
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > r.size-18 {
		return flat{}, r.damaged(errFlat)
	}
	b := make([]byte, n)
	if _, err := r.at.ReadAt(b, r.size-10-n); err != nil {
		return flat{}, readFailure(r.file, err)
	}
	footer := flatRoot(b)
	r.places = []int64{}
	for _, i := range []int{2, 3} {
		at, n := footer.vector(i, 24)
		for k := range n {
			r.places = append(r.places, footer.i64(at+24*k))
		}
	}
	schema := footer.table(1)
	if *footer.bad || schema.pos == 0 {
		return flat{}, r.damaged(errFlat)
	}
	return schema, nil
}

// nextPlace goes to the next message that the footer of a file names.
func (r *arrowReader) nextPlace() (more bool, err error) {
	if r.places == nil {
		return true, nil
	}
	if len(r.places) == 0 {
		return false, nil
	}
	at := r.places[0]
	r.places = r.places[1:]
	if at < 0 || at > r.size {
		return false, r.damaged(errFlat)
	}
	r.left = r.size - at
	r.r = io.NewSectionReader(r.at, at, r.left)
	return true, nil
}

// message reads the next message; its metadata has pos 0 at the end.
func (r *arrowReader) message() (meta flat, body []byte, err error) {
	var head [8]byte
	end := flat{bad: new(bool)}
	n, err := io.ReadFull(r.r, head[:4])
	if n == 0 && errors.Is(err, io.EOF) {
		return end, nil, nil
	}
	if err != nil {
		return end, nil, readFailure(r.file, err)
	}
	r.left -= 4
	size := int64(int32(binary.LittleEndian.Uint32(head[:])))
	if size == -1 { // since Arrow 0.15
		if _, err := io.ReadFull(r.r, head[:4]); err != nil {
			return end, nil, readFailure(r.file, err)
		}
		r.left -= 4
		size = int64(int32(binary.LittleEndian.Uint32(head[:])))
	}
	if size == 0 {
		return end, nil, nil
	}
	if size < 0 || size > r.left {
		return end, nil, r.damaged(errFlat)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r.r, b); err != nil {
		return end, nil, readFailure(r.file, err)
	}
	r.left -= size
	meta = flatRoot(b)
	length := meta.integer(3, 8, 0)
	if *meta.bad || meta.pos == 0 || length < 0 || length > r.left {
		return end, nil, r.damaged(errFlat)
	}
	if err := r.budget.take(length); err != nil {
		return end, nil, err
	}
	r.budget.free(length) // it lives until it is decoded
	body = make([]byte, length)
	if _, err := io.ReadFull(r.r, body); err != nil {
		return end, nil, readFailure(r.file, err)
	}
	r.left -= length
	return meta, body, nil
}
