package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"rot.example/rot/clean"
	"rot.example/rot/internal/parallel"
	"rot.example/rot/ot"
	"rot.example/rot/table"
)

// stage reports how far a step of many is.
func (q *request) stage(name string) func(done, total int) {
	if q.report == nil {
		return nil
	}
	return func(done, total int) {
		q.report(progress{Stage: name, Iters: done, Done: number(float64(done) / float64(total))})
	}
}

// find takes gamma, core, unscaled, seed and the table or array X, and returns
// the scores and the weights of its rows.
func find(ctx context.Context, q *request) (answer, error) {
	s, err := q.samples("X")
	if err != nil {
		return answer{}, err
	}
	r, err := clean.Find(ctx, s[0].points, &clean.Options{
		Gamma: float64(q.Gamma), Core: q.Core, Unscaled: q.Unscaled, Groups: categoryGroups(s[0].encoding), Seed: q.Seed, Progress: q.stage("comparing rows"),
	})
	if err != nil {
		return answer{}, err
	}
	return answer{map[string]number{"gamma": number(r.Gamma), "rho": number(r.Rho)}, []Array{Floats("score", r.Score), Floats("weight", r.Weight)}}, nil
}

// A modelAnswer is the args of the "result" of fit and score.
type modelAnswer struct {
	encodingAnswer
	Threshold *number `json:"threshold,omitempty"` // of fit with fdr: rows above this score are suspects
}

// fit takes core, unscaled, seed, fdr and the table or array X, and returns a
// model file besides what score returns of X. With an fdr it also returns the
// score above which rows are suspects: as many of X as Find suspects.
func fit(ctx context.Context, q *request) (answer, error) {
	s, err := q.samples("X")
	if err != nil {
		return answer{}, err
	}
	x, e := s[0].points, s[0].encoding
	o := &clean.Options{Core: q.Core, Unscaled: q.Unscaled, Groups: categoryGroups(e), Seed: q.Seed, Progress: q.stage("fitting")}
	m, err := clean.Fit(ctx, x, o)
	if err != nil {
		return answer{}, err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return answer{}, err
	}
	var file bytes.Buffer
	if err := m.Write(&file, text); err != nil {
		return answer{}, err
	}
	scores, p, err := scored(ctx, m, x)
	if err != nil {
		return answer{}, err
	}
	meta := modelAnswer{encodingAnswer: newEncodingAnswer(s[0])}
	if o.FDR = float64(q.FDR); o.FDR != 0 {
		r, err := clean.Find(ctx, x, o)
		if err != nil {
			return answer{}, err
		}
		above := number(suspectScore(m, scores, r))
		meta.Threshold = &above
	}
	return answer{meta, []Array{Floats("score", scores), Floats("p", p), Bytes("model", file.Bytes())}}, nil
}

// suspectScore is the score of m above which as many rows lie as r suspects; or
// where it suspects none, above which one would stand out.
func suspectScore(m *clean.Model, scores []float64, r *clean.Result) float64 {
	k := 0
	for _, s := range r.Suspect {
		if s {
			k++
		}
	}
	rising := slices.Sorted(slices.Values(scores))
	n := len(rising)
	if k == 0 || k == n {
		beyond := rising[n-1] + max(rising[n-1]-rising[n/2], 1) // by a guess
		return max(rising[n-1], min(scoreOf(m, r.FDR/float64(n)), beyond))
	}
	return rising[n-k-1] + (rising[n-k]-rising[n-k-1])/2
}

// score takes the array model, a file of fit, and the table or array X. It
// returns the scores of its rows, high for those that do not belong, and their
// p-values.
func score(ctx context.Context, q *request) (answer, error) {
	file := q.arrays["model"]
	if file == nil || file.DType != bytes1 {
		return answer{}, fmt.Errorf("worker: the array %q is missing: %w", "model", errRequest)
	}
	m, text, err := clean.ReadModel(bytes.NewReader(file.Bytes))
	if err != nil {
		return answer{}, err
	}
	e, err := table.ParseEncoding(text)
	if err != nil {
		return answer{}, err
	}
	if e.Dim() != m.Dim {
		return answer{}, fmt.Errorf("worker: a model of %d numbers a row with an encoding of %d: %w", m.Dim, e.Dim(), clean.ErrModel)
	}
	q.Encoding = text
	s, err := q.samples("X")
	if err != nil {
		return answer{}, err
	}
	scores, p, err := scored(ctx, m, s[0].points)
	return answer{modelAnswer{encodingAnswer: newEncodingAnswer(s[0])}, []Array{Floats("score", scores), Floats("p", p)}}, err
}

// scored are the scores and p-values of the rows of x.
func scored(ctx context.Context, m *clean.Model, x *ot.Points) (score, p []float64, err error) {
	score, p = make([]float64, x.Len()), make([]float64, x.Len())
	const block = 1024
	err = parallel.Try((x.Len()+block-1)/block, func(k int) error {
		scorer := m.NewScorer()
		for i := k * block; i < min((k+1)*block, x.Len()); i++ {
			score[i] = scorer.Score(x.Row(i))
			p[i] = m.P(score[i])
		}
		return ctx.Err()
	})
	return score, p, err
}

// scoreOf is the score from which on p-values by m are at most p; infinite where
// none are.
func scoreOf(m *clean.Model, p float64) float64 {
	low, high := 0.0, 1.0
	for m.P(high) > p {
		if low, high = high, 2*high; math.IsInf(high, 1) {
			return high
		}
	}
	for low < high {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if m.P(middle) <= p {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
