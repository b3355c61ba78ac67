package da

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/engine"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
)

// loadPretrained starts F from the safetensors file that the configuration
// names, which has torchvision's tensor names. Its classifier is left out: ours
// has other classes.
func (t *Trainer) loadPretrained(b *engine.Backend) error {
	file, _, err := runs.ReadSafetensors(t.c.Pretrained)
	if err != nil {
		return err
	}
	given := map[string]nn.TorchTensor{}
	for _, a := range file {
		values, err := floats(a)
		if err != nil {
			return fmt.Errorf("da: %s: tensor %s: %w", t.c.Pretrained, a.Name, err)
		}
		given[a.Name] = nn.TorchTensor{Shape: a.Shape, Values: values}
	}
	err = nn.Declare(b, t.saved.State, "features", func(s *nn.Scope) {
		x := Zeros(s.Graph(), shapes.Make(dtypes.Float32, 2, t.c.Size, t.c.Size, t.c.Channels))
		t.features(s.Eval().In("M").In("F"), x)
	})
	if err != nil {
		return fmt.Errorf("da: %w", err)
	}
	if err := nn.LoadTorch(t.saved.State, "M/F", given, "fc."); err != nil {
		return fmt.Errorf("da: %s: %w", t.c.Pretrained, err)
	}
	return nil
}

// floats returns the numbers of a tensor in half, single or double precision.
func floats(a runs.Tensor) ([]float32, error) {
	var out []float32
	switch a.DType {
	case "F32":
		for d := a.Data; len(d) > 0; d = d[4:] {
			out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(d)))
		}
	case "F64":
		for d := a.Data; len(d) > 0; d = d[8:] {
			out = append(out, float32(math.Float64frombits(binary.LittleEndian.Uint64(d))))
		}
	case "I64": // num_batches_tracked
		for d := a.Data; len(d) > 0; d = d[8:] {
			out = append(out, float32(int64(binary.LittleEndian.Uint64(d))))
		}
	default:
		return nil, fmt.Errorf("its type is %s; F32, F64 and I64 are read", a.DType)
	}
	return out, nil
}
