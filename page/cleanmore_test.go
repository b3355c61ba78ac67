package page

import (
	"bytes"
	"strings"
	"testing"

	"rot.example/rot/clean"
	"rot.example/rot/ot"
)

// The page lists labels that do not fit and rows that repeat.
func TestCleanPageMore(t *testing.T) {
	x := &ot.Points{Dim: 2}
	labels := []string{}
	for i := range 80 {
		v := float64(i%40) / 40
		class := "low"
		if i >= 40 {
			class = "high"
			v += 9
		}
		x.Coords, labels = append(x.Coords, v, v*v), append(labels, class)
	}
	copy(x.Row(7), x.Row(3)) // equal
	labels[50] = "low"       // wrong
	r, err := clean.Find(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	repeated, err := clean.Duplicates(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := clean.Labels(t.Context(), x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(repeated.Equal) != 1 || !wrong.Suspect[50] {
		t.Fatalf("equal %v, label of row 50 suspect: %v", repeated.Equal, wrong.Suspect[50])
	}
	var b bytes.Buffer
	if err := Clean(r, &CleanOptions{Data: &Sample{Name: "x", Points: x, Labels: labels}, Repeated: repeated, WrongLabels: wrong}).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Rows that repeat", "3, 7", "Labels that do not fit", "neighbours say"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
