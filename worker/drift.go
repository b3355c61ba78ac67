package worker

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"

	"rot.example/rot/drift"
	"rot.example/rot/page"
)

// A driftAnswer is the args of the "result" of drift, named as rot drift names
// them.
type driftAnswer struct {
	Verdict      drift.Verdict `json:"verdict"`
	Sentence     string        `json:"sentence"` // the verdict in words
	PMoved       float64       `json:"p_moved"`
	PDirty       float64       `json:"p_dirty"`
	Effect       number        `json:"effect"`
	Distance     number        `json:"distance"`
	Noise        number        `json:"noise"`
	Suspects     []int         `json:"suspects"` // their rows, the worst first
	Columns      []driftColumn `json:"columns"`
	Statistics   []driftColumn `json:"statistics"`
	SetAside     [2]int        `json:"set_aside"`
	Tested       [2]int        `json:"tested"`
	Permutations int           `json:"permutations"`
	Dim          int           `json:"dim"`
	encodingAnswer
}

// A driftColumn is a column and how surely it moved; of statistics there are
// the name and p only.
type driftColumn struct {
	Name      string  `json:"name"`
	P         float64 `json:"p"`
	Adjusted  float64 `json:"p_adjusted"`
	Effect    number  `json:"effect"`
	Direction string  `json:"direction"`
	Text      string  `json:"text"`
}

// compare takes the tables or arrays X, the reference, and Y, and alpha, fdr,
// permutations, rows, unscaled and seed. The array result is for drift_page.
func compare(ctx context.Context, q *request) (answer, error) {
	s, err := q.samples("X", "Y")
	if err != nil {
		return answer{}, err
	}
	reference, fresh, e := s[0].points, s[1].points, s[0].encoding
	r, err := drift.Compare(ctx, reference, fresh, &drift.Options{
		Columns: drift.ColumnsOf(e), Alpha: float64(q.Alpha), FDR: float64(q.FDR), Permutations: q.Permutations, Rows: q.Rows, Unscaled: q.Unscaled,
		Seed: q.Seed, Progress: q.stage("comparing"),
	})
	if err != nil {
		return answer{}, err
	}
	j := &driftAnswer{
		Verdict: r.Verdict, Sentence: page.DriftVerdict(r), PMoved: r.PMoved, PDirty: r.PDirty, Effect: number(r.Effect), Distance: number(r.Distance), Noise: number(r.Noise),
		Suspects: append([]int{}, r.Suspects...), SetAside: r.SetAside, Tested: r.Tested, Permutations: r.Permutations, Dim: fresh.Dim, encodingAnswer: newEncodingAnswer(s...),
	}
	for _, c := range r.Columns {
		j.Columns = append(j.Columns, driftColumn{c.Name, c.P, c.Adjusted, number(c.Effect), c.Direction, c.Text})
	}
	for _, c := range r.Statistics {
		j.Statistics = append(j.Statistics, driftColumn{Name: c.Name, P: c.P})
	}
	a := answer{args: j}
	row, nearest := make([]int32, len(r.Blame)), make([]int32, len(r.Blame))
	score, p := make([]float64, len(r.Blame)), make([]float64, len(r.Blame))
	for k, b := range r.Blame {
		row[k], nearest[k], score[k], p[k] = int32(b.Row), int32(b.Nearest), b.Score, b.P
	}
	var kept bytes.Buffer
	if err := gob.NewEncoder(&kept).Encode(r); err != nil {
		return answer{}, err
	}
	a.arrays = []Array{Ints("row", row), Ints("nearest", nearest), Floats("score", score), Floats("p", p), Bytes("result", kept.Bytes())}
	return a, nil
}

// driftPage takes what drift takes and the array result of its answer. It
// returns the page as the array html.
func driftPage(_ context.Context, q *request) (answer, error) {
	kept, r := q.arrays["result"], &drift.Result{}
	if kept == nil || gob.NewDecoder(bytes.NewReader(kept.Bytes)).Decode(r) != nil {
		return answer{}, fmt.Errorf("worker: a page needs the answer that it shows: %w", errRequest)
	}
	s, err := q.samples("X", "Y")
	if err != nil {
		return answer{}, err
	}
	e := s[0].encoding
	html, err := drawn(page.Drift(r, &page.DriftOptions{
		Encoding: e.Summary(), Reference: q.shown(0, s[0]), New: q.shown(1, s[1]), Columns: drift.ColumnsOf(e), Alpha: float64(q.Alpha), Seed: q.Seed,
	}))
	return answer{arrays: []Array{html}}, err
}
