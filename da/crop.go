package da

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"rot.example/rot/train"
)

// aspect is the largest ratio of the longer side of a crop to the shorter.
const aspect = 4.0 / 3

// crop cuts a random rectangle out of each image of x, [B,S,S,C], and stretches
// it to the full size. Its area is a share of the image's that is uniform in
// [area, 1], and its ratio of width to height log-uniform in [3/4, 4/3], brought
// nearer to 1 where the rectangle would not fit; its place is uniform.
func crop(step *train.Step, x *Node, area float64) *Node {
	b := x.Shape().Dimensions[0]
	u := func() *Node { return step.Uniform(b, 1) }
	share := AddScalar(MulScalar(u(), 1-area), area)
	ratio := Exp(MulScalar(AddScalar(MulScalar(u(), 2), -1), math.Log(aspect)))
	ratio = Min(Max(ratio, share), Reciprocal(share)) // so that no side exceeds 1
	width, height := Sqrt(Mul(share, ratio)), Sqrt(Div(share, ratio))
	left, top := Mul(u(), OneMinus(width)), Mul(u(), OneMinus(height))
	return stretch(x, left, top, width, height, true)
}

// zoom enlarges or shrinks each image of x, [B,S,S,C], by a factor that is
// log-uniform in [1/most, most], to a random place; what a smaller image leaves
// free is black, the value of a pixel of 0. Digits and other drawings of things
// differ in size between domains, and photographs are cropped instead.
func zoom(step *train.Step, x, black *Node, most float64) *Node {
	b := x.Shape().Dimensions[0]
	u := func() *Node { return step.Uniform(b, 1) }
	side := Exp(MulScalar(AddScalar(MulScalar(u(), 2), -1), math.Log(most)))
	left, top := Mul(u(), OneMinus(side)), Mul(u(), OneMinus(side))
	black = BroadcastToDims(black, x.Shape().Dimensions...)
	return Add(stretch(Sub(x, black), left, top, side, side, false), black)
}

// stretch brings a rectangle of each image to the size of the image. Left, top,
// width and height, [B,1], are shares of the image's side. Beyond the image lie
// its outermost pixels, if clamp, or else zeros.
//
// Interpolation is linear in each direction, so it is a product with one matrix
// from either side.
func stretch(x, left, top, width, height *Node, clamp bool) *Node {
	x = Einsum("bhi,bijc->bhjc", interpolation(top, height, x.Shape().Dimensions[1], clamp), x)
	return Einsum("bwj,bhjc->bhwc", interpolation(left, width, x.Shape().Dimensions[2], clamp), x)
}

// interpolation is the matrix [B,n,n] that takes n pixels to n places, evenly
// over the part of them that begins at from and has the given length, both
// [B,1] and shares of n. Between two pixels it takes from either by its
// nearness, beyond the outermost all from that, if clamp, or else nothing.
func interpolation(from, length *Node, n int, clamp bool) *Node {
	g := from.Graph()
	b := from.Shape().Dimensions[0]
	out := Iota(g, shapes.Make(dtypes.Float32, b, n, n), 1)
	in := Iota(g, shapes.Make(dtypes.Float32, b, n, n), 2)
	wide := func(v *Node) *Node { return BroadcastToDims(Reshape(v, b, 1, 1), b, n, n) }
	// Pixel o covers [o, o+1) and its centre lies at o + ½.
	at := Add(MulScalar(wide(from), float64(n)), AddScalar(Mul(wide(length), AddScalar(out, 0.5)), -0.5))
	if clamp {
		at = ClipScalar(at, 0, float64(n-1))
	}
	return MaxScalar(OneMinus(Abs(Sub(at, in))), 0)
}
