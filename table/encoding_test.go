package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, name, text string) *Table {
	t.Helper()
	got, err := ReadBytes(name, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const people = `id,age,country,member,joined,income
a,30,FR,true,2024-01-01,10
b,40,DE,false,2024-01-03,
c,,FR,true,2024-01-02,30
d,50,IT,,2024-01-05,1000
`

func selected(t *testing.T, in *Table, s Selection) *Table {
	t.Helper()
	out, err := in.Select(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFit(t *testing.T) {
	x := selected(t, parse(t, "x.csv", people), Selection{})
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(x.IDs, want) {
		t.Fatalf("ids %q", x.IDs)
	}
	_, err := Fit(EncodingOptions{}, x)
	want := `x.csv: column "age" has 1 missing value, the first in line 4; column "income" has 1 missing value, the first in line 3; column "member" has 1 missing value, the first in line 5`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	e, err := Fit(EncodingOptions{Missing: MissingIndicator, Scale: ScaleStd}, x)
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Apply(x)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"age", "age missing", "country=DE", "country=FR", "country=IT", "income", "income missing", "joined", "member", "member missing"}
	if got := e.Components(); !slices.Equal(got, names) || v.Dim != len(names) || v.Len() != 4 {
		t.Fatalf("got components %q", got)
	}
	// By hand: ages 30, 40, 50 have mean 40 and deviation √(200/3).
	third := v.Values[2*v.Dim : 3*v.Dim]
	if third[0] != 0 || third[1] != 1 || third[3] != LevelWeight || third[2] != 0 || v.Values[0] != -10/math.Sqrt(200./3) {
		t.Errorf("got %v", v.Values)
	}
	groups := e.Groups()
	if g := groups[1]; g.Name != "country" || g.First != 2 || g.Width != 3 || g.Kind != Category {
		t.Errorf("got groups %v", groups)
	}
	if got, want := e.String(), "5 columns as 10 components (2 numbers scaled by their deviation: age, income; 1 boolean as 0 and 1: member; 1 category one-hot: country (3); 1 time scaled by their deviation: joined; medians for missing cells and 3 indicators)"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestDroppedRowsHaveNoSay: units are those of the rows that are kept, as if the
// others were not in the file.
func TestDroppedRowsHaveNoSay(t *testing.T) {
	const some, all = "x,y\n1,5\n3,7\n8,6\n", "x,y\n1,5\n1e6,\n3,7\n8,6\n,-900\n"
	for _, scale := range []Scale{ScaleStd, ScaleRobust} {
		var got [2][]float64
		for k, text := range []string{some, all} {
			x := selected(t, parse(t, "x.csv", text), Selection{})
			e, err := Fit(EncodingOptions{Missing: MissingDrop, Scale: scale}, x)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.Apply(x)
			if err != nil {
				t.Fatal(err)
			}
			got[k] = v.Values
		}
		if !slices.Equal(got[0], got[1]) {
			t.Errorf("%s: got %v, without the rows that are left out %v", scale, got[1], got[0])
		}
	}
}

// TestOrderOfColumns shuffles columns: nothing may change, to the last bit.
func TestOrderOfColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := selected(t, parse(t, "x.csv", people), Selection{})
	y := selected(t, parse(t, "y.csv", strings.Replace(people, "IT", "FR", 1)), Selection{})
	for _, scale := range []Scale{ScaleNone, ScaleStd, ScaleRobust} {
		for _, missing := range []Missing{MissingDrop, MissingMedian, MissingIndicator} {
			var first []float64
			for range 10 {
				a, b := *x, *y
				a.Columns, b.Columns = slices.Clone(x.Columns), slices.Clone(y.Columns)
				r.Shuffle(len(a.Columns), func(i, j int) { a.Columns[i], a.Columns[j] = a.Columns[j], a.Columns[i] })
				r.Shuffle(len(b.Columns), func(i, j int) { b.Columns[i], b.Columns[j] = b.Columns[j], b.Columns[i] })
				met, err := Meet(&a, &b)
				if err != nil {
					t.Fatal(err)
				}
				e, err := Fit(EncodingOptions{Scale: scale, Missing: missing, Clock: true}, &a, met)
				if err != nil {
					t.Fatal(err)
				}
				u, err := e.Apply(&a)
				if err != nil {
					t.Fatal(err)
				}
				v, err := e.Apply(&b)
				if err != nil {
					t.Fatal(err)
				}
				all := append(slices.Clone(u.Values), v.Values...)
				if first == nil {
					first = all
				}
				if !slices.Equal(all, first) {
					t.Fatalf("%s %s: got %v, want %v", scale, missing, all, first)
				}
			}
		}
	}
}

func TestEncodingOfTheNextFile(t *testing.T) {
	x := selected(t, parse(t, "x.csv", people), Selection{})
	e, err := Fit(EncodingOptions{Missing: MissingIndicator, Scale: ScaleRobust, Clock: true}, x)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseEncoding(text)
	if err != nil {
		t.Fatal(err)
	}
	next := selected(t, parse(t, "next.csv", "country,income,age,joined,member\nPL,20,,2025-01-01,false\nPL,1,2,,true\n"), Selection{})
	v, err := back.Apply(next)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"missing cells filled in: age 1, joined 1",
		`categories that the encoding does not know: country 2 ("PL")`,
	}
	if got := v.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if slices.ContainsFunc(v.Values, func(x float64) bool { return !isFinite(x) }) {
		t.Errorf("got %v", v.Values)
	}
	_, err = back.Apply(selected(t, parse(t, "other.csv", "country,incomes,age,joined\n1,2,3,x\n"), Selection{}))
	wantErr := `the columns of the encoding and other.csv do not meet: only in the encoding: income (like incomes), member; only in other.csv: incomes (like income); country holds categories in the encoding and numbers in other.csv; joined holds times in the encoding and categories in other.csv (such as "x")`
	var meet *MeetError
	if !errors.As(err, &meet) || err.Error() != wantErr {
		t.Errorf("got %v\nwant %s", err, wantErr)
	}
	dropped, err := Fit(EncodingOptions{Missing: MissingDrop}, x)
	if err != nil {
		t.Fatal(err)
	}
	if v, err = dropped.Apply(x); err != nil || v.Dropped != 3 || !slices.Equal(v.Rows, []int{0}) {
		t.Errorf("got %v %v", v, err)
	}
}

// TestNumbersAsText: a column of a typed file that holds numbers as text says so.
func TestNumbersAsText(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "{\"a\": \"%d.5\"}\n", i)
	}
	_, err := Fit(EncodingOptions{}, selected(t, parse(t, "x.jsonl", text.String()), Selection{}))
	if want := `x.jsonl: column "a" holds text: numbers are stored as text, such as "0.5" (store them as numbers)`; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestComplaints(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"money", "price\n\"$61,078.97\"\n\"$1,000.00\"\n", `x.csv: column "price" holds text: "$1,000.00" is money (write plain numbers, without currency signs and thousands separators)`},
		{"thousands", "n\n\"1,200\"\n\"3,400,000\"\n7\n", `x.csv: column "n" holds text: "1,200" has thousands separators (write the number without them)`},
		{"comma", "a,b\n1,\"1,5\"\n2,\"2,25\"\n", `x.csv: column "b" holds text: "1,5" has a decimal comma (write a decimal point)`},
		{"date", "d\n03/04/2024\n12/31/2024\n", `x.csv: column "d" holds text: "03/04/2024" is a date that not everybody reads alike (write dates as 2024-12-31)`},
		{"blanks", "x\n1 2 3\n4 5 6\n", `x.csv: column "x" holds text: "1 2 3" is several numbers in one cell (separate them by commas)`},
		{"slip", "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n1O\n", `x.csv: column "x" holds numbers, but one cell is not: "1O" in line 11`},
		{"infinite", "x\n1\ninf\n", `x.csv: column "x" holds +Inf in line 3, which is not a finite number`},
		{"all at once", "p,x,y\n$1,,inf\n$2,1,2\n", `x.csv: column "p" holds text: "$1" is money (write plain numbers, without currency signs and thousands separators); column "x" has 1 missing value, the first in line 2; column "y" holds +Inf in line 2, which is not a finite number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Fit(EncodingOptions{}, parse(t, "x.csv", tt.text))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestCheckCells complains of cells, and not of text that is no category.
func TestCheckCells(t *testing.T) {
	x := parse(t, "x.csv", "p,x,y\n$1,,inf\n$2,1,2\n")
	infinite := `column "y" holds +Inf in line 2, which is not a finite number`
	for how, want := range map[Missing]string{
		MissingError:  `x.csv: column "x" has 1 missing value, the first in line 2; ` + infinite,
		MissingMedian: "x.csv: " + infinite,
	} {
		if err := x.CheckCells(how); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	if err := x.Pick([]int{1}).CheckCells(MissingError); err != nil {
		t.Errorf("a row without fault: %v", err)
	}
}

func TestSelect(t *testing.T) {
	x := parse(t, "x.csv", "id,temp_in,temp_out,note,y\n1,2,3,a,5\n")
	got := selected(t, x, Selection{Columns: []string{"temp*", "5"}, Ignore: []string{"temp_out"}, Label: "note"})
	if names := got.Names(); !slices.Equal(names, []string{"temp_in", "y"}) || got.IDs[0] != "1" || got.Labels[0] != "a" {
		t.Errorf("got %q %q %q", names, got.IDs, got.Labels)
	}
	_, err := x.Select(Selection{Columns: []string{"temp_on", "z*"}, Ignore: []string{"nOte "}, ID: "key"})
	want := `x.csv: no such column: key, temp_on (did you mean temp_in, temp_out?), z*, "nOte " (did you mean note?); the columns are id, temp_in, temp_out, note, y`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	n := parse(t, "n.csv", "1,2\n3,4\n")
	_, err = n.Select(Selection{Columns: []string{"a", "3"}})
	want = "n.csv: no such column: a, 3; its 2 columns have no names; give their numbers, counted from 1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestMeet(t *testing.T) {
	a := parse(t, "a.csv", "x,y,when\n1,2,2024-01-01\n")
	b := parse(t, "b.csv", "when,y,x\n2024-05-05,20,10\n")
	met, err := Meet(a, b)
	if err != nil || !slices.Equal(met.Names(), []string{"x", "y", "when"}) || met.Columns[0].Numbers[0] != 10 {
		t.Fatalf("got %v %v", met, err)
	}
	_, err = Meet(a, parse(t, "c.csv", "X,y,size\n1,red,3\n"))
	want := `the columns of a.csv and c.csv do not meet: only in a.csv: x (like X), when; only in c.csv: X (like x), size; y holds numbers in a.csv and categories in c.csv (such as "red")`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	n := parse(t, "n.csv", "1,2\n3,4\n")
	_, err = Meet(a, n)
	if want := "a.csv has 3 columns, n.csv has 2, and they have no names to meet by"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	empty := parse(t, "e.csv", "x,y,when\n1,2,\n")
	if met, err = Meet(a, empty); err != nil || met.Columns[2].Kind != Time {
		t.Errorf("got %v %v", met, err)
	}
}
