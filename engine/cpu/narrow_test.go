package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
)

// narrowKernels are those of processors, and what computes the same in Go.
var narrowKernels = []struct {
	name   string
	kernel narrowKernel
	twin   func(*narrowBlock)
}{
	{"AMX", narrowAMX, blockGo},
	{"AVX-512", narrowAVX512, blockPairsGo},
}

// useNarrow lets a test use a kernel, or skips it where the processor has none.
func useNarrow(t testing.TB, k narrowKernel) {
	if k != narrowGo && !hasNarrow(k) {
		t.Skip("the processor does not multiply bfloat16 so")
	}
	narrowTest = k
	t.Cleanup(func() { narrowTest = narrowNone })
}

// eachNarrow runs a test with the kernel for bfloat16 in Go, and with those that
// the processor has.
func eachNarrow(t *testing.T, test func(t *testing.T)) {
	t.Run("portable", func(t *testing.T) {
		useNarrow(t, narrowGo)
		test(t)
	})
	for _, k := range narrowKernels {
		t.Run(k.name, func(t *testing.T) {
			useNarrow(t, k.kernel)
			test(t)
		})
	}
}

// TestNarrowNames: checkpoints tell kernels apart whose sums have another order.
func TestNarrowNames(t *testing.T) {
	names := map[string]narrowKernel{Kernels(): narrowNone}
	for _, k := range narrowKernels {
		narrowTest = k.kernel
		if other, ok := names[NarrowKernels()]; ok {
			t.Errorf("kernels %d and %d are both called %q", k.kernel, other, NarrowKernels())
		}
		names[NarrowKernels()] = k.kernel
	}
	narrowTest = narrowNone
}

// TestFillsBlocks: AVX-512 leaves layers to float32 that would be mostly zeros.
func TestFillsBlocks(t *testing.T) {
	defer func() { narrowTest = narrowNone }()
	for _, tt := range []struct {
		lengths   []int
		avx512Has bool
	}{
		{[]int{32, 64}, true}, {[]int{20}, false}, {[]int{50}, true}, {[]int{50, 500}, true}, {[]int{50, 50}, false}, {[]int{1000, 10}, false},
	} {
		for kernel, want := range map[narrowKernel]bool{narrowAVX512: tt.avx512Has, narrowAMX: true} {
			narrowTest = kernel
			if got := fillsBlocks(tt.lengths...); got != want {
				t.Errorf("kernel %d, lengths %v: got %v, want %v", kernel, tt.lengths, got, want)
			}
		}
	}
}

func randomBfloats(rng *rand.Rand, n int) []bfloat {
	x := make([]bfloat, n)
	for i := range x {
		x[i] = narrow(float32(rng.NormFloat64()))
	}
	return x
}

// TestSound: a kernel that goes wrong is not used.
func TestSound(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kernel func(*narrowBlock)
		want   bool
	}{
		{"right", blockGo, true},
		{"nothing", func(*narrowBlock) {}, false},
		{"always sets", func(b *narrowBlock) { c := *b; c.add = 0; blockGo(&c) }, false},
		{"one group", func(b *narrowBlock) { c := *b; c.groups = 1; blockGo(&c) }, false},
		{"other columns", func(b *narrowBlock) { c := *b; c.bNext = 0; blockGo(&c) }, false},
		{"too far", func(b *narrowBlock) { blockGo(b); *(*float32)(unsafe.Add(b.c, 4*narrowSize)) = 9 }, false},
	} {
		if got := sound(tt.kernel); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestBlock compares the kernels of the processor with those in Go, to the bit.
func TestBlock(t *testing.T) {
	for _, k := range narrowKernels {
		t.Run(k.name, func(t *testing.T) {
			useNarrow(t, k.kernel)
			testBlock(t, k.twin)
		})
	}
}

func testBlock(t *testing.T, twin func(*narrowBlock)) {
	rng := rand.New(rand.NewPCG(1, 40))
	for _, chunks := range []int{1, 2, 3, 16, 33} {
		for _, groups := range []int{1, 2, 5} {
			for add := range 2 {
				row := narrowRow(chunks * narrowSize)
				a := randomBfloats(rng, groups*narrowSize*row/2)
				b := randomBfloats(rng, chunks*squareBytes)
				const cols = 40 // more than a block has
				got := make([]float32, groups*narrowSize*cols)
				for i := range got {
					got[i] = float32(rng.NormFloat64())
				}
				want := append([]float32(nil), got...)
				block := narrowBlock{
					a: unsafe.Pointer(&a[0]), b: unsafe.Pointer(&b[0]), aRow: row, bNext: chunks * squareBytes,
					cRow: 4 * cols, chunks: chunks, groups: groups, add: add,
				}
				block.c = unsafe.Pointer(&want[0])
				twin(&block)
				block.c = unsafe.Pointer(&got[0])
				multiplyBlock(&block)
				differ, most := 0, 0.0
				for i := range got {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
						differ++
						most = math.Max(most, math.Abs(float64(got[i]-want[i])))
					}
				}
				if differ > 0 {
					t.Errorf("%d chunks, %d groups, add %d: %d of %d numbers differ from Go's, by up to %v", chunks, groups, add, differ, len(got), most)
				}
			}
		}
	}
}

