package ot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"rot/chisq"
)
// TestZZ cancels at every stage of a solve: wherever that happens,
// the error comes back, and nothing else.
func TestZZ(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 17))
	for _, d := range []int{2, 8} {
		p := problem(t, normal(r, 600, d, 30), normal(r, 600, d, 0), SqEuclidean)
		for _, rho := range [][2]float64{{0, 0}, {0.001, 0}, {0.02, 0}, {0.05, 0}, {0.001, 0.001}, {0.03, 0.03}} {
			t.Run(fmt.Sprint(d, rho), func(t *testing.T) {
				solve := func(left int64) (*Result, error, int64) {
					ctx := &countdown{Context: context.Background()}
					ctx.left.Store(left)
					r, err := Robust(ctx, p, &RobustOptions{Source: chisq.Ball{Rho: rho[0]}, Target: chisq.Ball{Rho: rho[1]}})
					return r, err, left - ctx.left.Load()
				}
				_, err, looks := solve(math.MaxInt64)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d looks", looks)
				for left := int64(0); left < looks; left += 1 {
					if r, err, _ := solve(left); r != nil || !errors.Is(err, context.Canceled) {
						t.Errorf("cancelled at look %d of %d: %v, %v", left, looks, r, err)
					}
				}
			})
		}
	}
}
