package dataset

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReadCSV(t *testing.T) {
	for _, tt := range []struct {
		name    string
		text    string
		delim   byte
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
		{name: "header with years", text: "t,2019,2020\n1,2,3\n", dim: 3, coords: []float64{1, 2, 3}, columns: []string{"t", "2019", "2020"}},
		{name: "windows", text: "\ufeffx;y\r\n1.5; -2e3 \r\n", dim: 2, coords: []float64{1.5, -2000}, columns: []string{"x", "y"}},
		{name: "tabs in csv", text: "1\t2\n", dim: 2, coords: []float64{1, 2}},
		{name: "tsv", text: "a,b\tc\n1\t2\n", delim: '\t', dim: 2, coords: []float64{1, 2}, columns: []string{"a,b", "c"}},
		{name: "quotes", text: "\"x, m\",\"the \"\"y\"\"\"\n\"1\", \"2\"\n", dim: 2, coords: []float64{1, 2}, columns: []string{"x, m", `the "y"`}},
		{name: "quoted line end", text: "id,x\n\"a\nb\",1\n\"c;d\",2\n", dim: 1, coords: []float64{1, 2}, columns: []string{"x"}, ids: []string{"a\nb", "c;d"}},
		{name: "separator inside quotes", text: "\"a;b\",c\n1,2\n", dim: 2, coords: []float64{1, 2}, columns: []string{"a;b", "c"}},
		{name: "id by itself", text: "ID,x\n7,1\n8,2\n", dim: 1, coords: []float64{1, 2}, columns: []string{"x"}, ids: []string{"7", "8"}},
		{name: "id by name", text: "who,x\nann,1\n", opts: Options{IDColumn: "who"}, dim: 1, coords: []float64{1}, columns: []string{"x"}, ids: []string{"ann"}},
		{name: "id by number, no header", text: "ann,1\nbob,2\n", opts: Options{IDColumn: "1"}, dim: 1, coords: []float64{1, 2}, ids: []string{"ann", "bob"}},
		{name: "numeric id by number", text: "1,5\n2,6\n", opts: Options{IDColumn: "1"}, dim: 1, coords: []float64{5, 6}, ids: []string{"1", "2"}},
		{name: "index of pandas", text: ",x\n0,1\n", opts: Options{IDColumn: "1"}, dim: 1, coords: []float64{1}, columns: []string{"x"}, ids: []string{"0"}},
		{name: "label", text: "x,class,id\n1,a,p\n2,a,q\n", opts: Options{LabelColumn: "class"}, dim: 1, coords: []float64{1, 2}, columns: []string{"x"}, ids: []string{"p", "q"}, labels: []string{"a", "a"}},
		{name: "a numeric label is a coordinate until declared", text: "x,label\n1,0\n", dim: 2, coords: []float64{1, 0}, columns: []string{"x", "label"}},
		{name: "id as label", text: "x,id\n1,0\n", opts: Options{LabelColumn: "id"}, dim: 1, coords: []float64{1}, columns: []string{"x"}, labels: []string{"0"}},
		{name: "a counting row", text: "0,1,2\n3,4,5\n", dim: 3, coords: []float64{0, 1, 2, 3, 4, 5}},
		{name: "a short counting row", text: "0,1\n0.5,1\n", dim: 2, coords: []float64{0, 1, 0.5, 1}},
		{name: "one column", text: "w\n1\n2\n", dim: 1, coords: []float64{1, 2}, columns: []string{"w"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readCSV("a.csv", strings.NewReader(tt.text), int64(len(tt.text)), tt.delim, &tt.opts)
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
	const declare = " (declare a column of names as the id or the label column)"
	const fill = " (fill it in or delete the line)"
	for _, tt := range []struct {
		name, text string
		opts       Options
		want       string
	}{
		{name: "empty", text: "", want: "a.csv: the file is empty"},
		{name: "blank", text: "\n\n", want: "a.csv: the file is empty"},
		{name: "only a header", text: "x,y\n", want: "a.csv: no rows follow the header"},
		{name: "ragged", text: "x,y\n1,2\n3\n", want: "a.csv:3: the line has 1 fields, line 1 has 2"},
		{name: "blank line inside", text: "1,2\n\n3,4\n", want: "a.csv:2: the line is blank (delete it; blank lines may stand at the end only)"},
		{name: "missing mark", text: "x,height\n1,2\n3,n/a\n", want: `a.csv:3: column "height": "n/a" is not a number` + fill},
		{name: "missing mark in line 1", text: "1,NA\n3,4\n", want: `a.csv:1: column 2: "NA" is not a number` + fill},
		{name: "slip in line 1", text: "12,1O\n3,4\n", want: `a.csv:1: column 2: "1O" is not a number` + declare},
		{name: "text in a data line 1", text: "1.5,abc\n3,4\n", want: `a.csv:1: column 2: "abc" is not a number` + declare},
		{name: "NaN", text: "x,y\n1,NaN\n", want: `a.csv:2: column "y": "NaN" is not a finite number` + fill},
		{name: "NaN in line 1", text: "nan,1\n2,3\n", want: `a.csv:1: column 1: "nan" is not a finite number` + fill},
		{name: "infinite", text: "1,2\n1,-inf\n", want: `a.csv:2: column 2: "-inf" is not a finite number` + fill},
		{name: "too large", text: "x\n1e999\n", want: `a.csv:2: column "x": "1e999" is too large for a float64`},
		{name: "empty field", text: "x,y\n1,\n", want: `a.csv:2: column "y": the field is empty` + fill},
		{name: "decimal comma", text: "x;y\n1,5;2\n", want: `a.csv:2: column "x": "1,5" is not a number (write the decimal mark as a point: 1.5)`},
		{name: "quoted decimal comma", text: "x,y\n\"1,5\",2\n", want: `a.csv:2: column "x": "1,5" is not a number (write the decimal mark as a point: 1.5)`},
		{name: "text column", text: "x,city\n1,Bonn\n", want: `a.csv:2: column "city": "Bonn" is not a number` + declare},
		{name: "old Mac", text: "x,y\r1,2\r", want: "a.csv: its lines end in bare carriage returns; end them in newlines"},
		{name: "open quote", text: "x\n1\n\"2\n3\n", want: "a.csv:3: a quote opens here and is never closed"},
		{name: "text after quote", text: "x\n\"1\"2\n", want: "a.csv:2: text follows a closing quote (write a quote inside quotes twice)"},
		{name: "utf-16", text: "\xff\xfex\x00", want: "a.csv: is UTF-16 text; save it as UTF-8"},
		{name: "gzip", text: "\x1f\x8b\x08", want: "a.csv: is gzip data; end its name in .gz"},
		{name: "binary", text: "PAR1\x00\x15", want: "a.csv: is not text: its first line holds a zero byte"},
		{name: "no such column", text: "x,y\n1,2\n", opts: Options{IDColumn: "name"}, want: "a.csv: id column name: no such column; the columns are x, y"},
		{name: "name in the data", text: "1,2\n3,4\n", opts: Options{LabelColumn: "c"}, want: "a.csv: label column c: no such column; the columns are 1, 2"},
		{name: "column number", text: "1,2\n", opts: Options{LabelColumn: "3"}, want: "a.csv: label column 3: the file has 2 columns, counted from 1"},
		{name: "same name twice", text: "a,a\n1,2\n", opts: Options{IDColumn: "a"}, want: "a.csv: id column a: names columns 1 and 2; give the number instead"},
		{name: "both roles", text: "a,b\n1,2\n", opts: Options{IDColumn: "a", LabelColumn: "1"}, want: `a.csv: column "a" cannot hold both ids and labels`},
		{name: "nothing left", text: "id\n1\n", want: "a.csv: no column is left for the coordinates"},
		{name: "numbers of columns", text: "0,1,2\n1.5,2,3\n", want: "a.csv:1: reads 0,1,2,… like numbers of columns (name the columns, delete the line, or write it with decimals if it is a row)"},
		{name: "numbers of columns beside an index", text: ",0,1,2\n0,1.5,2,3\n", opts: Options{IDColumn: "1"}, want: "a.csv:1: column 1: the id is empty"},
		{name: "empty id", text: "id,x\n,1\n", want: `a.csv:2: column "id": the id is empty`},
		{name: "saved index", text: ",x\n0,1\n", want: `a.csv: column 1: looks like a saved row index (declare it as the id column, or give it a name of its own to use it as a coordinate)`},
		{name: "long text", text: "x\n" + strings.Repeat("é", 50), want: `a.csv:2: column "x": "` + strings.Repeat("é", 40) + `…" is not a number` + declare},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readCSV("a.csv", strings.NewReader(tt.text), -1, 0, &tt.opts)
			var bad *InputError
			if !errors.As(err, &bad) || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestInputErrorFields(t *testing.T) {
	_, err := readCSV("a.csv", strings.NewReader("x,y\n1,2\n3,b\n"), -1, 0, &Options{})
	var bad *InputError
	if !errors.As(err, &bad) {
		t.Fatal(err)
	}
	if bad.File != "a.csv" || bad.Line != 3 || bad.Row != 1 || bad.Column != `"y"` {
		t.Errorf("%+v", bad)
	}
}

// TestReadCSVLong crosses the buffer of the scanner and the reservation.
func TestReadCSVLong(t *testing.T) {
	row := strings.Repeat("1.25,", 99_999) + "7\n"
	text := strings.Repeat(row, 3)
	got, err := readCSV("a.csv", strings.NewReader(text), int64(len(text)), 0, &Options{})
	if err != nil || got.Points.Len() != 3 || got.Points.Dim != 100_000 || got.Points.Row(2)[99_999] != 7 {
		t.Fatalf("%v", err)
	}
	text = "x,y\n" + strings.Repeat("1,2\n", 100) + strings.Repeat("123456789,2\n", 1000)
	got, err = readCSV("a.csv", strings.NewReader(text), int64(len(text)), 0, &Options{})
	if err != nil || got.Points.Len() != 1100 || got.Points.Row(1099)[0] != 123456789 {
		t.Fatalf("%v", err)
	}
}
