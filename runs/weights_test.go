package runs

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWeights(t *testing.T) {
	for _, tt := range []struct {
		name    string
		ids     []string
		w       []float64
		outlier []bool
		score   []float64
		want    string
	}{
		{"plain", nil, []float64{0.5, 1.5}, nil, nil, "id,index,weight\n0,0,0.5\n1,1,1.5\n"},
		{"scaled", nil, []float64{1, 3}, nil, nil, "id,index,weight\n0,0,0.5\n1,1,1.5\n"},
		{"rounding stays", nil, []float64{1, 1 + 1e-12}, nil, nil, "id,index,weight\n0,0,1\n1,1,1.000000000001\n"},
		{"all", []string{`cat,"1".png`, "dog"}, []float64{2, 0}, []bool{false, true}, nil, "id,index,weight,outlier\n\"cat,\"\"1\"\".png\",0,2,0\ndog,1,0,1\n"},
		{"scores", nil, []float64{1, 1}, nil, []float64{-0.5, 3}, "id,index,weight,score\n0,0,1,-0.5\n1,1,1,3\n"},
		{"marks and scores", nil, []float64{2, 0}, []bool{false, true}, []float64{0, 1e-3}, "id,index,weight,outlier,score\n0,0,2,0,0\n1,1,0,1,0.001\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t)
			if err := r.WriteWeights(tt.ids, tt.w, tt.outlier, tt.score); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(r.Path(), weightsFile))
			if err != nil || string(text) != tt.want {
				t.Errorf("file is %q, %v, want %q", text, err, tt.want)
			}
			got, err := r.Weights()
			if err != nil || len(got) != len(tt.w) {
				t.Fatalf("%d weights, %v", len(got), err)
			}
			for i, w := range got {
				if w.Index != i || tt.ids != nil && w.ID != tt.ids[i] {
					t.Errorf("row %d: %+v", i, w)
				}
				if (w.Outlier == nil) != (tt.outlier == nil) || w.Outlier != nil && *w.Outlier != tt.outlier[i] {
					t.Errorf("row %d: outlier %v", i, w.Outlier)
				}
				if (w.Score == nil) != (tt.score == nil) || w.Score != nil && *w.Score != tt.score[i] {
					t.Errorf("row %d: score %v", i, w.Score)
				}
			}
		})
	}
}

func TestWeightsErrors(t *testing.T) {
	r := newRun(t)
	for _, tt := range []struct {
		name    string
		ids     []string
		w       []float64
		outlier []bool
		score   []float64
		text    string
	}{
		{"none", nil, nil, nil, nil, "there are none"},
		{"ids", []string{"a"}, []float64{1, 1}, nil, nil, "1 ids for 2"},
		{"marks", nil, []float64{1, 1}, []bool{}, nil, "0 outlier marks for 2"},
		{"scores", nil, []float64{1, 1}, nil, []float64{1}, "1 scores for 2"},
		{"negative", nil, []float64{1, -1}, nil, nil, "number 1 is -1"},
		{"not a number", nil, []float64{math.NaN()}, nil, nil, "number 0 is NaN"},
		{"infinite", nil, []float64{1, math.Inf(1)}, nil, nil, "number 1 is +Inf"},
		{"zero", nil, []float64{0, 0}, nil, nil, "mean is 0"},
		{"overflow", nil, []float64{math.MaxFloat64, math.MaxFloat64}, nil, nil, "mean is +Inf"},
	} {
		if err := r.WriteWeights(tt.ids, tt.w, tt.outlier, tt.score); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.text)
		}
	}
	if _, err := r.Weights(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
	for _, tt := range []struct{ text, want string }{
		{"", "first line"},
		{"index,weight\n0,1\n", "first line"},
		{"id,index,weight\na,0\n", "line 2"},
		{"id,index,weight\na,0,1\nb,x,1\n", "line 3"},
		{"id,index,weight\na,0,heavy\n", "line 2"},
		{"id,index,weight,score\na,0,1,odd\n", "line 2"},
		{"id,index,weight,score,outlier\na,0,1,2,0\n", "first line"},
		{"id,index,weight,outlier\na,0,1,maybe\n", "line 2"},
	} {
		if err := os.WriteFile(filepath.Join(r.Path(), weightsFile), []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Weights(); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want one with %q", tt.text, err, tt.want)
		}
	}
}
