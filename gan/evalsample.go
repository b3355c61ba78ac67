package gan

import (
	"context"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"rot/train"
)

// eachSample calls f with the samples of Sample(n, seed), a block after the
// other, so that all of them need not fit into memory.
func (t *Trainer) eachSample(ctx context.Context, n int, seed uint64, f func(s *Samples) error) error {
	const chunk = 64 // as Sample: one shape for the compiler
	rng := train.Random(seed, 0, streamSamples)
	size := 1
	for _, d := range t.data.Shape {
		size *= d
	}
	var flat []float32
	for from := 0; from < n; from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		z, class := make([]float32, chunk*t.c.Noise), make([]int32, chunk)
		for i := range z {
			z[i] = float32(rng.NormFloat64())
		}
		for i := range class {
			class[i] = int32((from + i) % max(1, t.c.Classes))
		}
		out, err := t.sample.Run(tensors.FromFlatDataAndDimensions(z, chunk, t.c.Noise), tensors.FromFlatDataAndDimensions(class, chunk))
		if err != nil {
			return fmt.Errorf("gan: %w", err)
		}
		part, err := tensors.CopyFlatData[float32](out[0])
		if err != nil {
			return fmt.Errorf("gan: %w", err)
		}
		out[0].MustFinalizeAll()
		flat = append(flat, part[:min(chunk, n-from)*size]...)
		if len(flat) == evalBlock*size || from+chunk >= n {
			if err := f(samples(t.data, flat)); err != nil {
				return err
			}
			flat = flat[:0]
		}
	}
	return nil
}
