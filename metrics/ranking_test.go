package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var inf = math.Inf(1)

func TestRanking(t *testing.T) {
	for _, tt := range []struct {
		name         string
		score        []float64
		positive     string // + and −, one per score
		auroc, auprc float64
	}{
		{"perfect", []float64{4, 3, 2, 1}, "++--", 1, 1},
		{"reversed", []float64{1, 2, 3, 4}, "++--", 0, (1./3 + 2./4) / 2},
		{"all tied", []float64{7, 7, 7, 7, 7}, "+--+-", 0.5, 0.4},
		{"one pair", []float64{2, 1}, "+-", 1, 1},
		{"one pair, wrong", []float64{1, 2}, "+-", 0, 0.5},
		{"one pair, tied", []float64{1, 1}, "+-", 0.5, 0.5},
		{"one mistake", []float64{4, 3, 2, 1}, "+-+-", 0.75, (1 + 2./3) / 2},
		{"tie at the top", []float64{3, 3, 2, 1}, "+-+-", 0.625, (1./2 + 2./3) / 2},
		{"tied positives", []float64{3, 3, 2}, "++-", 1, 1},
		{"infinite", []float64{inf, 0, -inf, -inf}, "+-+-", 0.625, (1 + 2./4) / 2}, // two wins and a tie in four pairs
		{"zeros of both signs", []float64{0, math.Copysign(0, -1)}, "+-", 0.5, 0.5},
		{"unsorted", []float64{0.1, 0.4, 0.35, 0.8}, "--++", 0.75, (1 + 2./3) / 2}, // the example of scikit-learn: 0.75, 0.83
	} {
		t.Run(tt.name, func(t *testing.T) {
			positive := make([]bool, len(tt.score))
			for i := range positive {
				positive[i] = tt.positive[i] == '+'
			}
			if got, err := AUROC(tt.score, positive); err != nil || math.Abs(got-tt.auroc) > 1e-15 {
				t.Errorf("AUROC %v, %v, want %v", got, err, tt.auroc)
			}
			if got, err := AUPRC(tt.score, positive); err != nil || math.Abs(got-tt.auprc) > 1e-15 {
				t.Errorf("AUPRC %v, %v, want %v", got, err, tt.auprc)
			}
		})
	}
}

func TestRankingErrors(t *testing.T) {
	for _, tt := range []struct {
		name     string
		score    []float64
		positive []bool
		err      error
		text     string
	}{
		{"shape", []float64{1, 2}, []bool{true}, ErrShape, "2 scores and 1 marks"},
		{"not a number", []float64{1, math.NaN()}, []bool{true, false}, ErrValue, "score 1 is NaN"},
		{"empty", nil, nil, ErrClass, "0 of 0 samples"},
		{"no negatives", []float64{1, 2}, []bool{true, true}, ErrClass, "2 of 2 samples"},
		{"no positives", []float64{1, 2}, []bool{false, false}, ErrClass, "0 of 2 samples"},
	} {
		for _, f := range []func([]float64, []bool) (float64, error){AUROC, AUPRC} {
			_, err := f(tt.score, tt.positive)
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "metrics: AU") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.text)
			}
		}
	}
}

// draw is a random instance of both classes with many ties.
func draw(rng *rand.Rand) (score []float64, positive []bool) {
	n := 2 + rng.IntN(40)
	levels := 1 + rng.IntN(n)
	for range n {
		score = append(score, float64(rng.IntN(levels))-3)
		positive = append(positive, rng.IntN(3) == 0)
	}
	positive[0], positive[1] = true, false
	return score, positive
}

// TestAgainstDefinition compares with the definitions, taken literally: AUROC
// over all pairs, AUPRC over all thresholds.
func TestAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		score, positive := draw(rng)
		var wins, pairs, area, recall float64
		total := 0.0
		for i, s := range score {
			if !positive[i] {
				continue
			}
			total++
			for j, other := range score {
				if positive[j] {
					continue
				}
				pairs++
				if s > other {
					wins++
				} else if s == other {
					wins += 0.5
				}
			}
		}
		thresholds := slices.Clone(score)
		slices.Sort(thresholds)
		thresholds = slices.Compact(thresholds)
		for _, at := range slices.Backward(thresholds) {
			var hits, found float64
			for i, s := range score {
				if s >= at {
					found++
					if positive[i] {
						hits++
					}
				}
			}
			area += (hits/total - recall) * hits / found
			recall = hits / total
		}
		if got, err := AUROC(score, positive); err != nil || math.Abs(got-wins/pairs) > 1e-12 {
			t.Fatalf("AUROC %v, %v, want %v for %v %v", got, err, wins/pairs, score, positive)
		}
		if got, err := AUPRC(score, positive); err != nil || math.Abs(got-area) > 1e-12 {
			t.Fatalf("AUPRC %v, %v, want %v for %v %v", got, err, area, score, positive)
		}
	}
}

func TestInvariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		score, positive := draw(rng)
		roc, err := AUROC(score, positive)
		if err != nil {
			t.Fatal(err)
		}
		prc, err := AUPRC(score, positive)
		if err != nil {
			t.Fatal(err)
		}
		given := slices.Clone(score)

		order := rng.Perm(len(score))
		mixed, marks := make([]float64, len(score)), make([]bool, len(score))
		squashed, negated, flipped := make([]float64, len(score)), make([]float64, len(score)), make([]bool, len(score))
		for i, k := range order {
			mixed[i], marks[i] = score[k], positive[k]
			squashed[k] = math.Atan(score[k]) - 100
			negated[k], flipped[k] = -score[k], !positive[k]
		}
		for _, tt := range []struct {
			name     string
			score    []float64
			positive []bool
			roc, prc float64 // NaN: no such rule
		}{
			{"order of the samples", mixed, marks, roc, prc},
			{"increasing function of the scores", squashed, positive, roc, prc},
			{"negated scores", negated, positive, 1 - roc, math.NaN()},
			{"classes exchanged", score, flipped, 1 - roc, math.NaN()},
			{"both", negated, flipped, roc, math.NaN()},
			{"every sample twice", slices.Concat(score, score), slices.Concat(positive, positive), roc, prc},
		} {
			if got, err := AUROC(tt.score, tt.positive); err != nil || math.Abs(got-tt.roc) > 1e-12 {
				t.Errorf("%s: AUROC %v, %v, want %v", tt.name, got, err, tt.roc)
			}
			if got, err := AUPRC(tt.score, tt.positive); err != nil || math.Abs(got-tt.prc) > 1e-12 {
				t.Errorf("%s: AUPRC %v, %v, want %v", tt.name, got, err, tt.prc)
			}
		}
		if !slices.Equal(score, given) {
			t.Fatal("the scores were changed")
		}
	}
}

func BenchmarkAUROC(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	score, positive := make([]float64, 50000), make([]bool, 50000)
	for i := range score {
		score[i], positive[i] = rng.NormFloat64(), i%20 == 0
	}
	for b.Loop() {
		if _, err := AUROC(score, positive); err != nil {
			b.Fatal(err)
		}
	}
}
