package text

import "testing"

func TestClassLine(t *testing.T) {
	for _, tt := range []struct {
		counts []int
		names  []string
		want   string
	}{
		{[]int{5, 0, 15}, []string{"a", "b", "c"}, "classes    2 of 3 have samples; most c (75 %), least b (0 %)\n"},
		{[]int{1, 1}, nil, "classes    2 of 2 have samples; most 0 (50 %), least 0 (50 %)\n"},
	} {
		if got := classLine(tt.counts, tt.names); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
