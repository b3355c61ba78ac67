package clean

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// TestScoreRows: rows that stream by, as points or as a table, score as they do
// one by one, in their order, and the suspects are those up to the cut.
func TestScoreRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	x := &ot.Points{Dim: 2}
	var text strings.Builder
	text.WriteString("x,y\n")
	for range 3 * BlockRows / 2 {
		x.Coords = append(x.Coords, float64(rng.IntN(1000)), float64(rng.IntN(1000)))
	}
	for i := range x.Len() {
		fmt.Fprintf(&text, "%v,%v\n", x.Row(i)[0], x.Row(i)[1])
	}
	m, err := Fit(t.Context(), &ot.Points{Dim: 2, Coords: x.Coords[:400]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	if err := m.WriteTable(&model, nil); err != nil {
		t.Fatal(err)
	}
	m, e, err := ReadTableModel(&model)
	if err != nil {
		t.Fatal(err)
	}
	r, err := table.Open("-", &table.Options{BlockRows: 700, Stdin: strings.NewReader(text.String())})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got [2]bytes.Buffer
	var tally [2]Tally
	for k, rows := range []RowSource{PointRows(x), &TableRows{Name: "-", Reader: r, Encoding: e}} {
		if n, err := ScoreRows(t.Context(), &got[k], m, rows, &tally[k]); err != nil || n != x.Len() {
			t.Fatalf("%d rows, %v; want %d", n, err, x.Len())
		}
	}
	if got[0].String() != got[1].String() {
		t.Error("a table scores otherwise than its points")
	}
	lines := strings.Split(got[0].String(), "\n")
	if len(lines) != x.Len()+2 || lines[0] != "row,id,score,p" || !strings.HasPrefix(lines[2049], "2048,2048,") {
		t.Errorf("%d lines, the first %q", len(lines), lines[0])
	}
	cut, n := tally[0].Cut(0.5)
	var list bytes.Buffer
	if err := ListSuspects(t.Context(), &list, bytes.NewReader(got[0].Bytes()), cut); err != nil || strings.Count(list.String(), "\n") != n {
		t.Errorf("%d suspects listed, want %d (%v)", strings.Count(list.String(), "\n"), n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ScoreRows(ctx, &list, m, PointRows(x), &Tally{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