// TestPacking compares the assembly that puts numbers in order with the one in Go.
func TestPacking(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 40))
	x := randomBfloats(rng, 4096)
	var lines [narrowSize]unsafe.Pointer
	for n := range narrowHalf + 1 {
		for i := range lines {
			lines[i] = unsafe.Pointer(&x[rng.IntN(4000)])
		}
		var got, want [512]bfloat
		pairs(unsafe.Pointer(&got), &lines, 6, n)
		pairsGo(unsafe.Pointer(&want), &lines, 6, n)
		if got != want {
			t.Errorf("pairs of %d", n)
		}
		var gotSquares, wantSquares [3 * 512]bfloat
		squares(unsafe.Pointer(&gotSquares), unsafe.Pointer(&x[n]), 3, 260)
		squaresGo(unsafe.Pointer(&wantSquares), unsafe.Pointer(&x[n]), 3, 260)
		if gotSquares != wantSquares {
			t.Errorf("squares from %d on", n)
		}
	}
}

// TestNarrowProducts compares products of bfloat16 with those in float64.
func TestNarrowProducts(t *testing.T) {
	eachNarrow(t, func(t *testing.T) {
		a := ours(t)
		lengths := []int{8, 16, 31, 32, 33, 97, 300}
		if underRace || testing.Short() {
			lengths = []int{8, 33, 97}
		}
		rng := rand.New(rand.NewPCG(3, 40))
		for _, m := range lengths {
			for _, n := range lengths {
				for _, k := range []int{16, 31, 32, 100, 257, 600} {
					for turned := range 4 {
						narrowProductCase(t, a, rng, m, n, k, turned)
					}
				}
			}
		}
	})
}

func narrowProductCase(t *testing.T, a compute.Backend, rng *rand.Rand, m, n, k, turned int) {
	t.Helper()
	ad, as, ai, al := []int{2, m, k}, 2, k, 1
	if turned&1 == 1 {
		ad, as, ai, al = []int{2, k, m}, 1, 1, m
	}
	bd, bs, bj, bl := []int{2, k, n}, 1, 1, n
	if turned&2 == 2 {
		bd, bs, bj, bl = []int{2, n, k}, 2, k, 1
	}
	x, y := random(rng, dtypes.BFloat16, ad...), random(rng, dtypes.BFloat16, bd...)
	got, err := runOn(a, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
		z, err := f.DotGeneral(in[0], []int{as}, []int{0}, in[1], []int{bs}, []int{0}, compute.DotGeneralConfig{OutputDType: dtypes.Float32})
		return []compute.Value{z}, err
	}, []testArray{x, y})
	if err != nil {
		t.Fatal(err)
	}
	g := got[0].flat.([]float32)
	if len(g) != 2*m*n {
		t.Fatalf("%d×%d×%d: %d numbers", m, n, k, len(g))
	}
	left, right := float64s(x.flat), float64s(y.flat)
	for range 50 {
		c, i, j := rng.IntN(2), rng.IntN(m), rng.IntN(n)
		sum, size := 0.0, 0.0
		for l := range k {
			v := left[c*m*k+i*ai+l*al] * right[c*k*n+j*bj+l*bl]
			sum += v
			size += math.Abs(v)
		}
		if at := float64(g[(c*m+i)*n+j]); !(math.Abs(at-sum) <= 1e-6*size) {
			t.Fatalf("%d×%d×%d, turned %b: element %d,%d,%d is %v, want %v", m, n, k, turned, c, i, j, at, sum)
		}
	}
}

func BenchmarkNarrowMatMul(b *testing.B) {
	for _, n := range []int{512, 1024, 2048} {
		for _, dt := range []dtypes.DType{dtypes.Float32, dtypes.BFloat16} {
			b.Run(fmt.Sprintf("%s/%d", dt, n), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				measure(b, func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
					y, err := f.DotGeneral(in[0], []int{1}, nil, in[1], []int{0}, nil, compute.DotGeneralConfig{OutputDType: dtypes.Float32})
					return []compute.Value{y}, err
				}, []testArray{random(rng, dt, n, n), random(rng, dt, n, n)}, 2*float64(n)*float64(n)*float64(n))
			})
		}
	}
}

// asNarrow makes the same convolution of bfloat16, and wide the one in float64 of
// the numbers that it has.
func (c convCase) asNarrow(rng *rand.Rand) (in, wide []testArray) {
	c.dt = dtypes.BFloat16
	in = c.inputs(rng)
	for _, x := range in {
		s := x.shape.Clone()
		s.DType = dtypes.Float64
		wide = append(wide, testArray{s, float64s(x.flat)})
	}
	return in, wide
}

