package train

import (
	"errors"
	"slices"
	"testing"
)

type someConfig struct {
	Name  string  `json:"name"`
	Steps int     `json:"steps,omitempty"`
	Rho   float64 `json:"rho"`
	Flip  bool    `json:"flip"`
	Kept  bool    `json:"-"`
}

func TestFillZeros(t *testing.T) {
	defaults := someConfig{"usual", 10, 0.1, true, true}
	for _, tt := range []struct {
		c     someConfig
		given []string
		want  someConfig
	}{
		{someConfig{}, nil, someConfig{"usual", 10, 0.1, true, false}},
		{someConfig{Name: "mine", Rho: 0.2}, nil, someConfig{"mine", 10, 0.2, true, false}},
		{someConfig{Kept: true}, []string{"rho", "flip", "steps"}, someConfig{"usual", 0, 0, false, true}},
	} {
		got := tt.c
		if err := FillZeros(&got, defaults, tt.given); err != nil || got != tt.want {
			t.Errorf("%+v, given %v: got %+v, %v; want %+v", tt.c, tt.given, got, err, tt.want)
		}
	}
	c := someConfig{Steps: 3}
	if err := FillZeros(&c, defaults, []string{"Rho"}); err == nil || c != (someConfig{Steps: 3}) {
		t.Errorf("a field that is none: %+v, %v", c, err)
	}
	if got, want := FieldNames(c), []string{"name", "steps", "rho", "flip"}; !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
}

func TestFaults(t *testing.T) {
	f := &Faults{Package: "gan"}
	f.Positive("steps", 1)
	f.Between("rho", 0, 0, 1e6)
	f.Rate("lr", 0.5)
	f.OneOf("loss", "ns", []string{"ns"})
	f.Data("data", "x.csv")
	f.Outliers("outliers", "")
	f.Outliers("outliers", "uniform@0.1")
	if err := f.Err(); err != nil {
		t.Errorf("nothing is wrong, and it says %v", err)
	}
	f.Positive("steps", 0)
	f.Rate("lr", 1)
	want := "gan: steps is 0 and must be at least 1\ngan: lr is 1 and must be between 0 and 1"
	var first *FieldError
	if err := f.Err(); err == nil || err.Error() != want || !errors.As(err, &first) || first.Field != "steps" {
		t.Errorf("got %v, want %s", err, want)
	}
}
