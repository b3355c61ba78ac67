package features

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// pixels are images [B,H,W,C] or kernels, from −1 to 1.
func pixels(name string, dims ...int) ([]float32, *tensors.Tensor) {
	n := 1
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i, u := range uniform(name, n) {
		x[i] = float32(u)
	}
	return x, tensors.FromFlatDataAndDimensions(x, dims...)
}

// expect compares what a graph computes with a loop.
func expect(t *testing.T, name string, got *tensors.Tensor, dims [4]int, want func(b, y, x, c int) float64) {
	t.Helper()
	if fmt.Sprint(got.Shape().Dimensions) != fmt.Sprint(dims) {
		t.Fatalf("%s: shape %v, want %v", name, got.Shape().Dimensions, dims)
	}
	values := tensors.MustCopyFlatData[float32](got)
	tol := 1e-5
	if testBackend(t).Kind == "xla" {
		tol = 1e-2
	}
	for i, v := range values {
		c, rest := i%dims[3], i/dims[3]
		x, y, b := rest%dims[2], rest/dims[2]%dims[1], rest/dims[2]/dims[1]
		if w := want(b, y, x, c); !(math.Abs(float64(v)-w) < tol) {
			t.Fatalf("%s: image %d, row %d, column %d, channel %d is %v, want %v", name, b, y, x, c, v, w)
		}
	}
}

func TestConvolve(t *testing.T) {
	for _, tt := range []struct{ h, w, c, o, k, l, stride, padH, padW int }{
		{5, 6, 3, 4, 1, 1, 1, 0, 0},
		{5, 6, 3, 4, 3, 3, 1, 1, 1},
		{5, 6, 3, 4, 3, 3, 1, 0, 0},
		{7, 9, 3, 2, 5, 5, 1, 2, 2},
		{7, 9, 3, 2, 3, 3, 2, 0, 0},
		{8, 7, 3, 2, 3, 3, 2, 1, 1},
		{5, 4, 2, 3, 1, 7, 1, 0, 3}, // wider than the image
		{4, 5, 2, 3, 7, 1, 1, 3, 0},
		{4, 5, 2, 3, 1, 3, 1, 0, 1},
		{4, 5, 2, 3, 3, 1, 1, 0, 0},
	} {
		x, xt := pixels("x", 2, tt.h, tt.w, tt.c)
		k, kt := pixels("k", tt.k, tt.l, tt.c, tt.o)
		got := MustExecOnce(testBackend(t).Backend, func(x, k *Node) *Node {
			return convolve(x, k, tt.stride, tt.padH, tt.padW)
		}, xt, kt)
		h, w := (tt.h+2*tt.padH-tt.k)/tt.stride+1, (tt.w+2*tt.padW-tt.l)/tt.stride+1
		expect(t, fmt.Sprint(tt), got, [4]int{2, h, w, tt.o}, func(b, y, x0, o int) (sum float64) {
			for i := range tt.k {
				for j := range tt.l {
					r, s := y*tt.stride+i-tt.padH, x0*tt.stride+j-tt.padW
					for c := range tt.c {
						if r >= 0 && r < tt.h && s >= 0 && s < tt.w {
							sum += float64(x[((b*tt.h+r)*tt.w+s)*tt.c+c]) * float64(k[((i*tt.l+j)*tt.c+c)*tt.o+o])
						}
					}
				}
			}
			return sum
		})
	}
}

func TestDepthwise(t *testing.T) {
	for _, tt := range []struct{ h, w, c, stride int }{
		{4, 6, 5, 1}, {1, 1, 3, 1}, {4, 6, 5, 2}, {7, 7, 3, 2}, {6, 5, 1, 2}, {1, 2, 3, 2},
	} {
		x, xt := pixels("x", 2, tt.h, tt.w, tt.c)
		k, kt := pixels("k", 3, 3, 1, tt.c)
		got := MustExecOnce(testBackend(t).Backend, func(x, k *Node) *Node { return depthwise(x, k, tt.stride) }, xt, kt)
		h, w := (tt.h-1)/tt.stride+1, (tt.w-1)/tt.stride+1
		expect(t, fmt.Sprint(tt), got, [4]int{2, h, w, tt.c}, func(b, y, x0, c int) (sum float64) {
			for i := range 3 {
				for j := range 3 {
					if r, s := y*tt.stride+i-1, x0*tt.stride+j-1; r >= 0 && r < tt.h && s >= 0 && s < tt.w {
						sum += float64(x[((b*tt.h+r)*tt.w+s)*tt.c+c]) * float64(k[(i*3+j)*tt.c+c])
					}
				}
			}
			return sum
		})
	}
}

func TestPools(t *testing.T) {
	const h, w, c = 7, 6, 3
	x, _ := pixels("x", 2, h, w, c)
	for i := range x {
		x[i]-- // all negative: nothing outside may win
	}
	xt := tensors.FromFlatDataAndDimensions(x, 2, h, w, c)
	for _, tt := range []struct {
		name        string
		pool        func(x *Node) *Node
		stride, pad int
		mean        bool
	}{
		{"largest", func(x *Node) *Node { return maxPool(x, 2, 0) }, 2, 0, false},
		{"largest, same size", func(x *Node) *Node { return maxPool(x, 1, 1) }, 1, 1, false},
		{"mean", meanPool, 1, 1, true},
	} {
		got := MustExecOnce(testBackend(t).Backend, tt.pool, xt)
		dims := [4]int{2, (h+2*tt.pad-3)/tt.stride + 1, (w+2*tt.pad-3)/tt.stride + 1, c}
		expect(t, tt.name, got, dims, func(b, y, x0, k int) float64 {
			largest, sum, n := math.Inf(-1), 0.0, 0.0
			for i := range 3 {
				for j := range 3 {
					if r, s := y*tt.stride+i-tt.pad, x0*tt.stride+j-tt.pad; r >= 0 && r < h && s >= 0 && s < w {
						v := float64(x[((b*h+r)*w+s)*c+k])
						largest, sum, n = max(largest, v), sum+v, n+1
					}
				}
			}
			if tt.mean {
				return sum / n
			}
			return largest
		})
	}
}
