package dataset

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// infoOf sums up rows of numbers.
func infoOf(t *Table) *Info { return (&part{rows: t}).info(&Options{}) }

func TestDescribe(t *testing.T) {
	got, err := Describe("-", &Options{LabelColumn: "c", Stdin: strings.NewReader("id,x,y,c,note\na,1,7,cat,u\nb,3,7,dog,v\nc,1,7,dog,u\nd,-1,7,ant,\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != 4 || got.Dim != 5 || !got.HasIDs || got.Duplicates != 1 || got.MoreColumns != 0 || !slices.Equal(got.Constant, []string{"y"}) {
		t.Errorf("%+v", got)
	}
	if got.Refused != `stdin: column "note" has 1 missing value, the first in line 5` {
		t.Errorf("refused %s", got.Refused)
	}
	if want := []LabelCount{{"dog", 2}, {"ant", 1}, {"cat", 1}}; !slices.Equal(got.Labels, want) {
		t.Errorf("labels %v", got.Labels)
	}
	x := got.Columns[1]
	if x.Index != 2 || x.Name != "x" || *x.Min != -1 || *x.Max != 3 || math.Abs(*x.Mean-1) > 1e-15 || math.Abs(*x.Std-math.Sqrt2) > 1e-15 || x.Distinct != 3 {
		t.Errorf("%+v", x)
	}
	var uses []string
	for _, c := range got.Columns {
		uses = append(uses, c.Use)
	}
	if want := []string{"names of the rows", "a number", "a number", "labels", "one-hot, 2 components"}; !slices.Equal(uses, want) {
		t.Errorf("uses %q", uses)
	}
	if got.Bytes < 4*2*8 || got.Bytes > 1000 {
		t.Errorf("%d bytes", got.Bytes)
	}
}

func TestInfoExtremes(t *testing.T) {
	table := &Table{}
	table.Points.Dim, table.Points.Coords = 1, []float64{math.MaxFloat64, -math.MaxFloat64, 0, math.Copysign(0, -1)}
	got := infoOf(table)
	if c := got.Columns[0]; *c.Mean != 0 || math.IsInf(*c.Std, 0) || got.Duplicates != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
	table.Points.Dim, table.Points.Coords = 100, make([]float64, 200)
	if got := infoOf(table); len(got.Columns) != 64 || got.MoreColumns != 36 || len(got.Constant) != 100 {
		t.Errorf("%d columns, %d more, %d constant", len(got.Columns), got.MoreColumns, len(got.Constant))
	}
}