// TestNarrowConvs compares convolutions of bfloat16, whose result is rounded to
// it, with those in float64.
func TestNarrowConvs(t *testing.T) {
	eachNarrow(t, func(t *testing.T) {
		a := ours(t)
		check := func(t *testing.T, rng *rand.Rand, c convCase) {
			t.Helper()
			in, wide := c.asNarrow(rng)
			got, err := runOn(a, c.graph, in)
			if err != nil {
				t.Fatal(err)
			}
			want, err := runOn(a, c.graph, wide)
			if err != nil {
				t.Fatal(err)
			}
			g, w := float64s(got[0].flat), float64s(want[0].flat)
			if len(g) != len(w) {
				t.Fatalf("%+v: %d numbers, want %d", c, len(g), len(w))
			}
			for i := range g {
				if !(math.Abs(g[i]-w[i]) <= 1.0/256*math.Abs(w[i])+1e-4) {
					t.Fatalf("%+v: number %d is %v, want %v", c, i, g[i], w[i])
				}
			}
		}
		for seed := range tries(400) {
			rng := rand.New(rand.NewPCG(seed, 41))
			c := randomConv(rng)
			if last := len(c.x) - 1; c.axes.InputBatch == last {
				c.x[last] = 16 + rng.IntN(40)
			} else if c.axes.InputChannels == last && rng.IntN(2) == 0 {
				c.x[last], c.w[c.axes.KernelInputChannels], c.groups = 32, 32, 1
			}
			check(t, rng, c)
		}
		rng := rand.New(rand.NewPCG(4, 40))
		for _, c := range networkConvs() {
			check(t, rng, c)
		}
	})
}

func BenchmarkNarrowConv(b *testing.B) {
	for _, dt := range []dtypes.DType{dtypes.Float32, dtypes.BFloat16} {
		for name, c := range criticConvs() {
			b.Run(fmt.Sprintf("%s/%s", dt, name), func(b *testing.B) {
				c.groups, c.dt = 1, dt
				measure(b, c.graph, c.inputs(rand.New(rand.NewPCG(1, 1))), criticConvFlops)
			})
		}
	}
}

// BenchmarkBlock is the kernel alone: its sides in the first or second cache.
func BenchmarkBlock(b *testing.B) {
	if !multipliesNarrow() {
		b.Skip("the processor does not multiply bfloat16")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, chunks := range []int{2, narrowDepth, 64} {
		for _, groups := range []int{1, 4} {
			b.Run(fmt.Sprintf("%d/%d", chunks, groups), func(b *testing.B) {
				row := narrowRow(chunks * narrowSize)
				x, y := randomBfloats(rng, groups*narrowSize*row/2), randomBfloats(rng, chunks*squareBytes)
				c := make([]float32, groups*narrowSize*narrowSize)
				t := narrowBlock{
					a: unsafe.Pointer(&x[0]), b: unsafe.Pointer(&y[0]), c: unsafe.Pointer(&c[0]), aRow: row,
					bNext: chunks * squareBytes, cRow: 4 * narrowSize, chunks: chunks, groups: groups,
				}
				for b.Loop() {
					multiplyBlock(&t)
				}
				flops := 2 * float64(groups) * narrowSize * narrowSize * float64(chunks) * narrowSize
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// TestNarrowWorkers: the bits are the same for any number of workers.
func TestNarrowWorkers(t *testing.T) {
	eachNarrow(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 40))
		in := []testArray{random(rng, dtypes.BFloat16, 200, 90), random(rng, dtypes.BFloat16, 90, 130)}
		graphs := []graphFn{func(f compute.Function, in []compute.Value) ([]compute.Value, error) {
			y, err := f.DotGeneral(in[0], []int{1}, nil, in[1], []int{0}, nil, compute.DotGeneralConfig{OutputDType: dtypes.Float32})
			return []compute.Value{y}, err
		}}
		inputs := [][]testArray{in}
		for _, c := range networkConvs()[:3] {
			c.dt = dtypes.BFloat16
			graphs, inputs = append(graphs, c.graph), append(inputs, c.inputs(rng))
		}
		for i, g := range graphs {
			var want []testArray
			for _, n := range []int{1, 2, 3, 8} {
				b, err := New(fmt.Sprint("workers=", n))
				if err != nil {
					t.Fatal(err)
				}
				got, err := runOn(b, g, inputs[i])
				b.Finalize()
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				compareAll(t, got, want, 0)
			}
		}
	})
}

// blockPairsGo is blockGo as VDPBF16PS does it: of each pair of k the odd one is
// added to the result, then the even one.
func blockPairsGo(t *narrowBlock) {
	for r := range t.groups * narrowSize {
		row := unsafe.Slice((*bfloat)(unsafe.Add(t.a, r*t.aRow)), t.chunks*narrowSize)
		for j := range narrowSize {
			c := (*float32)(unsafe.Add(t.c, r*t.cRow+4*j))
			sum := float32(0)
			if t.add != 0 {
				sum = *c
			}
			from := unsafe.Add(t.b, j/narrowHalf*t.bNext+j%narrowHalf*4)
			for i := range t.chunks * narrowHalf {
				y := (*[2]bfloat)(unsafe.Add(from, i*chunkBytes))
				sum += row[2*i+1].Float32() * y[1].Float32()
				sum += row[2*i].Float32() * y[0].Float32()
			}
			*c = sum
		}
	}
}
