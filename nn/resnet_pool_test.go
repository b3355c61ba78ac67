package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// TestPoolMax3 compares values and gradients with a loop over the pixels, for
// few different values and so for many equals.
func TestPoolMax3(t *testing.T) {
	for _, d := range [][]int{{1, 1, 1, 1}, {1, 2, 3, 1}, {1, 4, 4, 2}, {2, 5, 6, 3}, {2, 7, 5, 1}} {
		x := normal32(1, d...)
		values := fromTensor(x)
		for i, v := range values {
			values[i] = math.Round(v) - 3 // all negative: nothing outside may win
		}
		x = toTensor(values, x.Shape())
		p := NewProgram(testBackend(t), NewState(1), "pool", func(_ *Scope, in []*Node) []*Node {
			y := PoolMax3(in[0])
			numbered := Mul(y, AddScalar(IotaFull(y.Graph(), y.Shape()), 1))
			return []*Node{y, Gradient(ReduceAllSum(numbered), in[0])[0]}
		})
		out := mustRun(t, p, x)
		want, grad := poolMax3(values, d[0], d[1], d[2], d[3])
		if got := fromTensor(out[0]); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", d, got, want)
		}
		if got := fromTensor(out[1]); !slices.Equal(got, grad) {
			t.Errorf("%v: gradient %v, want %v", d, got, grad)
		}
	}
}

// poolMax3 is PoolMax3 of x [B,H,W,C] and the gradient of Σᵢ i·yᵢ, i from 1.
func poolMax3(x []float64, b, h, w, c int) (y, grad []float64) {
	grad = make([]float64, len(x))
	for n := range b {
		for i := 0; i < h; i += 2 {
			for j := 0; j < w; j += 2 {
				for k := range c {
					first := -1
					for r := max(0, i-1); r <= min(h-1, i+1); r++ {
						for s := max(0, j-1); s <= min(w-1, j+1); s++ {
							if at := ((n*h+r)*w+s)*c + k; first < 0 || x[at] > x[first] {
								first = at
							}
						}
					}
					y = append(y, x[first])
					grad[first] += float64(len(y))
				}
			}
		}
	}
	return y, grad
}

func TestPoolAll(t *testing.T) {
	p := NewProgram(testBackend(t), NewState(1), "pool", func(_ *Scope, in []*Node) []*Node {
		return []*Node{PoolAll(Reshape(in[0], 1, 2, 3, 2))}
	})
	out := mustRun(t, p, []float32{1, 0, 2, 0, 3, 6, 4, 0, 5, 0, 6, 6})
	if got := fmt.Sprint(out[0].Value()); got != "[[3.5 2]]" {
		t.Errorf("got %s", got)
	}
}
