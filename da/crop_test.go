package da

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/nn"
	"rot.example/rot/train"
)

// calculate runs the graph that f builds and returns its outputs.
func calculate(t *testing.T, f func(in []*Node) []*Node, in ...any) []*tensors.Tensor {
	t.Helper()
	out, err := nn.NewProgram(backend(t), nn.NewState(0), t.Name(), func(_ *nn.Scope, in []*Node) []*Node { return f(in) }).Run(in...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A box is a rectangle of an image, in shares of its side.
type box struct{ left, top, width, height float64 }

// bilinear is a box of an image [s,s,c], stretched to the image's size.
// Beyond the image lie its outermost pixels, if clamp, or else zeros.
func bilinear(image []float32, s, c int, b box, clamp bool) []float64 {
	at := func(x, y, k int) float64 {
		if !clamp && (x < 0 || y < 0 || x >= s || y >= s) {
			return 0
		}
		x, y = min(max(x, 0), s-1), min(max(y, 0), s-1)
		return float64(image[(y*s+x)*c+k])
	}
	var out []float64
	for i := range s {
		for j := range s {
			y := (b.top+b.height*(float64(i)+0.5)/float64(s))*float64(s) - 0.5
			x := (b.left+b.width*(float64(j)+0.5)/float64(s))*float64(s) - 0.5
			y0, x0 := int(math.Floor(y)), int(math.Floor(x))
			v, u := y-float64(y0), x-float64(x0)
			for k := range c {
				out = append(out, (1-v)*((1-u)*at(x0, y0, k)+u*at(x0+1, y0, k))+v*((1-u)*at(x0, y0+1, k)+u*at(x0+1, y0+1, k)))
			}
		}
	}
	return out
}

func randomImages(n, s, c int) []float32 {
	rng := rand.New(rand.NewPCG(5, 5))
	x := make([]float32, n*s*s*c)
	for i := range x {
		x[i] = rng.Float32()
	}
	return x
}

// TestStretch compares with interpolation pixel by pixel, at the borders and
// between; all of an image is the image itself, to the bit.
func TestStretch(t *testing.T) {
	const s, c = 7, 3
	boxes := []box{{0, 0, 1, 1}, {0, 0, 0.5, 0.25}, {0.5, 0.75, 0.5, 0.25}, {0.13, 0.31, 0.4, 0.6}, {0.9, 0, 0.1, 1}, {0.3, 0.3, 0.01, 0.01}}
	n := len(boxes)
	images := randomImages(n, s, c)
	sides := make([][]float32, 4)
	for _, b := range boxes {
		for k, v := range []float64{b.left, b.top, b.width, b.height} {
			sides[k] = append(sides[k], float32(v))
		}
	}
	out := calculate(t, func(in []*Node) []*Node {
		side := func(k int) *Node { return Reshape(in[k], n, 1) }
		return []*Node{stretch(in[0], side(1), side(2), side(3), side(4), true)}
	}, tensors.FromFlatDataAndDimensions(images, n, s, s, c), sides[0], sides[1], sides[2], sides[3])
	got := tensors.MustCopyFlatData[float32](out[0])
	const size = s * s * c
	if !slices.Equal(got[:size], images[:size]) {
		t.Error("all of an image is not the image")
	}
	for i, b := range boxes {
		for k, want := range bilinear(images[i*size:(i+1)*size], s, c, b, true) {
			if v := float64(got[i*size+k]); math.Abs(v-want) > 1e-5 {
				t.Fatalf("%+v: element %d is %g, want %g", b, k, v, want)
			}
		}
	}
}

// TestZoom compares with interpolation pixel by pixel, in images whose black is
// not 0.
func TestZoom(t *testing.T) {
	const n, s, c, most, black = 200, 6, 2, 1.5, -1
	images := randomImages(n, s, c)
	control := train.Control(3, []train.Row{{Index: []int32{0}, Step: 1}})
	out := calculate(t, func(in []*Node) []*Node {
		again := train.Unpack(in[1], 0)
		u := []*Node{again.Uniform(n, 1), again.Uniform(n, 1), again.Uniform(n, 1)}
		nothing := Reshape(Scalar(in[0].Graph(), in[0].DType(), black), 1, 1, 1, 1)
		return []*Node{zoom(train.Unpack(in[1], 0), in[0], nothing, most), Concatenate(u, 1)}
	}, tensors.FromFlatDataAndDimensions(images, n, s, s, c), control)
	got, u := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
	const size = s * s * c
	least, largest := most, 1/most
	for i := range n {
		side := math.Pow(most, 2*float64(u[3*i])-1)
		least, largest = min(least, side), max(largest, side)
		b := box{float64(u[3*i+1]) * (1 - side), float64(u[3*i+2]) * (1 - side), side, side}
		bright := slices.Clone(images[i*size : (i+1)*size])
		for k := range bright {
			bright[k] -= black
		}
		for k, want := range bilinear(bright, s, c, b, false) {
			if v := float64(got[i*size+k]); math.Abs(v-want-black) > 1e-4 {
				t.Fatalf("image %d, %+v: element %d is %g, want %g", i, b, k, v, want+black)
			}
		}
	}
	if least > 1/most+0.03 || largest < most-0.05 {
		t.Errorf("sides from %g to %g", least, largest)
	}
}

// TestCrop compares with a crop by hand of the same random numbers, and looks
// at the rectangles: of the areas and shapes asked for, inside the image, and
// everywhere in it.
func TestCrop(t *testing.T) {
	const n, s, c, area = 400, 5, 1, 0.3
	images := randomImages(n, s, c)
	draw := func(step int) (cropped, numbers []float32) {
		control := train.Control(3, []train.Row{{Index: []int32{0}, Step: step}})
		out := calculate(t, func(in []*Node) []*Node {
			again := train.Unpack(in[1], 0)
			var u []*Node
			for range 4 {
				u = append(u, again.Uniform(n, 1))
			}
			return []*Node{crop(train.Unpack(in[1], 0), in[0], area), Concatenate(u, 1)}
		}, tensors.FromFlatDataAndDimensions(images, n, s, s, c), control)
		return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
	}
	got, u := draw(1)
	const size = s * s * c
	least, most, wide, high, right, low := 1.0, 0.0, 1.0, 1.0, 0.0, 0.0
	for i := range n {
		share := area + (1-area)*float64(u[4*i])
		ratio := math.Pow(4.0/3, 2*float64(u[4*i+1])-1)
		ratio = min(max(ratio, share), 1/share)
		b := box{width: math.Sqrt(share * ratio), height: math.Sqrt(share / ratio)}
		b.left, b.top = float64(u[4*i+2])*(1-b.width), float64(u[4*i+3])*(1-b.height)
		for k, want := range bilinear(images[i*size:(i+1)*size], s, c, b, true) {
			if v := float64(got[i*size+k]); math.Abs(v-want) > 1e-4 {
				t.Fatalf("image %d, %+v: element %d is %g, want %g", i, b, k, v, want)
			}
		}
		if b.left < 0 || b.top < 0 || b.left+b.width > 1+1e-9 || b.top+b.height > 1+1e-9 {
			t.Errorf("image %d: %+v is not inside", i, b)
		}
		least, most = min(least, b.width*b.height), max(most, b.width*b.height)
		wide, high = max(wide, b.width/b.height), max(high, b.height/b.width)
		right, low = max(right, b.left+b.width), max(low, b.top+b.height)
	}
	if least < area || least > area+0.02 || most < 0.98 || wide < 1.25 || wide > 1.34 || high < 1.25 || high > 1.34 || right < 0.98 || low < 0.98 {
		t.Errorf("areas %g to %g, up to %g times as wide and %g times as high, up to %g and %g", least, most, wide, high, right, low)
	}
	if again, _ := draw(1); !slices.Equal(again, got) {
		t.Error("the step has another crop the next time")
	}
	if other, _ := draw(2); slices.Equal(other, got) {
		t.Error("the next step has the same crop")
	}
}

// TestCropInTraining: a crop that leaves all of an image changes nothing, and a
// smaller one does.
func TestCropInTraining(t *testing.T) {
	c := preset(t, "lenet")
	c.Source, c.Target = "synth:digits,n=12", "synth:digits,n=12,seed=1"
	c.Batch, c.Steps, c.WarmUp = 4, 3, 1
	plain := train1(t, c)
	c.Crop, c.CropArea = true, 1
	equalTensors(t, train1(t, c), plain)
	c.CropArea = 0.3
	small := train1(t, c)
	for i, a := range small.Tensors {
		if a.Name == "M/C/w" && slices.Equal(a.Data, plain.Tensors[i].Data) {
			t.Error("the classifier did not notice the crop")
		}
	}
}
