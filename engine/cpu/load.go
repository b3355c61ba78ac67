package cpu

import "unsafe"

// load copies elements i…i+n−1 of a view to dst, each of size bytes.
func load(dst, src unsafe.Pointer, v *view, i, n, size int) {
	switch size {
	case 1:
		loadView(unsafe.Slice((*uint8)(dst), n), src, v, i)
	case 2:
		loadView(unsafe.Slice((*uint16)(dst), n), src, v, i)
	case 4:
		if v.strides[len(v.strides)-1] == 1 {
			loadRows(dst, src, v, i, n)
			return
		}
		loadView(unsafe.Slice((*uint32)(dst), n), src, v, i)
	case 8:
		loadView(unsafe.Slice((*uint64)(dst), n), src, v, i)
	}
}

func loadView[T any](dst []T, src unsafe.Pointer, v *view, i int) {
	if total := v.size(); i+len(dst) > total {
		// A block that is loaded for all others may be longer than the array.
		dst = dst[:total-i]
	}
	var c cursor
	c.seek(v, i)
	size := int(unsafe.Sizeof(dst[0]))
	stride := v.strides[len(v.strides)-1]
	for len(dst) > 0 {
		n := min(len(dst), c.run())
		p := unsafe.Add(src, c.at*size)
		d := dst[:n]
		switch stride {
		case 1:
			copyRun(d, unsafe.Slice((*T)(p), n))
		case 0:
			x := *(*T)(p)
			for k := range d {
				d[k] = x
			}
		default:
			for k := range d {
				d[k] = *(*T)(p)
				if k+1 < n {
					p = unsafe.Add(p, stride*size)
				}
			}
		}
		dst = dst[n:]
		c.skip(n)
	}
}

// copyRun is copy, without its call for the few elements of a pixel.
func copyRun[T any](dst, src []T) {
	if len(dst) > 8 {
		copy(dst, src)
		return
	}
	for i := range dst {
		dst[i] = src[i]
	}
}

// loadRows is load for elements of four bytes that lie together along the last
// axis of a view: all runs along the axis before it in one go.
func loadRows(dst, src unsafe.Pointer, v *view, i, n int) {
	n = min(n, v.size()-i) // as in loadView
	var c cursor
	c.seek(v, i)
	for n > 0 {
		rows, run := c.rows(n)
		moveRows(dst, unsafe.Add(src, c.at*4), rows, run, run*4, c.step()*4)
		dst = unsafe.Add(dst, rows*run*4)
		n -= rows * run
		c.next(rows, run)
	}
}

// storeRows is loadRows the other way.
func storeRows(dst unsafe.Pointer, v *view, i int, src unsafe.Pointer, n int) {
	var c cursor
	c.seek(v, i)
	for n > 0 {
		rows, run := c.rows(n)
		moveRows(unsafe.Add(dst, c.at*4), src, rows, run, c.step()*4, run*4)
		src = unsafe.Add(src, rows*run*4)
		n -= rows * run
		c.next(rows, run)
	}
}

// moveRowsGo copies rows of n elements of four bytes, which begin so many bytes
// apart.
func moveRowsGo(dst, src unsafe.Pointer, rows, n, dstStep, srcStep int) {
	for r := range rows {
		copyRun(unsafe.Slice((*uint32)(unsafe.Add(dst, r*dstStep)), n), unsafe.Slice((*uint32)(unsafe.Add(src, r*srcStep)), n))
	}
}
