package dataset

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestInfo(t *testing.T) {
	table, err := Load("-", &Options{LabelColumn: "c", Stdin: strings.NewReader("id,x,y,c\na,1,7,cat\nb,3,7,dog\nc,1,7,dog\nd,-1,7,ant\n")})
	if err != nil {
		t.Fatal(err)
	}
	got := table.Info()
	if got.Rows != 4 || got.Dim != 2 || !got.HasIDs || got.Duplicates != 1 || got.MoreColumns != 0 || !slices.Equal(got.Constant, []int{1}) {
		t.Errorf("%+v", got)
	}
	if want := []LabelCount{{"dog", 2}, {"ant", 1}, {"cat", 1}}; !slices.Equal(got.Labels, want) {
		t.Errorf("labels %v", got.Labels)
	}
	x := got.Columns[0]
	if x.Name != "x" || x.Min != -1 || x.Max != 3 || math.Abs(x.Mean-1) > 1e-15 || math.Abs(x.Std-math.Sqrt2) > 1e-15 {
		t.Errorf("%+v", x)
	}
	if got.Bytes < 4*2*8 || got.Bytes > 1000 {
		t.Errorf("%d bytes", got.Bytes)
	}
}

func TestInfoExtremes(t *testing.T) {
	table := &Table{}
	table.Points.Dim, table.Points.Coords = 1, []float64{math.MaxFloat64, -math.MaxFloat64, 0, math.Copysign(0, -1)}
	got := table.Info()
	if c := got.Columns[0]; c.Mean != 0 || math.IsInf(c.Std, 0) || got.Duplicates != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
	table.Points.Dim, table.Points.Coords = 100, make([]float64, 200)
	if got := table.Info(); len(got.Columns) != 64 || got.MoreColumns != 36 || len(got.Constant) != 100 {
		t.Errorf("%d columns, %d more, %d constant", len(got.Columns), got.MoreColumns, len(got.Constant))
	}
	if got := (&Table{}).Info(); got.Rows != 0 || got.Duplicates != 0 {
		t.Errorf("%+v", got)
	}
}
