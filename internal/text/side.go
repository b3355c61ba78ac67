package text

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
)

// Side appends to b which rows of a side lost their weight. The table names them;
// it is nil for a cost matrix.
func Side(b *strings.Builder, s *ot.Side, rows *dataset.Table) {
	if !s.Moves {
		return
	}
	if s.Weights == nil {
		fmt.Fprintf(b, "\nNo %s row is worth moving.\n", s.Name)
		return
	}
	if s.Low == 0 {
		fmt.Fprintf(b, "\nNo %s row stands out: the lowest weight is %s.\n", s.Name, words.Digits(s.Lowest(), 3))
		return
	}
	fmt.Fprintf(b, "\n%s of %s %s rows lose most of their weight (it falls below %v), %s of them all of it.\n",
		words.Count(s.Low), words.Count(s.Counted), s.Name, ot.LowWeight, words.CountOrNone(s.Dropped))
	fmt.Fprintf(b, "The weights are worth %s equal rows. The most suspicious rows, worst first:\n", words.Count(int(math.Round(s.ESS))))
	t := Table{Head: []string{"row", "weight", "nearest " + map[string]string{"source": "target", "target": "source"}[s.Name]}, Left: []bool{false, false, false}}
	hasID := rows != nil && rows.Points.IDs != nil
	hasLabel := rows != nil && rows.Labels != nil
	if hasID {
		t.Head, t.Left = append(t.Head, "id"), append(t.Left, true)
	}
	if hasLabel {
		t.Head, t.Left = append(t.Head, "label"), append(t.Left, true)
	}
	for _, r := range s.Suspects {
		cells := []string{fmt.Sprint(r.Row), words.Digits(r.Weight, 3), words.Digits(r.Nearest, 4)}
		if hasID {
			cells = append(cells, words.Fit(rows.Points.ID(r.Row), 40))
		}
		if hasLabel {
			cells = append(cells, words.Fit(rows.Labels[r.Row], 40))
		}
		t.Add(cells...)
	}
	t.AppendTo(b)
	b.WriteString(labelled(s, rows))
}

// labelled compares the rows of low weight with two-valued labels.
func labelled(s *ot.Side, rows *dataset.Table) string {
	if rows == nil || rows.Labels == nil {
		return ""
	}
	label, ok := positive(rows)
	if !ok {
		return ""
	}
	var hit, all int
	for i, w := range s.Weights {
		if rows.Labels[i] == label && s.Base[i] > 0 {
			if all++; w < ot.LowWeight {
				hit++
			}
		}
	}
	return fmt.Sprintf("Label %s: %s of the %s rows below %v, %s of all %s rows.\n",
		words.Fit(label, 40), words.Count(hit), words.Count(s.Low), ot.LowWeight, words.Count(all), words.Count(s.Counted))
}

// positive is the label that marks outliers when there are two: 1 or true, or
// else the rarer one.
func positive(t *dataset.Table) (string, bool) {
	labels := t.LabelCounts()
	if len(labels) != 2 {
		return "", false
	}
	if marks, err := t.Marks(); err == nil && slices.Contains(marks, true) {
		return t.Labels[slices.Index(marks, true)], true
	}
	return labels[1].Label, true
}
