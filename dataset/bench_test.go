package dataset

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchRows is a table of the size that people bring: 100 000 rows of 16.
const benchRows, benchDim = 100_000, 16

func BenchmarkCSV(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	for range benchRows {
		for j := range benchDim {
			if j > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, "%.6f", rng.NormFloat64())
		}
		text.WriteByte('\n')
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		t, err := readCSV("a.csv", bytes.NewReader(text.Bytes()), int64(text.Len()), 0, &Options{})
		if err != nil || t.Points.Len() != benchRows {
			b.Fatal(err)
		}
	}
}

func BenchmarkNPY(b *testing.B) {
	file := npy(npyHeader("<f8", fmt.Sprintf("(%d, %d)", benchRows, benchDim)), make([]byte, 8*benchRows*benchDim)...)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readArrayTable("a.npy", bytes.NewReader(file), int64(len(file)), readNPYHeader); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInfo(b *testing.B) {
	t, err := Load(fmt.Sprintf("synth:gauss,n=%d,d=%d", benchRows, benchDim), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t.Info()
	}
}
