package cpu

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// TestVectorKernels compares the assembly with its twins in Go, at every
// length around the width of a vector, with scalars in every place, and looks
// at what lies behind the result.
func TestVectorKernels(t *testing.T) {
	if !avx2 {
		t.Skip("no AVX2")
	}
	rng := rand.New(rand.NewPCG(7, 1))
	check := func(name string, fast, slow kernel, inputs int, ulps float64) {
		for n := range 200 {
			for scalars := range 1 << inputs {
				var o operands
				var in [4][]float32
				for i := range inputs {
					in[i] = special(rng, dtypes.Float32, n+16).flat.([]float32)
					o.in[i], o.step[i] = unsafe.Pointer(&in[i][0]), vectorBytes
					if scalars>>i&1 == 1 {
						o.step[i] = 0
						for k := range 8 {
							in[i][k] = in[i][0]
						}
					}
				}
				got, want := make([]float32, n+8), make([]float32, n+8)
				o.dst = unsafe.Pointer(&got[0])
				fast(&o, n)
				o.dst = unsafe.Pointer(&want[0])
				slow(&o, n)
				for i := range got {
					if !near(float64(got[i]), float64(want[i]), ulps*math.Max(math.Abs(float64(want[i]))*0x1p-23, 0x1p-149)) {
						t.Fatalf("%s of %d, scalars %b: element %d is %v, want %v, of %v", name, n, scalars, i, got[i], want[i], in[0][i])
					}
				}
			}
		}
	}
	for op, k := range vectorKernels {
		inputs, ulps := 1, 0.0
		switch op {
		case compute.OpTypeAdd, compute.OpTypeSub, compute.OpTypeMul, compute.OpTypeDiv, compute.OpTypeMax, compute.OpTypeMin:
			inputs = 2
		case compute.OpTypeExp, compute.OpTypeLog, compute.OpTypeTanh:
			ulps = 4
		case compute.OpTypeRsqrt:
			ulps = 1
		}
		check(op.String(), k, goKernel(op, dtypes.Float32), inputs, ulps)
	}
	if avx512 {
		for op, k := range wideKernels {
			check(op.String()+" with AVX-512", k, goKernel(op, dtypes.Float32), 2, 0)
		}
	}
	for op, k := range vectorSelects {
		check("Where "+op.String(), k, goSelect(op), 4, 0)
	}
	for n := range 200 {
		x := random(rng, dtypes.Float32, n+1).flat.([]float32)
		var got, want float32
		sumAVX2(unsafe.Pointer(&got), unsafe.Pointer(&x[0]), n)
		sum[float32](unsafe.Pointer(&want), unsafe.Pointer(&x[0]), n)
		if got != want {
			t.Fatalf("sum of %d: %v, want %v", n, got, want)
		}
	}
}

// TestExpLogTanh looks at many arguments, against float64.
func TestExpLogTanh(t *testing.T) {
	if !avx2 {
		t.Skip("no AVX2")
	}
	x, y := make([]float32, 1<<16), make([]float32, 1<<16)
	for _, tt := range []struct {
		name string
		k    kernel
		want func(float64) float64
		lo   float64
		hi   float64
	}{
		{"exp", expAVX2, math.Exp, -87, 88}, {"exp near 0", expAVX2, math.Exp, -1, 1}, {"tanh", tanhAVX2, math.Tanh, -10, 10},
		{"tanh near 0", tanhAVX2, math.Tanh, -0.01, 0.01}, {"log", logAVX2, math.Log, 0, 100}, {"log near 1", logAVX2, math.Log, 0.9, 1.1},
		{"log of much", logAVX2, math.Log, 1e30, 3e38},
	} {
		for i := range x {
			x[i] = float32(tt.lo + (tt.hi-tt.lo)*float64(i+1)/float64(len(x)))
		}
		o := operands{dst: unsafe.Pointer(&y[0])}
		o.in[0], o.step[0] = unsafe.Pointer(&x[0]), vectorBytes
		tt.k(&o, len(x))
		worst := 0.0
		for i := range x {
			w := tt.want(float64(x[i]))
			if w != 0 {
				worst = max(worst, math.Abs(float64(y[i])-w)/math.Abs(w))
			}
		}
		if !(worst < 3*0x1p-23) {
			t.Errorf("%s: relative error %.3g, %.1f in the last place", tt.name, worst, worst*0x1p23)
		}
	}
}

// TestTileKernels compares the tiles in assembly with those in Go.
func TestTileKernels(t *testing.T) {
	for _, tt := range []struct {
		name string
		has  bool
		fast tiles[float32]
	}{
		{"AVX2", avx2, avx2Tiles},
		{"AVX-512", avx512, avx512Tiles},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.has {
				t.Skip("not on this processor")
			}
			compareTiles(t, tt.fast, goTiles32(), 1e-5)
		})
	}
	t.Run("bits", func(t *testing.T) {
		if !avx512 {
			t.Skip("no AVX-512")
		}
		compareTiles(t, avx512Tiles, avx2Tiles, 0)
	})
}

