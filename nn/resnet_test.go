package nn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// TestResNetArrays compares names and shapes of all arrays with torchvision's.
func TestResNetArrays(t *testing.T) {
	text, err := os.ReadFile("testdata/resnet.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Depths map[int]struct {
			Tensors, Parameters int
			SHA256              string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Depths) != len(resNets) {
		t.Errorf("%d depths, want %d", len(resNets), len(file.Depths))
	}
	for depth, want := range file.Depths {
		if testing.Short() && depth > 34 {
			continue
		}
		state, features := declared(t, ResNet{Depth: depth}, 2, 224, 224, 3)
		if width := map[bool]int{false: 512, true: 2048}[depth >= 50]; !slices.Equal(features, []int{2, width}) {
			t.Errorf("depth %d: features are %v", depth, features)
		}
		var lines []string
		params := 0
		for name, x := range state.All() {
			torch := torchName(name, "F")
			lines = append(lines, torch+" "+strings.Trim(fmt.Sprint(torchShape(x.Shape().Dimensions)), "[]")+"\n")
			if !strings.Contains(torch, "running") {
				params += x.Size()
			}
		}
		slices.Sort(lines)
		if len(lines) != want.Tensors || params != want.Parameters {
			t.Errorf("depth %d: %d arrays with %d parameters, torchvision has %d with %d", depth, len(lines), params, want.Tensors, want.Parameters)
		}
		if sum := sha256.Sum256([]byte(strings.Join(lines, ""))); hex.EncodeToString(sum[:]) != want.SHA256 {
			t.Errorf("depth %d: names or shapes differ from torchvision's; ours are\n%s", depth, strings.Join(lines, ""))
		}
	}
}

// declared is a State with the arrays of a network, and the shape of its
// features for images of the given one.
func declared(t *testing.T, net interface{ Features(s *Scope, x *Node) *Node }, images ...int) (state *State, features []int) {
	t.Helper()
	state = NewState(1)
	err := Declare(testBackend(t), state, "net", func(s *Scope) {
		y := net.Features(s.In("F").Training(), Zeros(s.Graph(), shapes.Make(dtypes.Float32, images...)))
		features = y.Shape().Dimensions
	})
	if err != nil {
		t.Fatal(err)
	}
	return state, features
}

func TestResNetSizes(t *testing.T) {
	state, _ := declared(t, ResNet{}, 1, 32, 32, 3)
	for _, tt := range []struct {
		depth, h, w, c int
		err            string
	}{
		{depth: 0, h: 32, w: 32, c: 3},
		{depth: 18, h: 64, w: 64, c: 3},
		{depth: 18, h: 45, w: 83, c: 3},
		{depth: 18, h: 31, w: 64, c: 3, err: "32×32 or more, got (Float32)[2, 31, 64, 3] (in F)"},
		{depth: 18, h: 64, w: 64, c: 1, err: "F/conv1/w is (Float32)[7, 7, 3, 64], and the network wants (Float32)[7, 7, 1, 64] (in F/conv1)"},
		{depth: 20, h: 64, w: 64, c: 3, err: "no ResNet has depth 20; want 18, 34, 50 or 101"},
	} {
		var got []int
		err := Declare(testBackend(t), state, "features", func(s *Scope) {
			x := Zeros(s.Graph(), shapes.Make(dtypes.Float32, 2, tt.h, tt.w, tt.c))
			got = ResNet{Depth: tt.depth}.Features(s.In("F").Training(), x).Shape().Dimensions
		})
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), "features: nn: ") || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%+v: got %v", tt, err)
			}
		case err != nil:
			t.Errorf("%+v: %v", tt, err)
		case !slices.Equal(got, []int{2, 512}):
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

func TestLeNet(t *testing.T) {
	for _, tt := range []struct{ size, channels, params int }{
		{28, 1, 20*25 + 20 + 50*20*25 + 50 + 500*50*4*4 + 500}, // 24 and 8 pixels after the convolutions
		{32, 3, 20*75 + 20 + 50*20*25 + 50 + 500*50*5*5 + 500}, // 28 and 10
	} {
		state, features := declared(t, LeNet{}, 4, tt.size, tt.size, tt.channels)
		if got := state.Size("F"); got != tt.params || !slices.Equal(features, []int{4, 500}) {
			t.Errorf("%+v: %d parameters, features are %v", tt, got, features)
		}
	}
}
