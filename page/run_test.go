package page

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rot.example/rot/da"
	"rot.example/rot/figure"
	"rot.example/rot/train"
)

// TestAlarms: a class that lost its weight, or that nothing is taken for, is
// an alarm; known outliers are named.
func TestAlarms(t *testing.T) {
	s := &train.Weighted{W: []float64{2.4, 2.4, 0.1, 0.04, 0.05, 1.01}}
	g := &daPage{&DARun{Config: da.Config{Classes: []string{"a", "b", "c", "d"}}, Evaluation: &da.Evaluation{Predict: []int32{0, 0, 1, 1, 2, 2}}, Weights: s}}
	classes := g.predicted()
	if want := []int{2, 2, 2, 0}; !slices.EqualFunc(classes, want, func(c PredictedClass, n int) bool { return c.N == n }) {
		t.Errorf("classes %+v", classes)
	}
	got := g.alarms(classes)
	want := []string{
		`class "b" has lost its weight: the 2 target samples that are taken for it have mean weight 0.07; a smaller radius ρ keeps more of it`,
		`no target sample is taken for class "d"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Outlier = []bool{false, false, true, false, true, false}
	got = DAAlarms(g.DARun)
	if len(got) != 2 || !strings.HasSuffix(got[0], "0.07, and 1 of them are known outliers") {
		t.Errorf("got %q", got)
	}
}

// TestAlarmsOfMany: hundreds of classes do not make hundreds of lines.
func TestAlarmsOfMany(t *testing.T) {
	g := &daPage{&DARun{}}
	var classes []PredictedClass
	for k := range 30 {
		g.Config.Classes = append(g.Config.Classes, strconv.Itoa(k))
		classes = append(classes, PredictedClass{N: k % 2})
	}
	got := g.alarms(classes)
	if len(got) != 12 || got[10] != "5 more classes have lost their weight" ||
		got[11] != `no target sample is taken for any of 15 classes: "0", "2", "4", "6", "8", "10", "12", "14", "16", "18", …` {
		t.Errorf("got %q", got)
	}
}

func TestWeightsAnswer(t *testing.T) {
	s := &train.Weighted{W: []float64{0.1, 0.2, 0.6, 1.4, 1.6, 2.1}}
	r, err := s.Summary()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := weightsAnswer(r, "rows"), "**2 of 6 rows (33.3 %) have lost more than half of their weight.** Which of them do not belong is not known here."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Outlier = []bool{true, false, true, false, false, false}
	if r, err = s.Summary(); err != nil {
		t.Fatal(err)
	}
	// By hand: of the 2·4 pairs of an outlier and another, 7 are in order.
	if got := weightsAnswer(r, "rows"); !strings.Contains(got, "among them 1 of the 2 known outliers.** ") || !strings.Contains(got, "an AUROC of 0.8750;") {
		t.Errorf("got %q", got)
	}
}

// TestRunCurves: a panel holds what was recorded, and a constant.
func TestRunCurves(t *testing.T) {
	p := &runPage{panels: []runPanel{
		{"loss", []runSeries{{name: "a", key: "x"}, {name: "b", key: "missing"}}},
		{"never", []runSeries{{name: "c", key: "missing"}}},
		{"divergence", []runSeries{{name: "radius ρ", constant: 0.4}}},
	}}
	if p.curves(nil) != nil {
		t.Error("curves of nothing")
	}
	got := p.curves([]map[string]any{{"step": 1.0, "x": 3.0}, {"step": 5.0, "x": 2.0}})
	want := &figure.LossCurves{Panels: []figure.LossPanel{
		{Label: "loss", Series: []figure.Series{{Name: "a", Step: []int{1, 5}, Value: []float64{3, 2}}}},
		{Label: "divergence", Series: []figure.Series{{Name: "radius ρ", Step: []int{1, 5}, Value: []float64{0.4, 0.4}}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestConfigLines: in the order of the fields, and short.
func TestConfigLines(t *testing.T) {
	got, err := configLines(struct {
		B string   `json:"b"`
		A float64  `json:"a_longer_name"`
		C []string `json:"c"`
	}{"x<y>\n```", 0.1, []string{strings.Repeat("z", 100)}})
	want := []string{"b                 \"x<y>\\n```\"", "a_longer_name     0.1", "c                 [\"" + strings.Repeat("z", 69) + "…"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// TestDARadius says what was chosen, and when it is not much of a choice.
func TestDARadius(t *testing.T) {
	for _, tt := range []struct {
		r    da.Radius
		want string
	}{
		{da.Radius{Rho: 0.1, Elbow: 0.1, Sharpness: 20, Held: 400}, "rho 0.1, at the elbow on 400 held-back samples"},
		{da.Radius{Rho: 0.03, Elbow: 0.03, Sharpness: 2, Held: 120}, "rho 0.03, where the curve on 120 held-back samples bends most, though hardly: a very rough guess"},
		{da.Radius{Elbow: 0.4, Sharpness: 20, Held: 10}, "rho 0, for 10 held-back samples show no elbow: the weights stay 1"},
		{da.Radius{Held: 10}, "rho 0, for 10 held-back samples show no elbow: the weights stay 1"},
	} {
		if got := DARadius(&tt.r); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
