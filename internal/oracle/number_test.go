package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// wild is a finite float64 of any size.
func wild(r *rand.Rand) float64 {
	for {
		if x := math.Float64frombits(r.Uint64()); !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
	}
}

func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x, y := wild(r), wild(r)
		if r.IntN(4) == 0 {
			y = x * float64(r.IntN(3)-1)
		}
		a, b := exactly(x), exactly(y)
		p, q := new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y)
		if a.float() != x {
			t.Fatalf("%v became %v", x, a.float())
		}
		for _, op := range []struct {
			name string
			got  number
			want *big.Rat
		}{
			{"plus", a.plus(b), new(big.Rat).Add(p, q)},
			{"minus", a.minus(b), new(big.Rat).Sub(p, q)},
			{"times", a.times(b), new(big.Rat).Mul(p, q)},
			{"abs", a.abs(), new(big.Rat).Abs(p)},
			{"shift", a.shift(-7), new(big.Rat).Quo(p, big.NewRat(128, 1))},
		} {
			if op.got.rat().Cmp(op.want) != 0 {
				t.Fatalf("%s of %v and %v is %v", op.name, x, y, op.got.rat())
			}
		}
		if a.cmp(b) != p.Cmp(q) {
			t.Fatalf("cmp of %v and %v is %d", x, y, a.cmp(b))
		}
	}
}

// TestRounding holds roots and quotients to their side, and to their digits.
func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	near := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), rootBits-4))
	for range 500 {
		x, y := exactly(math.Abs(wild(r))), exactly(math.Abs(wild(r)))
		if y.sign() == 0 {
			continue
		}
		low, exact := x.root()
		high := x.rootUp()
		square := low.times(low)
		if square.cmp(x) > 0 || exact != (square.cmp(x) == 0) || high.times(high).cmp(x) < 0 {
			t.Fatalf("root of %v: %v to %v, exact %v", x.float(), low.float(), high.float(), exact)
		}
		q, up := x.over(y), x.overUp(y)
		if q.times(y).cmp(x) > 0 || up.times(y).cmp(x) < 0 {
			t.Fatalf("%v over %v: %v to %v", x.float(), y.float(), q.float(), up.float())
		}
		for _, pair := range [][2]number{{low, high}, {q, up}} {
			d := pair[1].minus(pair[0]).rat()
			if d.Cmp(new(big.Rat).Mul(near, pair[1].rat())) > 0 {
				t.Fatalf("%v and %v are far apart", pair[0].float(), pair[1].float())
			}
		}
	}
	if low, exact := exactly(9.0 / 1024).shift(-400).root(); !exact || low.cmp(exactly(3.0/32).shift(-200)) != 0 {
		t.Errorf("root of a square is %v, exact %v", low.float(), exact)
	}
	if got := exactly(-1).over(exactly(3)); got.times(exactly(3)).cmp(exactly(-1)) > 0 {
		t.Errorf("-1/3 was rounded up")
	}
}

// TestExponential compares with digits from tables.
func TestExponential(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  *big.Float
		want string
	}{
		{"e-1", expm1(newFloat().SetInt64(1)), "1.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138"},
		{"1/e-1", expm1(newFloat().SetInt64(-1)), "-0.632120558828557678404476229838539132554188868968232165492163198302538504255"},
		{"tiny", expm1(exactly(0x1p-900).bigFloat()), newFloat().Add(exactly(0x1p-900).bigFloat(), newFloat().SetMantExp(newFloat().SetInt64(1), -1801)).Text('g', 60)},
		{"log 2", log(whole(2), whole(1)), "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863"},
		{"log 10", log(whole(10), whole(1)), "2.30258509299404568401799145468436420760110148862877297603332790096757260967735248"},
		{"log 0.9", log(whole(9), whole(10)), "-0.105360515657826301227500980839312798306120372983274072563939233692584023240"},
	} {
		want, _, err := big.ParseFloat(tt.want, 10, bits, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		d := newFloat().Sub(tt.got, want)
		if d.Sign() != 0 && d.MantExp(nil) > want.MantExp(nil)-190 {
			t.Errorf("%s is %s", tt.name, tt.got.Text('g', 70))
		}
	}
	for _, x := range []float64{1e-300, 1e-20, 0.3, 1, 3, 1e20, 1e300} { // one undoes the other
		l := log(exactly(x), whole(1))
		e := newFloat().Add(expm1(l), newFloat().SetInt64(1))
		d := newFloat().Sub(e, exactly(x).bigFloat())
		if d.Sign() != 0 && math.Abs(x) > 1e-100 && d.MantExp(nil) > e.MantExp(nil)-500 {
			t.Errorf("exp(log %g) is off by %s", x, d.Text('g', 5))
		}
	}
}
