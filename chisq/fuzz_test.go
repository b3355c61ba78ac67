package chisq

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// floats reads 8 bytes a number.
func floats(data []byte) []float64 {
	x := make([]float64, len(data)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return x
}

func bytesOf(x ...float64) []byte {
	var out []byte
	for _, v := range x {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// tame tells whether a test's plain arithmetic can cope with x: squares of
// differences neither overflow nor vanish.
func tame(x []float64) bool {
	for _, v := range x {
		if a := math.Abs(v); a > 1e140 || a != 0 && a < 1e-140 {
			return false
		}
	}
	return true
}

func FuzzMinimize(f *testing.F) {
	f.Add(bytesOf(0, 1), []byte{1, 1}, 0.125)
	f.Add(bytesOf(1, 2, 1, 90), []byte{}, 0.125)
	f.Add(bytesOf(3, 3, 3), []byte{0, 200, 7}, 1.0)
	f.Add(bytesOf(math.MaxFloat64, -math.MaxFloat64, 5e-324), []byte{}, 0.3)
	f.Add(bytesOf(1e9, 1e9+1e-6, 1e9+2), []byte{255, 1, 1}, 1e-9)
	f.Add(bytesOf(math.NaN()), []byte{}, 0.0)
	// Found by fuzzing: a mean too coarse for λ, a radius used up by the tail,
	// a cap on λ that rounding made bite, a subnormal spread.
	f.Add(bytesOf(1.398043286095289e-76, 1.2e-153), []byte{255, 49}, 2.5)
	f.Add(bytesOf(1.25, 0.5, 2.157160469308127e+08, 0.036, 0.83), []byte{}, 0.125)
	f.Add(bytesOf(999972864.3764706, 1101104.188235294, 999972960.3764706), []byte{255, 50, 49}, 100.000000001)
	f.Add(bytesOf(-4.6e-282, -4.7e-282, math.Nextafter(-4.7e-282, 0), 1), []byte{}, 11.5)
	f.Fuzz(func(t *testing.T, data, exps []byte, rho float64) {
		score := floats(data)
		var base []float64
		if len(exps) >= len(score) && len(score) > 0 {
			base = make([]float64, len(score))
			for i := range base { // 2⁻³²…2³¹, every fourth zero
				base[i] = math.Ldexp(float64(exps[i]&3), int(exps[i]>>2)-32)
			}
		}
		w, s, err := Ball{Rho: rho}.Solve(nil, score, base)
		bad := !(rho >= 0) || len(score) == 0 || finite(score) >= 0 || base != nil && slices.Max(base) == 0
		if bad != (err != nil) {
			t.Fatalf("error %v for %v, base %v, rho %v", err, score, base, rho)
		}
		if bad || rho > 1e6 || rho != 0 && rho < 1e-12 {
			return // beyond what the check below resolves
		}
		if !tame(score) {
			if base == nil {
				checkFeasible(t, w, ones(len(w)), rho)
			}
			return
		}
		checkOptimal(t, score, base, rho, w, s)
	})
}

func FuzzProject(f *testing.F) {
	f.Add(bytesOf(3, -1), 0.125)
	f.Add(bytesOf(2.5, 0.5, -9), 0.5)
	f.Add(bytesOf(1e300, -1e300, 0), math.Inf(1))
	f.Add(bytesOf(1, 1, 1), 0.0)
	f.Fuzz(func(t *testing.T, data []byte, rho float64) {
		v := floats(data)
		p, err := Ball{Rho: rho}.Project(nil, v)
		if bad := !(rho >= 0) || len(v) == 0 || finite(v) >= 0; bad || err != nil {
			if bad != (err != nil) {
				t.Fatalf("error %v for %v, rho %v", err, v, rho)
			}
			return
		}
		checkFeasible(t, p, ones(len(p)), min(rho, float64(len(p))))
		if !tame(v) || rho != 0 && rho < 1e-12 {
			return
		}
		// No point of the ball, the one furthest towards v included, makes an
		// acute angle with v − p.
		score, size := make([]float64, len(v)), 0.0
		for i := range v {
			score[i] = p[i] - v[i]
			size = max(size, math.Abs(score[i]))
		}
		q, err := Ball{Rho: rho}.Minimize(nil, score)
		if err != nil {
			t.Fatal(err)
		}
		var dot float64
		for i := range q {
			dot -= score[i] * (q[i] - p[i])
		}
		if n := float64(len(v)); dot > (1e-12*size+1e-14)*n*n {
			t.Fatalf("⟨v−p, q−p⟩ = %v for %v, rho %v: p %v, q %v", dot, v, rho, p, q)
		}
	})
}
