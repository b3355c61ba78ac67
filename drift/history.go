package drift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrHistory is wrapped by errors about a text that is no history.
var ErrHistory = errors.New("is not a line of rot drift")

// A Record is a comparison in a few numbers: a line of a history, which is a
// text of JSON objects.
type Record struct {
	Time      string  // in the form of RFC 3339
	Reference string  // name of the reference
	New       string  // name of what was compared with it
	Verdict   Verdict // and what it rests on
	PMoved    float64
	PDirty    float64
	Effect    float64
	Suspects  int
	N, M      int // rows of the reference and of the new sample
}

// NewRecord returns the record of a result: that of m new rows beside n rows of
// the reference.
func NewRecord(r *Result, reference, fresh string, n, m int, when time.Time) Record {
	return Record{
		Time: when.UTC().Format(time.RFC3339), Reference: reference, New: fresh,
		Verdict: r.Verdict, PMoved: r.PMoved, PDirty: r.PDirty, Effect: r.Effect, Suspects: len(r.Suspects), N: n, M: m,
	}
}

// historyLine is a Record as JSON has it.
type historyLine struct {
	Time     string   `json:"time"`
	Ref      string   `json:"reference"`
	New      string   `json:"new"`
	Verdict  Verdict  `json:"verdict"`
	PMoved   float64  `json:"p_moved"`
	PDirty   float64  `json:"p_dirty"`
	Effect   *float64 `json:"effect"` // null where it is not finite
	Suspects int      `json:"suspects"`
	N        int      `json:"n"`
	M        int      `json:"m"`
}

// WriteTo writes r as a line of a history. It implements io.WriterTo.
func (r Record) WriteTo(w io.Writer) (int64, error) {
	h := historyLine{r.Time, r.Reference, r.New, r.Verdict, r.PMoved, r.PDirty, &r.Effect, r.Suspects, r.N, r.M}
	if math.IsNaN(r.Effect) || math.IsInf(r.Effect, 0) {
		h.Effect = nil
	}
	line, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(line, '\n'))
	return int64(n), err
}

// A HistoryError is a line of a history that cannot be read. It wraps
// ErrHistory.
type HistoryError struct{ Line int } // counted from 1

func (e *HistoryError) Error() string { return fmt.Sprintf("drift: line %d %v", e.Line, ErrHistory) }

// Unwrap implements the errors package.
func (e *HistoryError) Unwrap() error { return ErrHistory }

// A History is the records of earlier comparisons, the oldest first.
type History struct {
	Records []Record
	text    []byte // as it was found, with a line break at its end
}

// ParseHistory reads a history, which may be empty. Its error is a
// *HistoryError.
func ParseHistory(text []byte) (*History, error) {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(slices.Clone(text), '\n')
	}
	past := &History{text: text}
	for k, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var h historyLine
		if err := json.Unmarshal(line, &h); err != nil || h.Verdict == "" {
			return nil, &HistoryError{k + 1}
		}
		r := Record{Time: h.Time, Reference: h.Ref, New: h.New, Verdict: h.Verdict, PMoved: h.PMoved, PDirty: h.PDirty, Suspects: h.Suspects, N: h.N, M: h.M}
		if h.Effect != nil {
			r.Effect = *h.Effect
		}
		past.Records = append(past.Records, r)
	}
	return past, nil
}

// WriteWith writes the history as it was found, and one more record.
func (h *History) WriteWith(w io.Writer, r Record) error {
	if _, err := w.Write(h.text); err != nil {
		return err
	}
	_, err := r.WriteTo(w)
	return err
}

// WriteOpenMetrics writes what Prometheus' textfile collector reads: the last
// comparison and whether it raised an alarm.
func (r Record) WriteOpenMetrics(w io.Writer, alarm bool) error {
	names := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	labels := fmt.Sprintf(`{reference="%s",new="%s"}`, names.Replace(r.Reference), names.Replace(r.New))
	one := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	when, err := time.Parse(time.RFC3339, r.Time)
	if err != nil {
		return fmt.Errorf("drift: the time of a record: %w", err)
	}
	for _, m := range []struct {
		name, help string
		value      float64
	}{
		{"p_moved", "How likely bulks that are the same look as different.", r.PMoved},
		{"p_dirty", "How likely samples without foreign rows have as many that stand out.", r.PDirty},
		{"effect", "Transport distance in units of the noise of the reference.", r.Effect},
		{"suspects", "Rows that do not belong.", float64(r.Suspects)},
		{"moved", "1 when the bulk has moved.", one(r.Verdict == Moved)},
		{"dirty", "1 when the bulk is the same and some rows do not belong.", one(r.Verdict == Dirty)},
		{"alarm", "1 when the alarm was raised.", one(alarm)},
		{"rows", "Rows of the new sample.", float64(r.M)},
		{"timestamp_seconds", "When the samples were compared.", float64(when.Unix())},
	} {
		if _, err := fmt.Fprintf(w, "# HELP rot_drift_%[1]s %[2]s\n# TYPE rot_drift_%[1]s gauge\nrot_drift_%[1]s%[3]s %[4]s\n", m.name, m.help, labels, strconv.FormatFloat(m.value, 'g', -1, 64)); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "# EOF\n")
	return err
}
