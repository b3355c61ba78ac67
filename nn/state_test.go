package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func TestState(t *testing.T) {
	s := NewState(1)
	if s.Get("D/w") != nil || len(s.Names()) != 0 || s.Size("") != 0 {
		t.Error("a new State is not empty")
	}
	s.Set("G/w", normal32(1, 2, 3))
	s.Set("D/conv/w", normal32(2, 4))
	s.Set("D/conv/b", normal32(3, 5, 1))
	s.Set("Dx", tensors.FromScalar(float32(1)))
	want := []string{"D/conv/b", "D/conv/w", "Dx", "G/w"}
	if got := s.Names(); !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	var all []string
	for name, x := range s.All() {
		all = append(all, name)
		if x != s.Get(name) {
			t.Errorf("%s: All and Get disagree", name)
		}
		if name == "Dx" {
			break
		}
	}
	if !slices.Equal(all, want[:3]) {
		t.Errorf("All yields %v, want %v", all, want[:3])
	}
	for under, want := range map[string]int{"": 16, "D": 9, "D/conv": 9, "G": 6, "Dx": 0, "D/co": 0, "no": 0} {
		if got := s.Size(under); got != want {
			t.Errorf("Size(%q) is %d, want %d", under, got, want)
		}
	}
}

// TestInitialValues checks that they depend on the seed and the name alone.
func TestInitialValues(t *testing.T) {
	b := testBackend(t)
	build := func(seed uint64, dtype dtypes.DType, parts ...string) *State {
		state := newState(seed, dtype)
		p := NewProgram(b, state, "net", func(s *Scope, _ []*Node) []*Node {
			for _, part := range parts {
				s.In(part).Param("w", Normal(0, 1), 3, 4)
			}
			return nil
		})
		mustRun(t, p)
		return state
	}
	value := func(s *State, name string) []float64 { return fromTensor(s.Get(name)) }
	first := build(1, dtypes.Float32, "a", "b")
	again := build(1, dtypes.Float32, "c", "b", "a")
	for _, name := range []string{"a/w", "b/w"} {
		if !slices.Equal(value(first, name), value(again, name)) {
			t.Errorf("%s depends on the other layers", name)
		}
	}
	if slices.Equal(value(first, "a/w"), value(first, "b/w")) {
		t.Error("two layers are the same")
	}
	if slices.Equal(value(first, "a/w"), value(build(2, dtypes.Float32, "a"), "a/w")) {
		t.Error("two seeds give the same")
	}
	wide := build(1, dtypes.Float64, "a")
	if diff := worst(value(first, "a/w"), value(wide, "a/w")); diff > 1e-7 {
		t.Errorf("float32 and float64 differ by %g", diff)
	}
}

func TestInits(t *testing.T) {
	const n = 40_000
	for _, tt := range []struct {
		name     string
		init     Init
		dims     []int
		mean, sd float64
		bound    float64 // 0 means none
	}{
		{"constant", Constant(2), []int{n}, 2, 0, 2},
		{"normal", Normal(1, 0.02), []int{n}, 1, 0.02, 0},
		// Uniform on ±b has standard deviation b/√3.
		{"xavier", Xavier(math.Sqrt2), []int{2, 2, 50, 200}, 0, math.Sqrt(12. / 1000 / 3), math.Sqrt(12. / 1000)},
		{"dense", HeUniform, []int{100, 400}, 0, 0.1 / math.Sqrt(3), 0.1},
		{"conv", HeUniform, []int{5, 5, 4, 400}, 0, 0.1 / math.Sqrt(3), 0.1},
		{"vector", HeUniform, []int{n}, 0, 1 / math.Sqrt(3*n), 1 / math.Sqrt(n)},
	} {
		x := make([]float64, n)
		tt.init(x, tt.dims, NewState(1).rng(tt.name))
		var sum, sq, top float64
		for _, v := range x {
			sum += v
			sq += (v - tt.mean) * (v - tt.mean)
			top = max(top, math.Abs(v))
		}
		if got := sum / n; math.Abs(got-tt.mean) > 5*tt.sd/math.Sqrt(n) {
			t.Errorf("%s: mean %g, want %g", tt.name, got, tt.mean)
		}
		if got := math.Sqrt(sq / n); math.Abs(got-tt.sd) > 0.02*tt.sd {
			t.Errorf("%s: standard deviation %g, want %g", tt.name, got, tt.sd)
		}
		if tt.bound > 0 && (top > tt.bound || top < 0.99*tt.bound) {
			t.Errorf("%s: largest %g, want just under %g", tt.name, top, tt.bound)
		}
	}
}

// TestScopePaths checks the names that scopes give.
func TestScopePaths(t *testing.T) {
	state := NewState(1)
	mustRun(t, NewProgram(testBackend(t), state, "net", func(s *Scope, _ []*Node) []*Node {
		d := s.In("D")
		d.At("block", 2).In("conv").Param("w", Constant(0), 1)
		d.Eval().Training().Frozen().Buffer("u", Constant(0))
		s.In("").Param("top", Constant(0))
		return nil
	}))
	if got := fmt.Sprint(state.Names()); got != "[D/block2/conv/w D/u top]" {
		t.Errorf("got %s", got)
	}
}
