package ot

// A heapItem is a node with a key; other is for the caller.
type heapItem struct {
	key         float64
	node, other int32
}

// minHeap is a binary heap on key. container/heap boxes every item.
type minHeap []heapItem

func (h *minHeap) push(x heapItem) {
	o := append(*h, x)
	k := len(o) - 1
	for k > 0 {
		p := (k - 1) / 2
		if o[p].key <= x.key {
			break
		}
		o[k] = o[p]
		k = p
	}
	o[k] = x
	*h = o
}

func (h *minHeap) pop() heapItem {
	o := *h
	r := o[0]
	n := len(o) - 1
	x := o[n]
	o = o[:n]
	*h = o
	k := 0
	for {
		c := 2*k + 1
		if c >= n {
			break
		}
		if c+1 < n && o[c+1].key < o[c].key {
			c++
		}
		if o[c].key >= x.key {
			break
		}
		o[k] = o[c]
		k = c
	}
	if n > 0 {
		o[k] = x
	}
	return r
}
