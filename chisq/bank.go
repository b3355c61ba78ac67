package chisq

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Bank holds one weight per training sample: 1 at first, then what
// Ball.Minimize makes of the latest scores. It is not safe for concurrent use.
//
// A Bank is an encoding.BinaryMarshaler and BinaryUnmarshaler: a Bank restored
// from its bytes is equal bit for bit. The zero Bank is there to be
// unmarshalled into; NewBank makes one to train with.
type Bank struct {
	ball    Ball
	weights []float64
	mean    []float64 // running mean of the scores; nil before the first Blend
	updates int
}

// NewBank returns a Bank of n weights of 1, with ball the set they stay in.
func NewBank(n int, ball Ball) (*Bank, error) {
	if err := ball.check(); err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, fmt.Errorf("chisq: bank of %d samples: %w", n, ErrLength)
	}
	b := &Bank{ball: ball, weights: make([]float64, n)}
	for i := range b.weights {
		b.weights[i] = 1
	}
	return b, nil
}

// Len returns the number of samples.
func (b *Bank) Len() int { return len(b.weights) }

// Ball returns the set that the weights stay in.
func (b *Bank) Ball() Ball { return b.ball }

// SetBall changes the set that the weights stay in, from the next update on.
func (b *Bank) SetBall(ball Ball) error {
	if err := ball.check(); err != nil {
		return err
	}
	b.ball = ball
	return nil
}

// Scores returns a copy of the running mean of the scores that Blend and
// BlendSeen were given; nil before the first.
func (b *Bank) Scores() []float64 { return slices.Clone(b.mean) }

// Updates returns the number of successful calls of Update, Blend and Mix.
func (b *Bank) Updates() int { return b.updates }

// Update sets the weights to the minimizer for one score per sample; a high
// score means a low weight. The weights stay as they were when it returns an
// error.
func (b *Bank) Update(scores []float64) error {
	if len(scores) != len(b.weights) {
		return fmt.Errorf("chisq: %d scores for a bank of %d: %w", len(scores), len(b.weights), ErrLength)
	}
	if _, err := b.ball.Minimize(b.weights, scores); err != nil {
		return err
	}
	b.updates++
	return nil
}

// Blend is Update with the running mean of the scores given to Blend so far, of
// which keep is the share of the earlier ones. Where the scores answer to the
// weights, as a critic's do, the exact answer to the latest alone may swing
// from one extreme to the other for ever; the answer to their mean settles.
func (b *Bank) Blend(scores []float64, keep float64) error { return b.BlendSeen(scores, keep, 1) }

// BlendSeen is Blend for scores by a network that learns with the weights. It
// hardly sees a sample whose weight is low, and knows little of it: in the running
// mean the latest score of a sample counts (1 − keep)·min(1, max(least, weight)).
func (b *Bank) BlendSeen(scores []float64, keep, least float64) error {
	if !(keep >= 0 && keep < 1) {
		return fmt.Errorf("chisq: share of the earlier scores is %v, not in [0, 1): %w", keep, ErrState)
	}
	if !(least >= 0 && least <= 1) {
		return fmt.Errorf("chisq: least share of a score is %v, not in [0, 1]: %w", least, ErrState)
	}
	mean := slices.Clone(scores)
	if b.mean != nil && len(scores) == len(b.mean) {
		for i, old := range b.mean {
			latest := (1 - keep) * min(1, max(least, b.weights[i]))
			mean[i] = (1-latest)*old + latest*scores[i]
		}
	}
	if err := b.Update(mean); err != nil {
		return err
	}
	b.mean = mean
	return nil
}

// Mix sets the weights to a mixture of themselves, of which keep is the share,
// and of w, which may come from anywhere: it is moved into the ball first,
// should it lie outside. The first Mix takes w as it is, since the
// weights of 1 before it say nothing.
func (b *Bank) Mix(w []float64, keep float64) error {
	if len(w) != len(b.weights) {
		return fmt.Errorf("chisq: %d weights for a bank of %d: %w", len(w), len(b.weights), ErrLength)
	}
	if !(keep >= 0 && keep < 1) {
		return fmt.Errorf("chisq: share of the earlier weights is %v, not in [0, 1): %w", keep, ErrState)
	}
	in, err := b.ball.Project(nil, w)
	if err != nil {
		return err
	}
	if b.updates == 0 {
		keep = 0
	}
	for i, v := range in {
		b.weights[i] = keep*b.weights[i] + (1-keep)*v
	}
	b.updates++
	return nil
}

