package dataset

import (
	"slices"
	"testing"
)

func TestClasses(t *testing.T) {
	for _, tt := range []struct {
		labels, names []string
		index         []int32
	}{
		{nil, nil, nil},
		{[]string{"10", "9", "-1", "9"}, []string{"-1", "9", "10"}, []int32{2, 1, 0, 1}},
		{[]string{"mug", "bike"}, []string{"bike", "mug"}, []int32{1, 0}},
		{[]string{"class_10", "class_2", "3", "", "1e1"}, []string{"3", "1e1", "", "class_2", "class_10"}, []int32{4, 3, 0, 2, 1}},
		{[]string{"1.0", "1", "nan"}, []string{"1", "1.0", "nan"}, []int32{1, 0, 2}},
		{[]string{"9007199254740993", "9007199254740992"}, []string{"9007199254740992", "9007199254740993"}, []int32{1, 0}},
	} {
		names, index := (&Table{Labels: tt.labels}).Classes()
		if !slices.Equal(names, tt.names) || !slices.Equal(index, tt.index) {
			t.Errorf("%q: %q, %v", tt.labels, names, index)
		}
	}
}

func TestCanonical(t *testing.T) {
	for label, want := range map[string]string{
		"2": "2", "2.0": "2", " 2": "2", "2e0": "2", "-0": "0", "1e6": "1000000", "0.50": "0.5", "1e-7": "1e-07",
		"9007199254740993": "9007199254740993", "9007199254740992.0": "9007199254740992.0",
		"": "", "cat": "cat", "NaN": "NaN", "inf": "inf", "0x10": "0x10",
	} {
		if got := canonical(label); got != want {
			t.Errorf("canonical(%q) = %q, want %q", label, got, want)
		}
	}
}
