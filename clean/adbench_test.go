package clean

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// sets are labelled tables, one .npz file each with X and y, beside the
// repository. The scores are compared with those of other programs in
// docs/benchmarks.md.
const sets = "../../shared/data/adbench"

func loadSet(t *testing.T, path string) (*ot.Points, []bool) {
	t.Helper()
	table, err := dataset.Load(path+":X,y", nil)
	if err != nil {
		t.Fatal(err)
	}
	marks, err := table.Marks()
	if err != nil {
		t.Fatal(err)
	}
	return &table.Points, marks
}

func TestRealSets(t *testing.T) {
	if _, err := os.Stat(sets); err != nil {
		t.Skipf("no labelled tables in %s", sets)
	}
	for _, tt := range []struct {
		name          string
		find, against float64 // a little below what they reach
	}{
		{"45_wine", 0.88, 0.88},
		{"42_WBC", 0.98, 0.88},
		{"40_vowels", 0.92, 0.93},
		{"6_cardio", 0.9, 0.96},
		{"39_vertebral", 0.25, 0.58}, // anomalies inside the bulk: a reference is all that helps
	} {
		x, marks := loadSet(t, filepath.Join(sets, tt.name+".npz"))
		if got := realAUROC(t, find(t, x, nil), marks); got < tt.find {
			t.Errorf("%s: AUROC %.3f, want %v", tt.name, got, tt.find)
		}
		data, reference, marks := halve(x, marks)
		if got := realAUROC(t, against(t, data, reference, nil), marks); got < tt.against {
			t.Errorf("%s against half of its normal rows: AUROC %.3f, want %v", tt.name, got, tt.against)
		}
	}
}

// TestAllRealSets holds the means over all sets, at full size.
func TestAllRealSets(t *testing.T) {
	if os.Getenv("ROT_SLOW") == "" {
		t.Skip("takes a minute: set ROT_SLOW=1")
	}
	files, err := filepath.Glob(filepath.Join(sets, "*.npz"))
	if err != nil || len(files) == 0 {
		t.Skipf("no labelled tables in %s", sets)
	}
	var mean, meanAgainst float64
	for _, path := range files {
		x, marks := loadSet(t, path)
		alone := realAUROC(t, find(t, x, nil), marks)
		data, reference, marks := halve(x, marks)
		with := realAUROC(t, against(t, data, reference, nil), marks)
		t.Logf("%-20s n=%d d=%d: %.3f, against half of the normal rows %.3f", strings.TrimSuffix(filepath.Base(path), ".npz"), x.Len(), x.Dim, alone, with)
		mean += alone / float64(len(files))
		meanAgainst += with / float64(len(files))
	}
	t.Logf("mean %.4f, %.4f", mean, meanAgainst)
	if mean < 0.8 || meanAgainst < 0.88 {
		t.Errorf("mean AUROC %.4f, against a reference %.4f; want 0.8 and 0.88", mean, meanAgainst)
	}
}

func realAUROC(t *testing.T, r *Result, marks []bool) float64 {
	t.Helper()
	v, err := metrics.AUROC(r.Score, marks)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// halve takes every other normal row as the reference.
func halve(x *ot.Points, marks []bool) (data, reference *ot.Points, rest []bool) {
	data, reference = &ot.Points{Dim: x.Dim}, &ot.Points{Dim: x.Dim}
	normal := 0
	for i, bad := range marks {
		if !bad {
			if normal++; normal%2 == 0 {
				reference.Coords = append(reference.Coords, x.Row(i)...)
				continue
			}
		}
		data.Coords = append(data.Coords, x.Row(i)...)
		rest = append(rest, bad)
	}
	return data, reference, rest
}
