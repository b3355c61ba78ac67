package dataset

import "fmt"

// An Order is a seeded order of n samples, cut into batches: the concatenation
// of one random permutation per epoch. It is for one goroutine.
type Order struct {
	n, batch int
	seed     uint64
	epoch    int     // that perm is of; -1 at first
	perm     []int32 // the samples of the epoch
}

// NewOrder makes the order of n samples in batches of the given size.
func NewOrder(n, batch int, seed uint64) (*Order, error) {
	if n < 1 || n > 1<<31-1 {
		return nil, fmt.Errorf("dataset: an order of %d samples", n)
	}
	if batch < 1 {
		return nil, fmt.Errorf("dataset: batches of %d samples", batch)
	}
	return &Order{n: n, batch: batch, seed: seed, epoch: -1}, nil
}

// Batch is the samples at positions step·batch to (step+1)·batch of the order,
// in dst if it has room. It depends on n, batch, seed and step alone, so that
// a resumed run sees the batches of an unbroken one. Steps count from 0 and
// may come in any order; one after the other they take O(batch) on average. A
// batch that reaches over the end of an epoch goes on in the next.
func (o *Order) Batch(dst []int32, step int) []int32 {
	dst = dst[:0]
	for at := step * o.batch; len(dst) < o.batch; {
		o.shuffle(at / o.n)
		rest := o.perm[at%o.n:]
		k := min(len(rest), o.batch-len(dst))
		dst = append(dst, rest[:k]...)
		at += k
	}
	return dst
}

// shuffle makes perm that of an epoch.
func (o *Order) shuffle(epoch int) {
	if epoch == o.epoch {
		return
	}
	if o.perm == nil {
		o.perm = make([]int32, o.n)
	}
	rng := streamOf("order", o.seed, uint64(epoch))
	for i := range o.perm {
		// Inside out, so that the order before does not matter.
		j := rng.IntN(i + 1)
		o.perm[i] = o.perm[j]
		o.perm[j] = int32(i)
	}
	o.epoch = epoch
}
