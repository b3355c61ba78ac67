package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func feed(t *testing.T, s *series, text string) {
	t.Helper()
	if err := s.update(strings.NewReader(text), int64(len(text))); err != nil {
		t.Fatal(err)
	}
}

func TestSeries(t *testing.T) {
	s := newSeries()
	text := `{"step": 1, "a": 1, "name": "x", "none": null}
{"step": 2, "a": 2, "b": -1}
`
	feed(t, s, text+`{"step": 3, "a"`) // being written
	first := s.since("", 0)
	if got := dump(t, first); got != `a[1,2] b[null,-1] step[1 2] from 0 of 2 skipped 0` {
		t.Error(got)
	}
	text += "{\"step\": 3, \"a\": 3}\n"
	feed(t, s, text)
	next := s.since(first.Version, 1)
	if got := dump(t, next); got != `a[2,3] b[-1,null] step[2 3] from 1 of 3 skipped 0` || next.Version != first.Version {
		t.Error(got)
	}
	// Who has something else, or cannot have it, gets everything.
	for _, have := range []struct {
		version string
		from    int
	}{{"other", 2}, {first.Version, 4}, {"", 1}} {
		if got := s.since(have.version, have.from); got.From != 0 || len(got.Step) != 3 {
			t.Errorf("%+v: from %d, %d points", have, got.From, len(got.Step))
		}
	}
	// Lines that are no records are passed over and counted.
	text += "rubbish\n[1]\n{\"a\": 1}\n{\"step\": 2, \"a\": 9}\n{\"step\": 3.5}\n{\"step\": -1}\n\n" +
		`{"step": 4, "a": "` + strings.Repeat("x", 3*mostLine) + "\"}\n" + `{"step": 5, "a": 5}` + "\n"
	feed(t, s, text)
	if got := dump(t, s.since(first.Version, 2)); got != `a[3,5] b[null,null] step[3 5] from 2 of 4 skipped 8` {
		t.Error(got)
	}
	// A log that was cut, or written anew, is another one.
	feed(t, s, text[:len(text)-5])
	if got := s.since(first.Version, 4); got.Version == first.Version || got.From != 0 || got.Total != 3 {
		t.Errorf("cut: %+v", got)
	}
	was := s.version
	feed(t, s, strings.Replace(text, `{"step": 5, "a": 5}`, `{"step": 6, "a": 6}`, 1))
	if s.version != was || s.points[len(s.points)-1].step != 6 {
		t.Errorf("what was not yet there: %+v", s.points)
	}
	feed(t, s, strings.Repeat("{\"step\": 7, \"a\": 8}\n", 4+len(text)/20))
	if s.version == was || s.points[0].step != 7 {
		t.Error("a log that was written anew passes for the old one")
	}
}

func dump(t *testing.T, c *curves) string {
	t.Helper()
	var out []string
	for _, name := range []string{"a", "b"} {
		for _, k := range c.Curves {
			if k.Name == name {
				text, err := json.Marshal(k.Mean)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, name+string(text))
			}
		}
	}
	return fmt.Sprintf("%s step%v from %d of %d skipped %d", strings.Join(out, " "), c.Step, c.From, c.Total, c.Skipped)
}

// TestSeriesThin compares a thinned series with the means and ranges of its
// records, however they come in.
func TestSeriesThin(t *testing.T) {
	const n = 5*mostPoints + 321
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n)
	var text bytes.Buffer
	s := newSeries()
	for i := range n {
		values[i] = rng.NormFloat64()
		fmt.Fprintf(&text, "{\"step\": %d, \"a\": %v}\n", 10*i, values[i])
		if rng.IntN(500) == 0 {
			feed(t, s, text.String())
		}
	}
	feed(t, s, text.String())
	c := s.since("", 0)
	if c.Stride != 8 || len(c.Step) != (n+7)/8 || len(c.Step) > mostPoints {
		t.Fatalf("stride %d, %d points", c.Stride, len(c.Step))
	}
	for k, step := range c.Step {
		part := values[8*k : min(n, 8*k+8)]
		lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
		for _, v := range part {
			lo, hi, mean = min(lo, v), max(hi, v), mean+v/float64(len(part))
		}
		a := c.Curves[0]
		if step != 10*(8*k+len(part)-1) || float64(a.Low[k]) != lo || float64(a.High[k]) != hi || math.Abs(float64(a.Mean[k])-mean) > 1e-12 {
			t.Fatalf("point %d: step %d, %v in [%v, %v], want %v in [%v, %v]", k, step, a.Mean[k], a.Low[k], a.High[k], mean, lo, hi)
		}
	}
}

// TestSeriesFields: a log with many fields does not fill the memory.
func TestSeriesFields(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "{\"step\": %d, \"f%d\": 1}\n", i, i)
	}
	s := newSeries()
	feed(t, s, text.String())
	if len(s.names) != mostFields || len(s.points) != 300 {
		t.Errorf("%d fields, %d points", len(s.names), len(s.points))
	}
}
