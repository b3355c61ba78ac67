package train

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/chisq"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
)

type progress struct {
	Loss float64 `json:"loss"`
}

// newSaved is a Saved at step 0, with a bank of n weights if n > 0.
func newSaved(t *testing.T, n int) *Saved {
	t.Helper()
	s := &Saved{State: nn.NewState(1), Progress: &progress{}}
	if n > 0 {
		var err error
		if s.Bank, err = chisq.NewBank(n, chisq.Ball{Rho: 0.1}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// someSaved is one that has come somewhere.
func someSaved(t *testing.T) *Saved {
	t.Helper()
	s := newSaved(t, 3)
	s.Step, s.Progress = 12, &progress{Loss: 0.25}
	s.State.Set("D/w", tensors.FromFlatDataAndDimensions([]float32{1, -2, math.MaxFloat32, 4, 0, 1e-45}, 2, 3))
	s.State.Set("adam/D/steps", tensors.FromScalar(float32(12)))
	if err := s.Bank.Update([]float64{1, 2, 9}); err != nil {
		t.Fatal(err)
	}
	return s
}

func newRun(t *testing.T) *runs.Run {
	t.Helper()
	run, err := runs.Create(t.TempDir(), "", "train", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func mustSave(t *testing.T, s *Saved, run *runs.Run) {
	t.Helper()
	if err := s.Save(run); err != nil {
		t.Fatal(err)
	}
}

// TestSaved: what is saved comes back, to the bit.
func TestSaved(t *testing.T) {
	run, want := newRun(t), someSaved(t)
	mustSave(t, want, run)
	got := newSaved(t, 3)
	if err := got.Restore(run); err != nil {
		t.Fatal(err)
	}
	if got.Step != 12 || *got.Progress.(*progress) != (progress{0.25}) || !slices.Equal(got.State.Names(), want.State.Names()) {
		t.Errorf("step %d, progress %v, arrays %v", got.Step, got.Progress, got.State.Names())
	}
	for name, value := range want.State.All() {
		a := got.State.Get(name)
		if !slices.Equal(a.Shape().Dimensions, value.Shape().Dimensions) || !slices.Equal(tensors.MustCopyFlatData[float32](a), tensors.MustCopyFlatData[float32](value)) {
			t.Errorf("array %s is %v, want %v", name, a, value)
		}
	}
	if !slices.Equal(got.Bank.Weights(), want.Bank.Weights()) || got.Bank.Updates() != 1 {
		t.Errorf("weights %v after %d updates, want %v", got.Bank.Weights(), got.Bank.Updates(), want.Bank.Weights())
	}
	// Whoever has no bank gets none.
	if user := newSaved(t, 0); user.Restore(run) != nil || user.Bank != nil || user.Step != 12 {
		t.Errorf("without a bank: step %d, bank %v", user.Step, user.Bank)
	}
}

// TestKernels: a checkpoint names the kernels that made it, and the run has a
// warning where others go on.
func TestKernels(t *testing.T) {
	run := newRun(t)
	for _, tt := range []struct {
		kernels, made string
		warnings      int
	}{
		{"cpu, vector kernels 1", "cpu, vector kernels 1", 0},
		{"cpu, vector kernels 1", "cpu, vector kernels 1", 0},
		{"go", "cpu, vector kernels 1;go", 1},
		{"go", "cpu, vector kernels 1;go", 0},
		{"", "cpu, vector kernels 1;go", 0},
		{"cpu, vector kernels 1", "cpu, vector kernels 1;go;cpu, vector kernels 1", 1},
	} {
		s := someSaved(t)
		s.Kernels = tt.kernels
		if err := s.Restore(run); err != nil {
			t.Fatal(err)
		}
		if w := run.Warnings(); len(w) != tt.warnings || len(w) > 0 && !errors.Is(w[0], ErrKernels) {
			t.Errorf("%q: warnings %v, want %d", tt.kernels, w, tt.warnings)
		}
		s.Step++
		mustSave(t, s, run)
		c, err := run.Latest()
		if err != nil || c.Meta["kernels"] != tt.made {
			t.Errorf("%q: made by %q, want %q; %v", tt.kernels, c.Meta["kernels"], tt.made, err)
		}
	}
}

// TestRestoreNone: without a good checkpoint everything stays as it is.
func TestRestoreNone(t *testing.T) {
	run, s := newRun(t), newSaved(t, 3)
	if err := s.Restore(run); err != nil || s.Step != 0 {
		t.Errorf("an empty run: step %d, %v", s.Step, err)
	}
	mustSave(t, someSaved(t), run)
	files, err := filepath.Glob(filepath.Join(run.Path(), "checkpoints", "*.safetensors"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	if err := os.Truncate(files[0], 100); err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(run); !errors.Is(err, runs.ErrAllDamaged) || s.Step != 0 || len(run.Warnings()) != 1 {
		t.Errorf("a damaged checkpoint: step %d, %d warnings, %v", s.Step, len(run.Warnings()), err)
	}
	run.StartOver()
	if err := s.Restore(run); err != nil || s.Step != 0 {
		t.Errorf("started over: step %d, %v", s.Step, err)
	}
}

// TestRestoreOther: a checkpoint of something else is refused, not half taken.
func TestRestoreOther(t *testing.T) {
	good := runs.Tensor{Name: "D/w", DType: "F32", Shape: []int{1}, Data: make([]byte, 4)}
	for _, tt := range []struct {
		name string
		c    runs.Checkpoint
		want string
	}{
		{"no progress", runs.Checkpoint{Tensors: []runs.Tensor{good}}, "train: checkpoint of step 5: unexpected end of JSON input"},
		{"array", runs.Checkpoint{Tensors: []runs.Tensor{good, {Name: "E", DType: "U8", Shape: []int{1}, Data: []byte{1}}}}, "train: checkpoint of step 5: array E is U8, not F32"},
		{"bank", runs.Checkpoint{Tensors: []runs.Tensor{good, {Name: "bank", DType: "U8", Shape: []int{1}, Data: []byte{1}}}}, "train: checkpoint of step 5: the bank: chisq: 1 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run, s := newRun(t), newSaved(t, 3)
			if tt.c.Step = 5; run.Save(&tt.c) != nil {
				t.Fatal("it cannot be saved")
			}
			if err := s.Restore(run); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if s.Step != 0 || len(s.State.Names()) != 0 || s.Bank.Len() != 3 {
				t.Errorf("step %d, arrays %v, %d weights", s.Step, s.State.Names(), s.Bank.Len())
			}
		})
	}
	run, s := newRun(t), newSaved(t, 4)
	mustSave(t, someSaved(t), run)
	if err := s.Restore(run); err == nil || err.Error() != "train: checkpoint of step 12: the bank: 3 weights for 4 samples" || s.Bank.Len() != 4 || s.Step != 0 {
		t.Errorf("a bank of other data: %v, step %d, %d weights", err, s.Step, s.Bank.Len())
	}
}

// TestUnsound: a State that has diverged does not take the place of a good one.
func TestUnsound(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		run, s := newRun(t), someSaved(t)
		mustSave(t, s, run)
		s.Step = 13
		s.State.Set("G/w", tensors.FromFlatDataAndDimensions([]float32{0, 1, float32(bad)}, 3))
		err := s.Save(run)
		var unsound *UnsoundError
		if !errors.As(err, &unsound) || unsound.Array != "G/w" ||
			err.Error() != "train: checkpoint: the array G/w holds a NaN or an infinity; training has diverged: a smaller learning rate usually helps" {
			t.Errorf("%v: got %v", bad, err)
		}
		if steps, err := run.List(); err != nil || !slices.Equal(steps, []int{12}) {
			t.Errorf("%v: checkpoints of steps %v, %v", bad, steps, err)
		}
	}
}
