package clean

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"rot.example/rot/ot"
)

func TestRepeated(t *testing.T) {
	x := cloud(500, 4, 1)
	copy(x.Row(400), x.Row(3))
	copy(x.Row(77), x.Row(3))
	copy(x.Row(499), x.Row(498))
	copy(x.Row(200), x.Row(9))
	x.Row(200)[2] += 1e-4
	r, err := Duplicates(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Equal) != 2 || !slices.Equal(r.Equal[0], []int{3, 77, 400}) || !slices.Equal(r.Equal[1], []int{498, 499}) {
		t.Errorf("equal rows %v", r.Equal)
	}
	if len(r.Near) != 1 || r.Near[0].A != 9 || r.Near[0].B != 200 || r.Near[0].Distance <= 0 || r.Near[0].Distance > 0.01 {
		t.Errorf("rows that are nearly equal: %+v", r.Near)
	}
	// The pairs are all those that there are.
	wide, err := Duplicates(context.Background(), x, &DuplicateOptions{Near: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	order := lexical(x)
	rows := newScaler(x, order, false, nil).apply(x, seq(500))
	count, usual := 0, r.Near[0].Distance/distance(rows.row(9), rows.row(200))
	for i := range 500 {
		for j := range i {
			if d := distance(rows.row(i), rows.row(j)) * usual; d > 0 && d <= 0.6 {
				count++
			}
		}
	}
	// Each of the other two copies of row 3, and row 499, has none of its own.
	extra := 0
	for _, p := range wide.Near {
		switch {
		case p.A == 3 || p.B == 3:
			extra += 2
		case p.A == 498 || p.B == 498:
			extra++
		}
	}
	if len(wide.Near)+extra != count {
		t.Errorf("%d pairs and %d of copies, want %d", len(wide.Near), extra, count)
	}
	if some, err := Duplicates(context.Background(), x, &DuplicateOptions{Near: 0.9, Limit: 2}); err != nil || len(some.Near) != 2 || !some.More {
		t.Errorf("%d pairs, more %v, %v", len(some.Near), some.More, err)
	}
	if _, err := Duplicates(context.Background(), x, &DuplicateOptions{Near: 2}); !errors.Is(err, ot.ErrOption) {
		t.Error(err)
	}
}

func TestLabels(t *testing.T) {
	x := cloud(600, 3, 1)
	labels := make([]string, 600)
	for i := range labels {
		labels[i] = strconv.Itoa(i % 3)
		x.Row(i)[0] += 6 * float64(i%3)
	}
	for _, i := range []int{30, 61, 302} { // each takes another class
		labels[i] = strconv.Itoa((i + 1) % 3)
	}
	r, err := Labels(context.Background(), x, labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	suspects := 0
	for i, s := range r.Suspect {
		if s {
			suspects++
		}
		if r.Score[i] < -1 || r.Score[i] > 1 {
			t.Fatalf("row %d scores %v", i, r.Score[i])
		}
	}
	for _, i := range []int{30, 61, 302} {
		if !r.Suspect[i] || r.Classes[r.Suggested[i]] != strconv.Itoa(i%3) || r.Score[i] < 0.3 {
			t.Errorf("row %d: suspect %v, score %v, suggested %s", i, r.Suspect[i], r.Score[i], r.Classes[r.Suggested[i]])
		}
	}
	if suspects > 10 {
		t.Errorf("%d suspects, want little more than 3", suspects)
	}
	for name, labels := range map[string][]string{"too few": {"a"}, "one class": slices.Repeat([]string{"a"}, 600)} {
		if _, err := Labels(context.Background(), x, labels, nil); !errors.Is(err, ot.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
