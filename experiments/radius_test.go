package experiments

import (
	"strings"
	"testing"
)

// TestRadius runs the quick form on points: no radius without outliers, and
// about the right one with them.
func TestRadius(t *testing.T) {
	o := options(t)
	o.Parts = []string{"plane"}
	res, err := radius.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	cells := res.Sections[0].Numbers.([]generated)
	if len(cells) != 2*o.Seeds {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells {
		needed := c.Gamma / 2 / (1 - c.Gamma)
		if c.Radius == nil || *c.Radius < 0.7*needed || *c.Radius > 1.5*needed || c.Picture != "" {
			t.Errorf("%s: %+v", c.Setting, c.Radius)
		}
	}
	if !strings.Contains(res.Markdown, "| eight | 0.000 | – | ") {
		t.Errorf("the table:\n%s", res.Markdown)
	}
}

// TestRadiusTable works a table out by hand.
func TestRadiusTable(t *testing.T) {
	none, some := 0.0, 0.03
	got := radiusTable([]generated{
		{Setting: "s", Gamma: 0.05, Radius: &some, weighing: weighing{AUROC: 0.9}},
		{Setting: "s", Gamma: 0.05, Radius: &none, weighing: weighing{AUROC: 0.5}},
		{Setting: "clean", Radius: &none, weighing: weighing{AUROC: -1}},
	})
	for _, want := range []string{"| s | 0.026 | 0.030 | 1 of 2 runs | 0.9000 |\n", "| clean | 0.000 | – | 1 of 1 runs | – |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
