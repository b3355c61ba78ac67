package clean

import (
	"bytes"
	"io"
	"testing"
)

// TestLists has ids that would break a line, or a field.
func TestLists(t *testing.T) {
	id := func(i int) string { return []string{"a\nb", `c,"d"`, "e"}[i] }
	r := &Result{Score: []float64{3, 2, 1}, Weight: []float64{0, 1, 2}, Rank: []int{1, 2, 3}, Suspect: []bool{true, false, false}}
	for _, tt := range []struct {
		write func(io.Writer, func(int) string) error
		want  string
	}{
		{r.WriteSuspects, `"a\nb"` + "\n"},
		{r.WriteKept, "c,\"d\"\ne\n"},
		{r.WriteCSV, "id,score,weight,rank,dropped\n\"a\nb\",3,0,1,1\n\"c,\"\"d\"\"\",2,1,2,0\ne,1,2,3,0\n"},
	} {
		var b bytes.Buffer
		if err := tt.write(&b, id); err != nil || b.String() != tt.want {
			t.Errorf("wrote %q (%v), want %q", b.String(), err, tt.want)
		}
	}
}
