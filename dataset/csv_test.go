package dataset

import (
	"cmp"
	"os"
	"slices"
	"testing"

	"rot.example/rot/table"
)

// loadText loads text as a file of this name.
func loadText(t *testing.T, name, text string, opts *Options) (*Table, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Load(name, opts)
}

func TestReadCSV(t *testing.T) {
	for _, tt := range []struct {
		name    string
		text    string
		file    string // "" for a.csv
		opts    Options
		dim     int
		coords  []float64
		columns []string
		ids     []string
		labels  []string
	}{
		{name: "no header", text: "1,2\n3,4\n", dim: 2, coords: []float64{1, 2, 3, 4}},
		{name: "no newline at the end", text: "1,2\n3,4", dim: 2, coords: []float64{1, 2, 3, 4}},
		{name: "blank lines at the end", text: "1,2\n3,4\n\n \r\n\n", dim: 2, coords: []float64{1, 2, 3, 4}},
		{name: "header", text: "x,y\n1,2\n", dim: 2, coords: []float64{1, 2}, columns: []string{"x", "y"}},
		{name: "header with years", text: "t,2019,2020\n1,2,3\n", dim: 3, coords: []float64{2, 3, 1}, columns: []string{"2019", "2020", "t"}},
		{name: "windows", text: "\ufeffx;y\r\n1.5; -2e3 \r\n", dim: 2, coords: []float64{1.5, -2000}, columns: []string{"x", "y"}},
		{name: "tabs in csv", text: "1\t2\n", dim: 2, coords: []float64{1, 2}},
		{name: "tsv", text: "a,b\tc\n1\t2\n", file: "a.tsv", dim: 2, coords: []float64{1, 2}, columns: []string{"a,b", "c"}},
		{name: "quotes", text: "\"x, m\",\"the \"\"y\"\"\"\n\"1\", \"2\"\n", dim: 2, coords: []float64{2, 1}, columns: []string{`the "y"`, "x, m"}},
		{name: "quoted line end", text: "id,x\n\"a\nb\",1\n\"c;d\",2\n", dim: 1, coords: []float64{1, 2}, columns: []string{"x"}, ids: []string{"a\nb", "c;d"}},
		{name: "separator inside quotes", text: "\"a;b\",c\n1,2\n", dim: 2, coords: []float64{1, 2}, columns: []string{"a;b", "c"}},
		{name: "id by itself", text: "ID,x\n7,1\n8,2\n", dim: 1, coords: []float64{1, 2}, columns: []string{"x"}, ids: []string{"7", "8"}},
		{name: "id by name", text: "who,x\nann,1\n", opts: Options{IDColumn: "who"}, dim: 1, coords: []float64{1}, columns: []string{"x"}, ids: []string{"ann"}},
		{name: "id by number, no header", text: "ann,1\nbob,2\n", opts: Options{IDColumn: "1"}, dim: 1, coords: []float64{1, 2}, ids: []string{"ann", "bob"}},
		{name: "numeric id by number", text: "1,5\n2,6\n", opts: Options{IDColumn: "1"}, dim: 1, coords: []float64{5, 6}, ids: []string{"1", "2"}},
		{name: "decimal comma", text: "x;y\n1,5;2\n", dim: 2, coords: []float64{1.5, 2}, columns: []string{"x", "y"}},
		{name: "words", text: "x,city\n1,Bonn\n2,Ulm\n", dim: 3, coords: []float64{table.LevelWeight, 0, 1, 0, table.LevelWeight, 2}, columns: []string{"city=Bonn", "city=Ulm", "x"}},
		{name: "median", text: "x\n1\nNA\n3\n5\n", opts: Options{Missing: table.MissingIndicator}, dim: 2, coords: []float64{1, 0, 3, 1, 3, 0, 5, 0}, columns: []string{"x", "x missing"}},
		{name: "drop", text: "id,x\na,1\nb,\nc,3\n", opts: Options{Missing: table.MissingDrop}, dim: 1, coords: []float64{1, 3}, columns: []string{"x"}, ids: []string{"a", "c"}},
		{name: "columns", text: "a1,a2,b\n1,2,3\n", opts: Options{Columns: []string{"a*", "3"}, Ignore: []string{"a1"}}, dim: 2, coords: []float64{2, 3}, columns: []string{"a2", "b"}},
		{name: "names of numbers", text: "2019,2020\n1,2\n", opts: Options{Header: table.HeaderYes}, dim: 2, coords: []float64{1, 2}, columns: []string{"2019", "2020"}},
		{name: "index of pandas", text: ",x\n0,1\n", dim: 1, coords: []float64{1}, columns: []string{"x"}, ids: []string{"0"}},
		{name: "label", text: "x,class,id\n1,a,p\n2,a,q\n", opts: Options{LabelColumn: "class"}, dim: 1, coords: []float64{1, 2}, columns: []string{"x"}, ids: []string{"p", "q"}, labels: []string{"a", "a"}},
		{name: "a numeric label is a coordinate until declared", text: "x,label\n1,0\n", dim: 2, coords: []float64{0, 1}, columns: []string{"label", "x"}},
		{name: "id as label", text: "x,id\n1,0\n", opts: Options{LabelColumn: "id"}, dim: 1, coords: []float64{1}, columns: []string{"x"}, labels: []string{"0"}},
		{name: "a counting row", text: "0,1,2\n3,4,5\n", dim: 3, coords: []float64{0, 1, 2, 3, 4, 5}},
		{name: "a short counting row", text: "0,1\n0.5,1\n", dim: 2, coords: []float64{0, 1, 0.5, 1}},
		{name: "pandas numbers the columns beside an index", text: ",0,1\n0,5,6\n1,7,8\n", dim: 2, coords: []float64{5, 6, 7, 8}, columns: []string{"0", "1"}, ids: []string{"0", "1"}},
		{name: "a pandas series", text: ",0\n0,1.5\n1,2.5\n", dim: 1, coords: []float64{1.5, 2.5}, columns: []string{"0"}, ids: []string{"0", "1"}},
		{name: "a named pandas index over numbered columns", text: ",0,1,2\na,5,6,7\nb,7,8,9\n", dim: 3, coords: []float64{5, 6, 7, 7, 8, 9}, columns: []string{"0", "1", "2"}, ids: []string{"a", "b"}},
		{name: "pandas numbers the columns of floats", text: "0,1,2\n0.5,,2.0\n1.5,1e-07,2.5\n", opts: Options{Missing: table.MissingDrop}, dim: 3, coords: []float64{1.5, 1e-7, 2.5}, columns: []string{"0", "1", "2"}, ids: []string{"1"}},
		{name: "a counting row above some decimals", text: "0,1,2\n1,0,1.5\n", dim: 3, coords: []float64{0, 1, 2, 1, 0, 1.5}},
		{name: "categories without a header", text: "FR,31\nDE,45\nFR,27\n", dim: 3, coords: []float64{0, table.LevelWeight, 31, table.LevelWeight, 0, 45, 0, table.LevelWeight, 27}, columns: []string{"1=DE", "1=FR", "2"}},
		{name: "a word that is also the name of its column", text: "kind,x\na,1\na,2\nkind,3\n", dim: 3, coords: []float64{table.LevelWeight, 0, 1, table.LevelWeight, 0, 2, 0, table.LevelWeight, 3}, columns: []string{"kind=a", "kind=kind", "x"}},
		{name: "separators at the ends of rows", text: "x,y\n1,2,\n3,4,\n", dim: 2, coords: []float64{1, 2, 3, 4}, columns: []string{"x", "y"}},
		{name: "row names of R", text: "x,y\na,1,2\nb,3,\n", opts: Options{Missing: table.MissingMedian}, dim: 2, coords: []float64{1, 2, 3, 2}, columns: []string{"x", "y"}, ids: []string{"a", "b"}},
		{name: "one column", text: "w\n1\n2\n", dim: 1, coords: []float64{1, 2}, columns: []string{"w"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := loadText(t, cmp.Or(tt.file, "a.csv"), tt.text, &tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if got.Points.Dim != tt.dim || !slices.Equal(got.Points.Coords, tt.coords) {
				t.Errorf("coords %v of dim %d, want %v of dim %d", got.Points.Coords, got.Points.Dim, tt.coords, tt.dim)
			}
			if !slices.Equal(got.Columns, tt.columns) || (got.Columns == nil) != (tt.columns == nil) {
				t.Errorf("columns %q, want %q", got.Columns, tt.columns)
			}
			if !slices.Equal(got.Points.IDs, tt.ids) || !slices.Equal(got.Labels, tt.labels) {
				t.Errorf("ids %q and labels %q, want %q and %q", got.Points.IDs, got.Labels, tt.ids, tt.labels)
			}
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		opts       Options
		want       string
	}{
		{name: "empty", text: "", want: "a.csv: the file is empty"},
		{name: "blank", text: "\n\n", want: "a.csv: the file is empty"},
		{name: "only a header", text: "x,y\n", want: "a.csv: no rows follow the header"},
		{name: "a comment", text: "# of May\nx,y\n1,2\n", want: "a.csv:1: is a comment and not the names of the columns; take it out"},
		{name: "ragged", text: "x,y\n1,2\n3\n", want: "a.csv:3: the line has 1 field, line 2 has 2"},
		{name: "missing", text: "x,height\n1,2\n3,n/a\n", want: `a.csv: column "height" has 1 missing value, the first in line 3`},
		{name: "missing in line 1", text: "1,NA\n3,4\n", want: `a.csv: column "2" has 1 missing value, the first in line 1`},
		{name: "all at once", text: "x,y,z\n1,NaN,-inf\n,2,3\n", want: `a.csv: column "x" has 1 missing value, the first in line 3; column "y" has 1 missing value, the first in line 2; column "z" holds -Inf in line 2, which is not a finite number`},
		{name: "too large", text: "x\n1e999\n", want: `a.csv: column "x" holds +Inf in line 2, which is not a finite number`},
		{name: "quoted decimal comma", text: "x,y\n\"1,5\",2\n", want: `a.csv: column "x" holds text: "1,5" has a decimal comma (write a decimal point)`},
		{name: "words among numbers", text: "x\n1.5\n2.5\nbad\n", want: `a.csv: column "x" holds text: numbers are mixed with words such as "bad"`},
		{name: "open quote", text: "x\n1\n\"2\n3\n", want: "a.csv:3: a quote opens here and is never closed"},
		{name: "text after quote", text: "x\n\"1\"2\n", want: "a.csv:2: text follows a closing quote (write a quote inside quotes twice)"},
		{name: "gzip", text: "\x1f\x8b\x08", want: "a.csv: is gzip data; end its name in .gz"},
		{name: "no such column", text: "x,y\n1,2\n", opts: Options{IDColumn: "name"}, want: "a.csv: no such column: name; the columns are x, y"},
		{name: "name in the data", text: "1,2\n3,4\n", opts: Options{LabelColumn: "c"}, want: "a.csv: no such column: c; its 2 columns have no names; give their numbers, counted from 1"},
		{name: "column number", text: "1,2\n", opts: Options{LabelColumn: "3"}, want: "a.csv: no such column: 3; its 2 columns have no names; give their numbers, counted from 1"},
		{name: "both roles", text: "a,b\n1,2\n", opts: Options{IDColumn: "a", LabelColumn: "1"}, want: `a.csv: column "a" cannot hold both ids and labels`},
		{name: "nothing left", text: "id\n1\n", want: "a.csv: no column is left for the coordinates"},
		{name: "empty id", text: "id,x\n,1\n", want: `a.csv:2: column "id": the id is empty`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadText(t, "a.csv", tt.text, &tt.opts)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// TestLoadTogether checks that columns meet by name.
func TestLoadTogether(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.csv": "x,y,kind,label\n1,2,u,p\n3,4,v,q\n", "b.csv": "kind,y,x\nw,20,10\n", "c.csv": "x,z,kind\n1,2,3\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := LoadTogether([]string{"a.csv", "b.csv"}, &Options{LabelColumn: "label"})
	if err != nil {
		t.Fatal(err)
	}
	a, b := got[0], got[1]
	const w = table.LevelWeight
	if !slices.Equal(a.Points.Coords, []float64{w, 0, 0, 1, 2, 0, w, 0, 3, 4}) || !slices.Equal(b.Points.Coords, []float64{0, 0, w, 10, 20}) {
		t.Errorf("got %v and %v", a.Points.Coords, b.Points.Coords)
	}
	if !slices.Equal(a.Labels, []string{"p", "q"}) || b.Labels != nil {
		t.Errorf("labels %q and %q", a.Labels, b.Labels)
	}
	_, err = LoadTogether([]string{"a.csv", "c.csv"}, &Options{LabelColumn: "label"})
	want := `the columns of a.csv and c.csv do not meet: only in a.csv: y; only in c.csv: z; kind holds categories in a.csv and numbers in c.csv (such as "v")`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err = LoadTogether([]string{"b.csv", "c.csv"}, &Options{LabelColumn: "label"}); err == nil || err.Error() != "b.csv: no such column: label; the columns are kind, y, x" {
		t.Errorf("got %v", err)
	}
	next, err := Load("b.csv[x=10]", &Options{Encoding: a.Encoding})
	if err != nil || !slices.Equal(next.Points.Coords, b.Points.Coords) {
		t.Errorf("got %v %v", next, err)
	}
}
