package clean

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteCSV writes id,score,weight,rank,dropped of every row, in their order;
// dropped is 1 for a suspect. id names a row.
func (r *Result) WriteCSV(w io.Writer, id func(i int) string) error {
	lines := csv.NewWriter(w)
	if err := lines.Write([]string{"id", "score", "weight", "rank", "dropped"}); err != nil {
		return err
	}
	for i := range r.Score {
		dropped := "0"
		if r.Suspect[i] {
			dropped = "1"
		}
		if err := lines.Write([]string{
			id(i), strconv.FormatFloat(r.Score[i], 'g', -1, 64), strconv.FormatFloat(r.Weight[i], 'g', -1, 64), strconv.Itoa(r.Rank[i]), dropped,
		}); err != nil {
			return err
		}
	}
	lines.Flush()
	return lines.Error()
}

// WriteSuspects lists the ids of the suspects, the worst first, one a line.
func (r *Result) WriteSuspects(w io.Writer, id func(i int) string) error {
	for _, i := range r.Order() {
		if !r.Suspect[i] {
			continue
		}
		if err := writeID(w, id(i)); err != nil {
			return err
		}
	}
	return nil
}

// WriteKept lists the ids of the other rows in their order, one a line.
func (r *Result) WriteKept(w io.Writer, id func(i int) string) error {
	for i, dropped := range r.Suspect {
		if dropped {
			continue
		}
		if err := writeID(w, id(i)); err != nil {
			return err
		}
	}
	return nil
}

// writeID writes an id on a line of its own, quoted if it would take several.
func writeID(w io.Writer, id string) error {
	if strings.ContainsFunc(id, unicode.IsControl) {
		id = strconv.Quote(id)
	}
	_, err := io.WriteString(w, id+"\n")
	return err
}
