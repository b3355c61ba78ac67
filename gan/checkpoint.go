package gan

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"rot/chisq"
	"rot/runs"
)

// What a checkpoint holds besides the arrays of the State. Data order and
// random numbers are functions of the seed and the step.
const (
	metaLatest = "latest"
	bankArray  = "bank"
)

// save writes a checkpoint of the present step.
func (t *Trainer) save(run *runs.Run) error {
	c := &runs.Checkpoint{Step: t.step, Meta: map[string]string{}}
	text, err := json.Marshal(t.latest)
	if err != nil {
		return fmt.Errorf("gan: checkpoint: %w", err)
	}
	c.Meta[metaLatest] = string(text)
	if t.bank != nil {
		b, err := t.bank.MarshalBinary()
		if err != nil {
			return fmt.Errorf("gan: checkpoint: %w", err)
		}
		c.Tensors = append(c.Tensors, runs.Tensor{Name: bankArray, DType: "U8", Shape: []int{len(b)}, Data: b})
	}
	for name, value := range t.state.All() {
		a := runs.Tensor{Name: name, DType: "F32", Shape: value.Shape().Dimensions}
		if err := value.ConstBytes(func(data []byte) { a.Data = append([]byte(nil), data...) }); err != nil {
			return fmt.Errorf("gan: checkpoint: array %s: %w", name, err)
		}
		c.Tensors = append(c.Tensors, a)
	}
	return run.Save(c)
}

// unsound names an array with a number that is none, or nothing: such a state
// must not take the place of a good checkpoint.
func (t *Trainer) unsound() (string, error) {
	for name, value := range t.state.All() {
		bad := false
		err := value.ConstBytes(func(data []byte) {
			const exponent = 0x7f80_0000 // all ones: NaN or infinite
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

// Restore brings t to the newest checkpoint of the run. Without one t stays at
// step 0.
func (t *Trainer) Restore(run *runs.Run) error { return t.restore(run) }

func (t *Trainer) restore(run *runs.Run) error {
	c, err := run.Latest()
	if errors.Is(err, runs.ErrNoCheckpoint) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(c.Meta[metaLatest]), &t.latest); err != nil {
		return fmt.Errorf("gan: checkpoint of step %d: %w", c.Step, err)
	}
	for _, a := range c.Tensors {
		if a.Name == bankArray {
			if t.bank == nil {
				continue // sampling needs none
			}
			if err := t.restoreBank(a.Data); err != nil {
				return fmt.Errorf("gan: checkpoint of step %d: the bank: %w", c.Step, err)
			}
			continue
		}
		if a.DType != "F32" {
			return fmt.Errorf("gan: checkpoint of step %d: array %s is %s, not F32", c.Step, a.Name, a.DType)
		}
		value := tensors.FromShape(shapes.Make(dtypes.Float32, a.Shape...))
		if err := value.MutableBytes(func(data []byte) { copy(data, a.Data) }); err != nil {
			return fmt.Errorf("gan: checkpoint of step %d: array %s: %w", c.Step, a.Name, err)
		}
		t.state.Set(a.Name, value)
	}
	t.step = c.Step
	return nil
}

func (t *Trainer) restoreBank(data []byte) error {
	saved := &chisq.Bank{}
	if err := saved.UnmarshalBinary(data); err != nil {
		return err
	}
	if saved.Len() != t.data.n {
		return fmt.Errorf("%d weights for %d samples", saved.Len(), t.data.n)
	}
	t.bank = saved
	t.useBank()
	return nil
}
