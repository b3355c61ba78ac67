package figure

import (
	"math"
	"strings"
	"testing"
)

func TestNiceTicks(t *testing.T) {
	for _, tt := range []struct {
		n      int
		lo, hi float64
		want   string
	}{
		{5, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{5, -1, 1, "−1.0 −0.5 0 0.5 1.0"},
		{4, -3.1, 5.2, "0 5"},
		{6, -3.1, 5.2, "−2 0 2 4"},
		{5, 0, 0.15, "0 0.05 0.10 0.15"},
		{4, 9.84, 10.01, "9.85 9.90 9.95 10.00"},
		{4, 1e6, 1.4e6, "1e6 1.1e6 1.2e6 1.3e6 1.4e6"},
		{4, 0, 4e-7, "0 1e−7 2e−7 3e−7 4e−7"},
		{4, 1e6, 1e6 + 4, "1000000 1000001 1000002 1000003 1000004"},
		{2, -1e100, 1e100, "−1e100 0 1e100"},
	} {
		var labels []string
		for _, tick := range niceTicks(tt.n).Ticks(tt.lo, tt.hi) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("%d ticks on [%v, %v]: %q, want %q", tt.n, tt.lo, tt.hi, got, tt.want)
		}
	}
}

func TestSpanPadded(t *testing.T) {
	for _, tt := range []struct{ s, want span }{
		{span{0, 10}, span{-1, 11}},
		{span{0, 0}, span{-0.6, 0.6}},
		{span{1000, 1000}, span{999.4, 1000.6}},
	} {
		got := tt.s.padded(0.1)
		if math.Abs(got.min-tt.want.min) > 1e-9 || math.Abs(got.max-tt.want.max) > 1e-9 {
			t.Errorf("%v padded is %v, want %v", tt.s, got, tt.want)
		}
	}
}

func TestLettering(t *testing.T) {
	if got := noteType.fit("a  b\nc", 100); got != "a b c" {
		t.Errorf("fit joins lines to %q", got)
	}
	long := strings.Repeat("word ", 30) + strings.Repeat("x", 200)
	for _, line := range append(noteType.wrap(long, 100), noteType.fit(long, 100)) {
		if w := noteType.width(line); w > 100 || line == "" {
			t.Errorf("line %q is %v wide", line, w)
		}
	}
	if got := noteType.wrap("one\ntwo", 100); len(got) != 2 {
		t.Errorf("wrap loses a line break: %q", got)
	}
	if got := printable("a\x00b\xffc\tд"); got != "a b\uFFFDc д" {
		t.Errorf("printable: %q", got)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 1234567: "1 234 567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q", n, got)
		}
	}
	for v, want := range map[float64]string{0.41237: "0.4124", -2: "−2", 1.5e-9: "1.5e−9", 2e21: "2e21"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
}
