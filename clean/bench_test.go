package clean

import (
	"context"
	"strconv"
	"testing"
)

func BenchmarkFind(b *testing.B) {
	for _, d := range []int{9, 100} {
		x := cloud(50_000, d, 1)
		b.Run("n=50000/d="+strconv.Itoa(d), func(b *testing.B) {
			for b.Loop() {
				if _, err := Find(context.Background(), x, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAgainst(b *testing.B) {
	for _, d := range []int{9, 100} {
		x, reference := cloud(50_000, d, 1), cloud(10_000, d, 2)
		b.Run("n=50000/d="+strconv.Itoa(d), func(b *testing.B) {
			for b.Loop() {
				if _, err := Against(context.Background(), x, reference, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
