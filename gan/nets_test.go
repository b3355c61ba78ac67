package gan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
)

// built are the shapes of what the networks of c make of a batch of two, and
// their arrays. Nothing is calculated.
func built(t *testing.T, c Config) (generator, critic, weight []int, state *nn.State) {
	t.Helper()
	net := c.networks()
	state = nn.NewState(1)
	sample := []int{2, c.Channels}
	if c.Size > 0 {
		sample = []int{2, c.Size, c.Size, c.Channels}
	}
	p := nn.NewProgram(testBackend(t), state, "shapes", func(s *nn.Scope, in []*Node) []*Node {
		s = s.Compute(dtypes.Float32).Frozen()
		z, x := in[0], in[1]
		var onehot *Node
		if c.Classes > 0 {
			onehot = OneHot(in[2], c.Classes, dtypes.Float32)
		}
		generator = net.generator(s.In("G"), z, onehot).Shape().Dimensions
		critic = net.critic(s.In("D"), x, onehot).Shape().Dimensions
		weight = net.weight(s.In("W"), x).Shape().Dimensions
		return nil
	})
	size := 1
	for _, d := range sample {
		size *= d
	}
	_, err := p.Run(tensors.FromFlatDataAndDimensions(make([]float32, 2*c.Noise), 2, c.Noise),
		tensors.FromFlatDataAndDimensions(make([]float32, size), sample...), []int32{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	return generator, critic, weight, state
}

func TestShapes(t *testing.T) {
	for _, preset := range []string{"tiny", "dcgan", "resnet"} {
		for _, size := range []int{28, 32, 64} {
			for _, channels := range []int{1, 3} {
				c, err := Preset(preset)
				if err != nil {
					t.Fatal(err)
				}
				c.SampleEvery, c.Size, c.Channels = 1, size, channels
				if c.Validate() != nil {
					continue
				}
				c.Classes = 10 * (channels / 2) // conditional in colour
				name := fmt.Sprintf("%s %d×%d×%d, %d classes", preset, size, size, channels, c.Classes)
				t.Run(name, func(t *testing.T) {
					g, d, w, _ := built(t, c)
					if !slices.Equal(g, []int{2, size, size, channels}) || !slices.Equal(d, []int{2}) || !slices.Equal(w, []int{2}) {
						t.Errorf("G makes %v, D %v, W %v", g, d, w)
					}
				})
			}
		}
	}
	for _, dim := range []int{1, 2, 5} {
		for _, classes := range []int{0, 3} {
			c, err := Preset("mlp")
			if err != nil {
				t.Fatal(err)
			}
			c.Channels, c.Classes = dim, classes
			g, d, w, _ := built(t, c)
			if !slices.Equal(g, []int{2, dim}) || !slices.Equal(d, []int{2}) || !slices.Equal(w, []int{2}) {
				t.Errorf("mlp of %d columns and %d classes: G makes %v, D %v, W %v", dim, classes, g, d, w)
			}
		}
	}
}

// parameters counts what optimizers train under a path.
func parameters(state *nn.State, under string) int {
	n := 0
	for name, value := range state.All() {
		last := name[strings.LastIndexByte(name, '/')+1:]
		if strings.HasPrefix(name, under+"/") && slices.Contains([]string{"w", "b", "scale", "offset"}, last) {
			n += value.Shape().Size()
		}
	}
	return n
}

// TestParameterCounts compares with counts by hand, from the paper's tables of
// architectures for 32×32 RGB. A convolution k×k from a to b channels has k²ab
// weights and b biases; batch norm of b channels has 2b numbers.
func TestParameterCounts(t *testing.T) {
	const (
		weightNet = 3*3*3*64 + 64 + 3*3*64*128 + 128 + 3*3*128*256 + 256 + 4*4*256 + 1
		k3        = 3*3*128*128 + 128 // inside the residual blocks
		k1        = 128*128 + 128
	)
	for _, tt := range []struct {
		preset  string
		change  func(c *Config)
		g, d, w int
	}{
		{"dcgan", func(*Config) {},
			128*4*4*512 + 2*512 + // no biases before batch norm
				4*4*512*256 + 2*256 + 4*4*256*128 + 2*128 + 4*4*128*64 + 2*64 +
				3*3*64*3 + 3,
			3*3*3*64 + 64 + 4*4*64*128 + 128 + 4*4*128*256 + 256 + 4*4*256*512 + 512 + 4*4*512 + 1,
			weightNet},
		{"dcgan", func(c *Config) { c.Loss, c.CriticBN = NS, true },
			3_804_739,
			3*3*3*64 + 64 + 4*4*64*128 + 2*128 + 4*4*128*256 + 2*256 + 4*4*256*512 + 2*512 + 4*4*512 + 1,
			weightNet},
		{"resnet", func(*Config) {},
			128*4*4*128 + 4*4*128 + 3*(2*k3+k1+2*2*128) + 2*128 + 3*3*128*3 + 3,
			(3*3*3*128 + 128 + k3 + 3*128 + 128) + (2*k3 + k1) + 2*2*k3 + 128 + 1,
			weightNet},
		{"resnet", func(c *Config) { c.Classes = 10 },
			128*4*4*128 + 4*4*128 + 3*(2*k3+k1+10*2*2*128) + 2*128 + 3*3*128*3 + 3,
			1_053_825 + 10*128, // the projection
			weightNet},
	} {
		c, err := Preset(tt.preset)
		if err != nil {
			t.Fatal(err)
		}
		c.Size, c.Channels = 32, 3
		tt.change(&c)
		t.Run(fmt.Sprintf("%s %s %d", tt.preset, c.Loss, c.Classes), func(t *testing.T) {
			_, _, _, state := built(t, c)
			if g, d, w := parameters(state, "G"), parameters(state, "D"), parameters(state, "W"); g != tt.g || d != tt.d || w != tt.w {
				t.Errorf("G has %d, D %d, W %d; want %d, %d, %d", g, d, w, tt.g, tt.d, tt.w)
			}
		})
	}
}

// TestCriticArrays: spectral norm for hinge and only there, batch norm where
// it was asked for and only there.
func TestCriticArrays(t *testing.T) {
	for _, preset := range []string{"tiny", "dcgan", "resnet", "mlp"} {
		for _, loss := range []string{Wasserstein, NS, Hinge} {
			for _, bn := range []bool{false, true} {
				c, err := Preset(preset)
				if err != nil {
					t.Fatal(err)
				}
				c.Size, c.Channels, c.Loss, c.CriticBN, c.SampleEvery = 32, 1, loss, bn, 1
				if preset == "mlp" {
					c.Size, c.Channels = 0, 2
				}
				if c.Validate() != nil {
					if !bn {
						t.Errorf("%s %s: %v", preset, loss, c.Validate())
					}
					continue
				}
				_, _, _, state := built(t, c)
				var spectral, norm int
				for _, name := range state.Names() {
					if strings.HasPrefix(name, "D/") && strings.HasSuffix(name, "/u") {
						spectral++
					}
					if strings.HasPrefix(name, "D/") && strings.HasSuffix(name, "/scale") {
						norm++
					}
				}
				if (spectral > 0) != (loss == Hinge) || (norm > 0) != bn {
					t.Errorf("%s %s, batch norm %v: %d spectral norms and %d batch norms in the critic", preset, loss, bn, spectral, norm)
				}
			}
		}
	}
}

// TestWeightStart: the weights start alive.
func TestWeightStart(t *testing.T) {
	for _, preset := range Presets() {
		c, err := Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		if c.Size, c.Channels = 32, 1; preset == "mlp" {
			c.Size, c.Channels = 0, 2
		}
		_, _, _, state := built(t, c)
		if b := tensors.MustCopyFlatData[float32](state.Get("W/out/b")); len(b) != 1 || b[0] != 1 {
			t.Errorf("%s: the last bias is %v, want 1", preset, b)
		}
	}
}