// Gather writes the weights of the samples idx, a batch, to dst and returns
// it; a nil dst is allocated. The weights are those of the whole set, with mean
// 1 over it and not over the batch.
func (b *Bank) Gather(dst []float64, idx []int) ([]float64, error) {
	if dst == nil {
		dst = make([]float64, len(idx))
	}
	if len(dst) != len(idx) {
		return nil, fmt.Errorf("chisq: dst has length %d for %d indices: %w", len(dst), len(idx), ErrLength)
	}
	for k, i := range idx {
		if i < 0 || i >= len(b.weights) {
			return nil, fmt.Errorf("chisq: index %d at %d, bank of %d: %w", i, k, len(b.weights), ErrLength)
		}
	}
	for k, i := range idx {
		dst[k] = b.weights[i]
	}
	return dst, nil
}

// Weights returns a copy of all weights.
func (b *Bank) Weights() []float64 { return slices.Clone(b.weights) }

// bankMagic opens a saved Bank; its digit is the version. Radius, number of
// updates, number of weights, the weights and, if there is one, the mean of the
// scores follow, 8 bytes each, little-endian.
const bankMagic = "rotbank1"

// MarshalBinary returns the state of the Bank.
func (b *Bank) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, len(bankMagic)+8*(3+len(b.weights)+len(b.mean)))
	out = append(out, bankMagic...)
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(b.ball.Rho))
	out = binary.LittleEndian.AppendUint64(out, uint64(b.updates))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(b.weights)))
	for _, v := range slices.Concat(b.weights, b.mean) {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}

// UnmarshalBinary restores what MarshalBinary saved. It returns ErrState, and
// leaves the Bank as it was, for bytes that no Bank has written: the radius and
// the weights are checked, so that a damaged file is not trained on.
func (b *Bank) UnmarshalBinary(data []byte) error {
	const header = len(bankMagic) + 3*8
	if len(data) <= header || string(data[:len(bankMagic)]) != bankMagic {
		return fmt.Errorf("chisq: %d bytes without a bank's header and weights: %w", len(data), ErrState)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[len(bankMagic)+8*i:]) }
	count := (len(data) - header) / 8
	blended := uint64(count) == 2*word(2)
	if blended {
		count /= 2
	}
	if word(2) != uint64(count) || len(data) != header+8*count && !blended || (len(data)-header)%8 != 0 {
		return fmt.Errorf("chisq: %d bytes for %d saved weights: %w", len(data)-header, word(2), ErrState)
	}
	got := Bank{
		ball:    Ball{Rho: math.Float64frombits(word(0))},
		updates: int(word(1)),
		weights: make([]float64, count),
	}
	if got.ball.check() != nil {
		return fmt.Errorf("chisq: saved radius is %v: %w", got.ball.Rho, ErrState)
	}
	for i := range got.weights {
		w := math.Float64frombits(word(3 + i))
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("chisq: saved weight %d is %v: %w", i, w, ErrState)
		}
		got.weights[i] = w
	}
	if blended {
		got.mean = make([]float64, count)
		for i := range got.mean {
			got.mean[i] = math.Float64frombits(word(3 + count + i))
			if math.IsNaN(got.mean[i]) || math.IsInf(got.mean[i], 0) {
				return fmt.Errorf("chisq: saved mean score %d is %v: %w", i, got.mean[i], ErrState)
			}
		}
	}
	n := float64(len(got.weights))
	if _, sum, _ := sums(got.weights, nil, 0); math.Abs(sum-n) > 1e-9*n {
		return fmt.Errorf("chisq: saved weights have mean %v: %w", sum/n, ErrState)
	}
	*b = got
	return nil
}