func compareTiles(t *testing.T, fast, slow tiles[float32], tol float64) {
	rng := rand.New(rand.NewPCG(8, 1))
	for try := range 400 {
		var segs []segment
		k := 0
		for range 1 + rng.IntN(4) {
			s := segment{4 * rng.IntN(50), 1 + rng.IntN(20), k}
			segs = append(segs, s)
			k += s.n + rng.IntN(2)
		}
		a := random(rng, dtypes.Float32, 600*tileRows).flat.([]float32)
		panel := k*tileCols + rng.IntN(20)
		b := random(rng, dtypes.Float32, 4*panel+64).flat.([]float32)
		const row = wideCols + 4
		start := random(rng, dtypes.Float32, tileRows*row).flat.([]float32)
		tl := tile{b: unsafe.Pointer(&b[0]), segs: &segs[0], nseg: len(segs), add: try % 2, cols: 1 + rng.IntN(tileCols), step: 4 * (1 + rng.IntN(30)), ldb: 4 * k, next: 4 * (1 + rng.IntN(tileCols))}
		if try%3 == 0 {
			tl.cols = tileCols
		}
		for r := range tl.a {
			tl.a[r] = unsafe.Pointer(&a[r*100])
		}
		tl.panels, tl.panel = fast.take(1+try%5), 4*panel
		last := tl.cols
		tl.cols += (tl.panels - 1) * tileCols
		both := func(name string, f, g func(t *tile)) {
			got, want := append([]float32(nil), start...), append([]float32(nil), start...)
			for r := range tl.c {
				tl.c[r] = unsafe.Pointer(&got[r*row])
			}
			f(&tl)
			for q := range tl.panels { // one after the other
				one := tl
				one.b, one.panels, one.cols = unsafe.Add(tl.b, q*tl.panel), 1, tileCols
				if q == tl.panels-1 {
					one.cols = last
				}
				for r := range one.c {
					one.c[r] = unsafe.Pointer(&want[r*row+q*tileCols])
				}
				g(&one)
			}
			for i := range got {
				if !near(float64(got[i]), float64(want[i]), tol*math.Sqrt(float64(k))) {
					t.Fatalf("%s, %d columns, segments %v: element %d is %v, want %v", name, tl.cols, segs, i, got[i], want[i])
				}
			}
		}
		both("rows", fast.rows, slow.rows)
		both("cols", fast.cols, slow.cols)
		var got, want [dotRows * dotCols]float32
		fast.dot(&tl, &got)
		slow.dot(&tl, &want)
		for i := range got {
			if !near(float64(got[i]), float64(want[i]), tol*math.Sqrt(float64(k))) {
				t.Fatalf("dot, segments %v: element %d is %v, want %v", segs, i, got[i], want[i])
			}
		}
		edges := func(kern tiles[float32]) (all [edgeSize]float32) {
			for at := 0; at < tileRows; at += kern.edgeRows {
				part := tl
				copy(part.a[:], tl.a[at:])
				var out [edgeSize]float32
				kern.edge(&part, &out)
				copy(all[at*edgeCols:], out[:kern.edgeRows*edgeCols])
			}
			return all
		}
		left, right := edges(fast), edges(slow)
		for i := range left {
			if !near(float64(left[i]), float64(right[i]), tol*math.Sqrt(float64(k))) {
				t.Fatalf("edge, segments %v: element %d is %v, want %v", segs, i, left[i], right[i])
			}
		}
	}
}

// TestMoveRows: rows of every length go where they belong, and nowhere else.
func TestMoveRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for n := 1; n < 70; n++ {
		rows, wide, far := 1+rng.IntN(5), n+rng.IntN(9), n+rng.IntN(9)
		src := random(rng, dtypes.Float32, rows*wide+8).flat.([]float32)
		got, want := make([]float32, rows*far+8), make([]float32, rows*far+8)
		moveRows(unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]), rows, n, 4*far, 4*wide)
		for r := range rows {
			copy(want[r*far:], src[r*wide:][:n])
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%d rows of %d: element %d is %v, want %v", rows, n, i, got[i], want[i])
			}
		}
	}
}

// TestPackKernels: the right side of a product is put in order as Go does it.
func TestPackKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	for _, tt := range []struct {
		name string
		has  bool
		pack func(dst []float32, src unsafe.Pointer, sk, sj, m, n int)
	}{{"AVX2", avx2, packAVX2}, {"AVX-512", avx512, packAVX512}} {
		if !tt.has {
			continue
		}
		for try := range 300 {
			m, n, wide := 1+rng.IntN(70), 1+rng.IntN(tileCols), 70+rng.IntN(9)
			if try%2 == 0 {
				n = tileCols
			}
			strides := [][2]int{{1, wide}, {wide, 1}, {2, wide}}[try%3]
			sk, sj := strides[0], strides[1]
			src := random(rng, dtypes.Float32, 3*70*80).flat.([]float32)
			got := random(rng, dtypes.Float32, (m+1)*tileCols).flat.([]float32)
			want := append([]float32(nil), got...)
			tt.pack(got[:m*tileCols], unsafe.Pointer(&src[0]), sk, sj, m, n)
			packCols(want[:m*tileCols], unsafe.Pointer(&src[0]), sk, sj, m, n)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s, %d × %d, strides %d and %d: element %d is %v, want %v", tt.name, m, n, sk, sj, i, got[i], want[i])
				}
			}
		}
	}
}
