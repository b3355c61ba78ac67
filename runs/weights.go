package runs

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"rot.example/rot/internal/openfile"
)

// A Weight is the weight of one training sample.
type Weight struct {
	ID      string
	Index   int      // in the data set, from 0
	Weight  float64  // relative to the mean
	Outlier *bool    // known to be mixed in; nil: not known
	Score   *float64 // how little it seems to belong, higher is odder; nil: not known
}

// WriteWeights writes weights.csv: the columns id, index, weight and, unless they
// are nil, outlier (0 or 1) and score. Without ids the index stands for them. The
// weights are scaled to mean 1, unless that is what they have up to rounding.
func (r *Run) WriteWeights(ids []string, w []float64, outlier []bool, score []float64) error {
	w, err := meanOne(w)
	switch {
	case err != nil:
		return fmt.Errorf("runs: %w: %w", ErrWeights, err)
	case ids != nil && len(ids) != len(w):
		return fmt.Errorf("runs: %w: %d ids for %d of them", ErrWeights, len(ids), len(w))
	case outlier != nil && len(outlier) != len(w):
		return fmt.Errorf("runs: %w: %d outlier marks for %d of them", ErrWeights, len(outlier), len(w))
	case score != nil && len(score) != len(w):
		return fmt.Errorf("runs: %w: %d scores for %d of them", ErrWeights, len(score), len(w))
	}
	return WriteFile(filepath.Join(r.path, weightsFile), func(out io.Writer) error {
		c := csv.NewWriter(out)
		c.Write(columns(outlier != nil, score != nil)) // An error stays until the end.
		for i, v := range w {
			row := []string{strconv.Itoa(i), strconv.Itoa(i), number(v)}
			if ids != nil {
				row[0] = ids[i]
			}
			if outlier != nil {
				row = append(row, map[bool]string{false: "0", true: "1"}[outlier[i]])
			}
			if score != nil {
				row = append(row, number(score[i]))
			}
			c.Write(row)
		}
		c.Flush()
		return c.Error()
	})
}

// columns are those of weights.csv, with outlier marks and scores or without.
func columns(outlier, score bool) []string {
	out := []string{"id", "index", "weight"}
	if outlier {
		out = append(out, "outlier")
	}
	if score {
		out = append(out, "score")
	}
	return out
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// meanOne is w divided by its mean.
func meanOne(w []float64) ([]float64, error) {
	if len(w) == 0 {
		return nil, errors.New("there are none")
	}
	var sum float64
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("number %d is %v", i, v)
		}
		sum += v
	}
	mean := sum / float64(len(w))
	if mean == 0 || math.IsInf(mean, 1) {
		return nil, fmt.Errorf("their mean is %v", mean)
	}
	if math.Abs(mean-1) < 1e-9 {
		return w, nil
	}
	out := slices.Clone(w)
	for i := range out {
		out[i] /= mean
	}
	return out, nil
}

// Weights reads weights.csv.
func (r *Run) Weights() ([]Weight, error) {
	path := filepath.Join(r.path, weightsFile)
	f, _, err := openfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("runs: weights: %w", err)
	}
	defer f.Close()
	w, err := ReadWeights(f)
	if err != nil {
		return nil, fmt.Errorf("runs: %s: %w", path, err)
	}
	return w, nil
}

// ReadWeights reads the text of a weights.csv.
func ReadWeights(r io.Reader) ([]Weight, error) {
	in := csv.NewReader(r)
	head, err := in.Read()
	outlier, score := slices.Contains(head, "outlier"), slices.Contains(head, "score")
	if err != nil || !slices.Equal(head, columns(outlier, score)) {
		return nil, fmt.Errorf("%w: the first line is not id,index,weight[,outlier][,score]", ErrWeights)
	}
	var out []Weight
	for {
		row, err := in.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrWeights, err)
		}
		w, err := parseWeight(row, outlier, score)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w: %w", line, ErrWeights, err)
		}
		out = append(out, w)
	}
}

func parseWeight(row []string, outlier, score bool) (w Weight, err error) {
	w.ID = row[0]
	if w.Index, err = strconv.Atoi(row[1]); err != nil {
		return w, err
	}
	if w.Weight, err = strconv.ParseFloat(row[2], 64); err != nil {
		return w, err
	}
	if outlier {
		mark, err := strconv.ParseBool(row[3])
		if err != nil {
			return w, err
		}
		w.Outlier = &mark
	}
	if score {
		v, err := strconv.ParseFloat(row[len(row)-1], 64)
		if err != nil {
			return w, err
		}
		w.Score = &v
	}
	return w, nil
}
