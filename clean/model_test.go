package clean

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// TestModel fits a model to dirty rows and scores others, which it has not seen.
func TestModel(t *testing.T) {
	x, fresh := dirty(1500, 1), dirty(1500, 2)
	m, err := Fit(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file, []byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	again, encoding, err := ReadModel(bytes.NewReader(file.Bytes()))
	if err != nil || string(encoding) != `{"a":1}` {
		t.Fatalf("read %v, encoding %q", err, encoding)
	}
	a, b := m.NewScorer(), again.NewScorer()
	var tally Tally
	score := make([]float64, fresh.Len())
	marks := make([]bool, fresh.Len())
	for i := range score {
		score[i], marks[i] = a.Score(fresh.Row(i)), i%40 == 7
		if got := b.Score(fresh.Row(i)); got != score[i] {
			t.Fatalf("row %d scores %v, after a file %v", i, score[i], got)
		}
		if p := again.P(score[i]); p != m.P(score[i]) || p <= 0 || p > 1 {
			t.Fatalf("row %d has p-values %v and %v", i, m.P(score[i]), p)
		}
		tally.Add(m.P(score[i]))
	}
	if auroc, err := metrics.AUROC(score, marks); err != nil || auroc < 0.95 {
		t.Errorf("AUROC %v, %v", auroc, err)
	}
	// What Find says of the same rows is much the same.
	like := find(t, fresh, &Options{Gamma: 0.1})
	if r := correlation(score, like.Score); r < 0.95 {
		t.Errorf("scores of the model and of Find correlate with %v", r)
	}
	cut, suspects := tally.Cut(0.9)
	count := 0
	for _, s := range score {
		if suspects > 0 && m.P(s) <= cut { // rounding up puts no row beyond the cut
			count++
		}
	}
	if count != suspects {
		t.Errorf("%d rows up to the cut, %d suspects", count, suspects)
	}
	got := again.Causes(fresh.Row(7), 3)
	if len(got) == 0 || got[0].Column != 0 && got[0].Column != 3 {
		t.Errorf("causes %+v of a row that is far in column 0", got)
	}
}

func correlation(x, y []float64) float64 {
	mx, sx := moments(x)
	my, sy := moments(y)
	var sum float64
	for i := range x {
		sum += (x[i] - mx) * (y[i] - my)
	}
	return sum / float64(len(x)) / (sx * sy)
}

// TestModelP: the p-values of rows of the same kind are at most t with a
// probability of about t.
func TestModelP(t *testing.T) {
	m, err := Fit(context.Background(), cloud(4000, 5, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, fresh := m.NewScorer(), cloud(4000, 5, 2)
	for _, level := range []float64{0.05, 0.2, 0.5} {
		part := 0.
		for i := range fresh.Len() {
			if m.P(s.Score(fresh.Row(i))) <= level {
				part += 1. / 4000
			}
		}
		if math.Abs(part-level) > 0.25*level {
			t.Errorf("%v of the p-values are at most %v", part, level)
		}
	}
}

func TestBadModel(t *testing.T) {
	m, err := Fit(context.Background(), cloud(100, 3, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file, nil); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	damaged := bytes.Clone(good)
	damaged[len(damaged)-3]++
	for name, bad := range map[string][]byte{
		"empty": nil, "short": good[:7], "half": good[:len(good)/2], "damaged": damaged,
		"version": bytes.Replace(good, []byte(`"version":"1"`), []byte(`"version":"9"`), 1),
		"other":   bytes.Replace(good, []byte(modelFormat), []byte("rot-other-model"), 1),
		"shape":   bytes.Replace(good, []byte(`"shape":[3,2]`), []byte(`"shape":[9,2]`), -1),
		"length":  append([]byte{255, 255, 255, 255, 255, 255, 255, 127}, good[8:]...),
	} {
		if _, _, err := ReadModel(bytes.NewReader(bad)); !errors.Is(err, ErrModel) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Fit(context.Background(), cloud(7, 3, 1), nil); err == nil {
		t.Error("a model of seven rows")
	}
}

func FuzzReadModel(f *testing.F) {
	m, err := Fit(context.Background(), cloud(20, 2, 1), nil)
	if err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		m, _, err := ReadModel(bytes.NewReader(b))
		if err == nil {
			m.NewScorer().Score(make([]float64, m.Dim))
		}
	})
}

func BenchmarkScore(b *testing.B) {
	m, err := Fit(context.Background(), cloud(5000, 20, 1), nil)
	if err != nil {
		b.Fatal(err)
	}
	s, x := m.NewScorer(), cloud(1000, 20, 2)
	for i := 0; b.Loop(); i++ {
		s.Score(x.Row(i % 1000))
	}
}

// TestModelOfFewDifferentRows has scores that are numbers, whatever repeats.
func TestModelOfFewDifferentRows(t *testing.T) {
	for _, different := range []int{1, 2, 3} {
		x := &ot.Points{Dim: 2}
		for i := range 50 {
			x.Coords = append(x.Coords, float64(i%different), 1)
		}
		m, err := Fit(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := m.NewScorer()
		for i := range x.Len() {
			if v := s.Score(x.Row(i)); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%d different rows: row %d has the score %v", different, i, v)
			}
		}
	}
}
