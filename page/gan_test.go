package page

import (
	"strings"
	"testing"

	"rot.example/rot/gan"
	"rot.example/rot/train"
)

// TestGANAlarms: a class of images that lost most of its weight is named, its
// known outliers not counted; rows, whose labels may mark outliers, have no alarms.
func TestGANAlarms(t *testing.T) {
	r := &GANRun{
		Config: gan.Config{Size: 28},
		Data: &train.Data{
			Labels:     []int32{0, 0, 1, 1, 1, 2},
			ClassNames: []string{"common", "rare", "one"},
			Outlier:    []bool{true, false, false, false, false, false},
		},
		Weights: &train.Weighted{W: []float64{0, 1.5, 0.1, 0.2, 0.3, 0}},
	}
	got := GANAlarms(r)
	if len(got) != 1 || !strings.Contains(got[0], `class "rare" has lost most of its weight: its 3 images have mean weight 0.2;`) {
		t.Errorf("got %q, want one about the class rare", got)
	}
	r.Config.Size = 0
	if got := GANAlarms(r); got != nil {
		t.Errorf("rows: %q", got)
	}
	r.Config.Size, r.Data.Labels = 28, nil
	if got := GANAlarms(r); got != nil {
		t.Errorf("no labels: %q", got)
	}
}
