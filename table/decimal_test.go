package table

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestParseNumber compares with strconv, bit for bit.
func TestParseNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(s string) {
		t.Helper()
		got, ok := parseNumber([]byte(s), '.')
		want, err := strconv.ParseFloat(s, 64)
		if !ok || err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%s: got %v %v, want %v %v", s, got, ok, want, err)
		}
	}
	for range 300_000 {
		v := math.Float64frombits(r.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		check(strconv.FormatFloat(v, 'g', -1, 64))
		check(strconv.FormatFloat(r.NormFloat64()*math.Pow(10, float64(r.IntN(30)-20)), 'f', -1, 64))
		// Ties between two float64, which 17 to 19 digits can hit.
		half := float64(r.Uint64N(1<<53)) + 1<<53
		check(strconv.FormatUint(uint64(half)+r.Uint64N(3), 10) + "e-" + strconv.Itoa(r.IntN(28)))
		check(strconv.FormatUint(r.Uint64(), 10) + "e" + strconv.Itoa(r.IntN(60)-30))
	}
	for _, s := range []string{"0", "-0", "-0.0", "18446744073709551615", "99999999999999999999", ".5", "5.", "+1", "1e+05", "0.0000000000000000000000000001", "9007199254740993", "4.5e15", "1e-27"} {
		check(s)
	}
	for _, s := range []string{"", "-", "+", ".", "1e", "1e+", "0x10", "1_000", "1 2", "e5", "1.2.3", "nan", "--1", "1,5", "infin"} {
		if v, ok := parseNumber([]byte(s), '.'); ok {
			t.Errorf("%q: got %v", s, v)
		}
	}
	if v, ok := parseNumber([]byte("-1,25e2"), ','); !ok || v != -125 {
		t.Errorf("decimal comma: got %v %v", v, ok)
	}
	for _, s := range []string{"inf", "-Infinity", "1e999"} {
		if v, ok := parseNumber([]byte(s), '.'); !ok || !math.IsInf(v, 0) {
			t.Errorf("%q: got %v %v", s, v, ok)
		}
	}
}
