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
