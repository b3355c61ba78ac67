package drift

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestHistory: records come back as they were written, and a line that is none
// is named.
func TestHistory(t *testing.T) {
	when := time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC)
	a := NewRecord(&Result{Verdict: Moved, PMoved: 0.01, PDirty: 0.5, Effect: 3.25, Suspects: []int{4, 7}}, "ref.csv", "new.csv", 80, 60, when)
	b := NewRecord(&Result{Verdict: Same, PMoved: 0.7, PDirty: 1, Effect: math.Inf(1)}, "ref.csv", "next.csv", 80, 61, when)
	var one, text bytes.Buffer
	if _, err := a.WriteTo(&one); err != nil {
		t.Fatal(err)
	}
	// The line break at the end may be missing.
	past, err := ParseHistory(bytes.TrimSuffix(one.Bytes(), []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	if err := past.WriteWith(&text, b); err != nil {
		t.Fatal(err)
	}
	got, err := ParseHistory(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	b.Effect = 0 // JSON has no infinity
	if want := []Record{a, b}; !reflect.DeepEqual(got.Records, want) {
		t.Errorf("got %+v, want %+v", got.Records, want)
	}
	var bad *HistoryError
	if _, err := ParseHistory(append(text.Bytes(), "{}\n"...)); !errors.As(err, &bad) || bad.Line != 3 || !errors.Is(err, ErrHistory) {
		t.Errorf("got %v, want line 3", err)
	}
}

// TestOpenMetrics: names cannot break out of their quotes, and the text ends as
// the format asks.
func TestOpenMetrics(t *testing.T) {
	r := NewRecord(&Result{Verdict: Dirty, PMoved: 0.25, Suspects: []int{1}}, `a"b`, "c\nd", 10, 20, time.Unix(1_800_000_000, 0))
	var b strings.Builder
	if err := r.WriteOpenMetrics(&b, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`rot_drift_p_moved{reference="a\"b",new="c\nd"} 0.25`, `rot_drift_dirty{reference="a\"b",new="c\nd"} 1`, `rot_drift_moved{reference="a\"b",new="c\nd"} 0`,
		`rot_drift_alarm{reference="a\"b",new="c\nd"} 1`, `rot_drift_rows{reference="a\"b",new="c\nd"} 20`, `rot_drift_timestamp_seconds{reference="a\"b",new="c\nd"} 1.8e+09`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("%s is not in\n%s", want, b.String())
		}
	}
	if !strings.HasSuffix(b.String(), "\n# EOF\n") {
		t.Errorf("ends in %q", b.String()[b.Len()-10:])
	}
}
