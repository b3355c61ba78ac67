package experiments

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/da"
)

// TestAdaptTasks: they are those of table 2, with the data of each form and seed,
// and da.Load takes them.
func TestAdaptTasks(t *testing.T) {
	o := options(t)
	o.Seeds = 2
	var missing *NoFileError
	if _, err := AdaptTasks(&o, "efficientnet"); !errors.As(err, &missing) {
		t.Errorf("without data: %v", err)
	}
	archive(t, filepath.Join(o.Data, "office-caltech10", "efficientnet_lite4_f16.npz"))
	o.Quick, o.Show = false, true
	tasks, err := AdaptTasks(&o, "efficientnet")
	if err != nil || len(tasks) != 2*3*12 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	for _, a := range tasks {
		c := a.Config
		if (c.Outliers != "") != (a.Form == contaminated) || strings.Contains(c.Source, "label!=") != (a.Form == openSet) || c.Seed != uint64(a.Seed) || c.SelfTrain != 0 {
			t.Errorf("%+v", a)
		}
	}
	last := tasks[len(tasks)-1].Config
	if !strings.Contains(last.Source, "[label!=2|3]") {
		t.Errorf("the source of seed 1 is %s", last.Source)
	}
	d, _, err := da.Load(&last)
	if err != nil || len(d.Source.ClassNames) != 8 || d.Foreign() == nil {
		t.Errorf("%v, %+v", err, d)
	}
}
