package train

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"rot/chisq"
	"rot/nn"
	"rot/runs"
)

// A Saved is everything that a checkpoint holds: data order and random numbers
// are functions of the seed and the step.
type Saved struct {
	Step     int
	State    *nn.State
	Bank     *chisq.Bank // nil without
	Progress any         // a pointer to what JSON can hold
}

const (
	metaProgress = "progress"
	bankArray    = "bank"
)

// Save writes a checkpoint of s into the run.
func (s *Saved) Save(run *runs.Run) error {
	text, err := json.Marshal(s.Progress)
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	c := &runs.Checkpoint{Step: s.Step, Meta: map[string]string{metaProgress: string(text)}}
	if s.Bank != nil {
		b, err := s.Bank.MarshalBinary()
		if err != nil {
			return fmt.Errorf("train: checkpoint: %w", err)
		}
		c.Tensors = append(c.Tensors, runs.Tensor{Name: bankArray, DType: "U8", Shape: []int{len(b)}, Data: b})
	}
	for name, value := range s.State.All() {
		a := runs.Tensor{Name: name, DType: "F32", Shape: value.Shape().Dimensions}
		if err := value.ConstBytes(func(data []byte) { a.Data = append([]byte(nil), data...) }); err != nil {
			return fmt.Errorf("train: checkpoint: array %s: %w", name, err)
		}
		c.Tensors = append(c.Tensors, a)
	}
	return run.Save(c)
}

// Restore brings s to the newest checkpoint of the run, in place. Without one
// s stays as it is.
func (s *Saved) Restore(run *runs.Run) error {
	c, err := run.Latest()
	if errors.Is(err, runs.ErrNoCheckpoint) && !errors.Is(err, runs.ErrBroken) {
		return nil
	}
	if err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("train: checkpoint of step %d: %w", c.Step, err) }
	if err := json.Unmarshal([]byte(c.Meta[metaProgress]), s.Progress); err != nil {
		return fail(err)
	}
	for _, a := range c.Tensors {
		if a.Name == bankArray {
			if s.Bank == nil {
				continue // whoever asks has no use for it
			}
			n := s.Bank.Len()
			if err := s.Bank.UnmarshalBinary(a.Data); err != nil {
				return fail(err)
			}
			if s.Bank.Len() != n {
				return fail(fmt.Errorf("%d weights for %d samples", s.Bank.Len(), n))
			}
			continue
		}
		if a.DType != "F32" {
			return fail(fmt.Errorf("array %s is %s, not F32", a.Name, a.DType))
		}
		value := tensors.FromShape(shapes.Make(dtypes.Float32, a.Shape...))
		if err := value.MutableBytes(func(data []byte) { copy(data, a.Data) }); err != nil {
			return fail(fmt.Errorf("array %s: %w", a.Name, err))
		}
		s.State.Set(a.Name, value)
	}
	s.Step = c.Step
	return nil
}

// Unsound names an array of the State with a NaN or an infinity, or nothing:
// such a State must not take the place of a good checkpoint.
func (s *Saved) Unsound() (string, error) {
	for name, value := range s.State.All() {
		bad := false
		err := value.ConstBytes(func(data []byte) {
			const exponent = 0x7f80_0000 // all ones
			for i := 0; i < len(data) && !bad; i += 4 {
				bad = binary.LittleEndian.Uint32(data[i:])&exponent == exponent
			}
		})
		if err != nil || bad {
			return name, err
		}
	}
	return "", nil
}
