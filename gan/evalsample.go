package gan

import (
	"context"

	"rot.example/rot/train"
)

// eachSample calls f with the samples of Sample(n, seed), a block after the
// other, so that all of them need not fit into memory.
func (t *Trainer) eachSample(ctx context.Context, n int, seed uint64, f func(s *Samples) error) error {
	rng := train.Random(seed, 0, streamSamples)
	size := 1
	for _, d := range t.data.Shape {
		size *= d
	}
	var flat []float32
	for from := 0; from < n; from += sampleChunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := t.sampleFrom(rng, from)
		if err != nil {
			return err
		}
		flat = append(flat, part[:min(sampleChunk, n-from)*size]...)
		if len(flat) == evalBlock*size || from+sampleChunk >= n {
			if err := f(samples(t.data, flat)); err != nil {
				return err
			}
			flat = flat[:0]
		}
	}
	return nil
}
