package table

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNew makes the table that a file would be read as.
func TestNew(t *testing.T) {
	want, err := ReadBytes("f.csv", []byte("id,height,town,member,name\n7,1.5,Ulm,true,a\n8,,Bonn,false,b\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := New("f.csv", []Column{
		{Name: "id", Numbers: []float64{7, 8}},
		{Name: "height", Numbers: []float64{1.5, math.NaN()}},
		{Name: "town", Kind: Text, Codes: []int32{0, 1}, Levels: []string{"Ulm", "Bonn"}},
		{Name: "member", Kind: Boolean, Numbers: []float64{1, 0}},
		{Name: "name", Kind: Category, Codes: []int32{0, 1}, Levels: []string{"a", "b"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, t0 := range []**Table{&got, &want} {
		if *t0, err = (*t0).Select(Selection{}); err != nil {
			t.Fatal(err)
		}
	}
	for j := range want.Columns {
		a, b := &got.Columns[j], &want.Columns[j]
		if a.Name != b.Name || a.Kind != b.Kind || !slices.Equal(a.Texts(), b.Texts()) || !slices.Equal(a.Levels, b.Levels) {
			t.Errorf("column %d is %s %s %q, want %s %s %q", j, a.Name, a.Kind, a.Texts(), b.Name, b.Kind, b.Texts())
		}
	}
	if _, err := Meet(got, want); err != nil {
		t.Error(err)
	}
	if !slices.Equal(got.IDs, []string{"7", "8"}) {
		t.Errorf("ids %q", got.IDs)
	}
}

func TestNewWithoutNames(t *testing.T) {
	got, err := New("X", []Column{{Numbers: []float64{1}}, {Numbers: []float64{2}}})
	if err != nil || got.Named || got.Columns[1].Name != "2" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNewErrors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		columns []Column
		want    string
	}{
		{"nothing", nil, "no columns"},
		{"ragged", []Column{{Name: "a", Numbers: []float64{1, 2}}, {Name: "b", Numbers: []float64{1}}}, `column "b": has 1 row, and the columns before have 2 rows`},
		{"code", []Column{{Name: "a", Kind: Text, Codes: []int32{3}, Levels: []string{"x"}}}, "there is no word 3"},
		{"word twice", []Column{{Name: "a", Kind: Text, Codes: []int32{0}, Levels: []string{"x", "x"}}}, "twice"},
		{"boolean", []Column{{Name: "a", Kind: Boolean, Numbers: []float64{2}}}, "2 is not a boolean"},
		{"vector", []Column{{Name: "a", Kind: Vector, Width: 2, Numbers: []float64{2}}}, "1 numbers are no rows of 2"},
		{"width", []Column{{Name: "a", Width: 2, Numbers: []float64{2, 1}}}, "2 numbers a row"},
		{"kind", []Column{{Name: "a", Kind: 99}}, "not a kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New("f", tt.columns)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
