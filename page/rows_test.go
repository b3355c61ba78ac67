package page

import (
	"bytes"
	"image/png"
	"math"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// TestThumbnail: images shrink to 96 pixels and keep their colours.
func TestThumbnail(t *testing.T) {
	im := &dataset.Images{H: 200, W: 100, C: 3, Pix: bytes.Repeat([]byte{200, 100, 50}, 200*100)}
	small, err := thumbnail(im, 0)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(small))
	if err != nil || picture.Bounds().Dx() != 48 || picture.Bounds().Dy() != 96 {
		t.Fatalf("%v, %v", picture.Bounds(), err)
	}
	if r, g, b, _ := picture.At(47, 95).RGBA(); r>>8 != 200 || g>>8 != 100 || b>>8 != 50 {
		t.Errorf("the colour is %d %d %d", r>>8, g>>8, b>>8)
	}
}

func TestNearestKept(t *testing.T) {
	x := []float64{0, 1, 1.5, 9, 10}
	cost := func(i, k int) float64 { return math.Abs(x[i] - x[k]) }
	for _, tt := range []struct {
		i    int
		gone []bool
		want int
	}{
		{4, []bool{false, false, false, false, true}, 3},
		{4, []bool{false, false, false, true, true}, 2},
		{0, []bool{false, false, true, false, false}, 1},
		{1, []bool{true, true, true, true, true}, -1},
	} {
		if k, _ := nearestKept(tt.i, tt.gone, cost); k != tt.want {
			t.Errorf("nearest to %d of %v: %d, want %d", tt.i, tt.gone, k, tt.want)
		}
	}
}

// TestInUnits: columns become comparable, far values stay finite, and
// constant columns do not divide by 0.
func TestInUnits(t *testing.T) {
	p := &ot.Points{Dim: 3}
	for i := range 11 {
		p.Coords = append(p.Coords, float64(i), 1000*float64(i), 5)
	}
	p.Coords = append(p.Coords, 1e308, -1e308, 5)
	units := columnUnits(p)
	u := inUnits(p, units, 20)
	for i := range 11 {
		if row := u.Row(i); math.Abs(row[0]-row[1]-0.25) > 0.5 || row[2] != 0 {
			t.Errorf("row %d is %v", i, row)
		}
	}
	if row := u.Row(11); row[0] != 20 || row[1] != -20 {
		t.Errorf("the far row is %v", row)
	}
	for v, want := range map[float64]string{56151.2: "56151", 1234.56: "1235", -20000: "-20000", 1e12: "1e+12", 0.01234: "0.01234"} {
		if got := words.TableValue(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	same := differences([]float64{1, 2, 5}, []float64{1, 2, 5}, units, func(int) string { return "x" })
	other := differences([]float64{1, 3000, 5}, []float64{9, 1000, 5}, units, func(j int) string { return string(rune('a' + j)) })
	if one := differences([]float64{1, 3000, 5}, []float64{9, 2900, 5}, units, func(int) string { return "x" }); one != "x: 1 vs 9" {
		t.Errorf("%q", one)
	}
	if same != "nothing" || other != "a: 1 vs 9, b: 3000 vs 1000" {
		t.Errorf("%q, %q", same, other)
	}
}
