package train

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
)

// A Saved holds everything that a checkpoint does. The order of the data and the
// random numbers are not among it: they are functions of the seed and the step.
type Saved struct {
	Step     int
	State    *nn.State
	Bank     *chisq.Bank // nil for a run without one
	Progress any         // a pointer to a struct that is kept as JSON
	Kernels  string      // what computes here (engine.Backend.Kernels); "" for nothing in particular

	before string // the kernels that made the checkpoint that s was restored from
}

// ErrKernels is what the warning about a checkpoint wraps that other kernels made
// than those which go on: the run will not be the same to the last bit.
var ErrKernels = errors.New("made by other kernels")

const (
	metaProgress = "progress"
	metaKernels  = "kernels"
	kernelsThen  = ";" // between those of two sessions
	bankArray    = "bank"
)

// An UnsoundError reports a State with a NaN or an infinity, which must not
// take the place of a good checkpoint.
type UnsoundError struct {
	Array string
}

func (e *UnsoundError) Error() string { return "train: checkpoint: " + e.Cause().Error() }

// Cause returns why a run cannot go on with such a State: an error that wraps
// ErrDiverged.
func (e *UnsoundError) Cause() error {
	return fmt.Errorf("the array %s holds a NaN or an infinity; %w", e.Array, ErrDiverged)
}

func (e *UnsoundError) Unwrap() error { return ErrDiverged }

// Save writes a checkpoint of s into the run. For a State with a NaN or an
// infinity it returns an *UnsoundError, and writes nothing.
func (s *Saved) Save(run *runs.Run) error {
	if name, err := s.unsound(); err != nil {
		return fmt.Errorf("train: checkpoint: array %s: %w", name, err)
	} else if name != "" {
		return &UnsoundError{Array: name}
	}
	text, err := json.Marshal(s.Progress)
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	c := &runs.Checkpoint{Step: s.Step, Meta: map[string]string{metaProgress: string(text)}}
	if made := s.madeBy(); made != "" {
		c.Meta[metaKernels] = made
	}
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

// Restore brings s to the newest good checkpoint of the run. Where there never
// was one, or with an error, s keeps its step, arrays and bank. A run that has
// damaged checkpoints only is such an error: it wraps runs.ErrAllDamaged. A bank in the checkpoint is
// left out where s has none: a model in use needs no weights. Where the checkpoint
// says that other kernels made it, the run has a warning that wraps ErrKernels.
func (s *Saved) Restore(run *runs.Run) error {
	c, err := run.Latest()
	if errors.Is(err, runs.ErrNoCheckpoint) {
		return nil
	}
	if err != nil {
		return err
	}
	fail := func(part string, err error) error {
		return fmt.Errorf("train: checkpoint of step %d: %s%w", c.Step, part, err)
	}
	bank := s.Bank
	arrays := map[string]*tensors.Tensor{}
	for _, a := range c.Tensors {
		if a.Name == bankArray {
			if bank, err = s.restoreBank(a.Data); err != nil {
				return fail("the bank: ", err)
			}
			continue
		}
		if a.DType != "F32" {
			return fail("", fmt.Errorf("array %s is %s, not F32", a.Name, a.DType))
		}
		value := tensors.FromShape(shapes.Make(dtypes.Float32, a.Shape...))
		if err := value.MutableBytes(func(data []byte) { copy(data, a.Data) }); err != nil {
			return fail("array "+a.Name+": ", err)
		}
		arrays[a.Name] = value
	}
	if err := json.Unmarshal([]byte(c.Meta[metaProgress]), s.Progress); err != nil {
		return fail("", err)
	}
	for name, value := range arrays {
		s.State.Set(name, value)
	}
	s.Step, s.Bank = c.Step, bank
	s.before = c.Meta[metaKernels]
	if last := lastKernels(s.before); last != "" && s.Kernels != "" && last != s.Kernels {
		run.Warn(fmt.Errorf("train: the checkpoint of step %d was %w (%s) than those that go on (%s): from here on the run is not to the last bit what an unbroken one would be", c.Step, ErrKernels, last, s.Kernels))
	}
	return nil
}

// madeBy names the kernels of all sessions of a run, in their order.
func (s *Saved) madeBy() string {
	switch {
	case s.before == "" || s.Kernels == "":
		return cmp.Or(s.Kernels, s.before)
	case lastKernels(s.before) == s.Kernels:
		return s.before
	}
	return s.before + kernelsThen + s.Kernels
}

// lastKernels returns the kernels of the last session of those that madeBy names.
func lastKernels(made string) string { return made[strings.LastIndex(made, kernelsThen)+1:] }

func (s *Saved) restoreBank(data []byte) (*chisq.Bank, error) {
	if s.Bank == nil {
		return nil, nil
	}
	saved := &chisq.Bank{}
	if err := saved.UnmarshalBinary(data); err != nil {
		return nil, err
	}
	if saved.Len() != s.Bank.Len() {
		return nil, fmt.Errorf("%d weights for %d samples", saved.Len(), s.Bank.Len())
	}
	return saved, nil
}

// unsound returns the name of an array of the State with a NaN or an infinity;
// "" if there is none.
func (s *Saved) unsound() (string, error) {
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
