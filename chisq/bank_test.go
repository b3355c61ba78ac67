package chisq

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func newBank(t *testing.T, n int, rho float64) *Bank {
	t.Helper()
	b, err := NewBank(n, Ball{Rho: rho})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBank(t *testing.T) {
	b := newBank(t, 2, 0.125)
	if w := b.Weights(); !slices.Equal(w, []float64{1, 1}) {
		t.Fatalf("starts with %v", w)
	}
	if err := b.Update([]float64{3, 1}); err != nil {
		t.Fatal(err)
	}
	if d := diff(b.Weights(), []float64{0.5, 1.5}, 1e-15); d != "" {
		t.Error(d)
	}
	got, err := b.Gather(nil, []int{1, 1, 0})
	if d := diff(got, []float64{1.5, 1.5, 0.5}, 1e-15); d != "" || err != nil {
		t.Error(d, err)
	}
	b.Weights()[0] = 99
	if w := b.Weights()[0]; w == 99 {
		t.Error("Weights hands out the bank's own slice")
	}
	if b.Len() != 2 || b.Updates() != 1 || b.Ball().Rho != 0.125 {
		t.Errorf("len %d, %d updates, %v", b.Len(), b.Updates(), b.Ball())
	}
}

func TestBankErrors(t *testing.T) {
	b := newBank(t, 2, 0.125)
	if err := b.Update([]float64{3, 1}); err != nil {
		t.Fatal(err)
	}
	want := b.Weights()
	_, badRadius := NewBank(3, Ball{Rho: math.NaN()})
	_, empty := NewBank(0, Ball{})
	_, index := b.Gather(nil, []int{0, 2})
	_, negative := b.Gather(nil, []int{-1})
	_, short := b.Gather(make([]float64, 1), []int{0, 1})
	for _, tt := range []struct {
		name      string
		err, want error
	}{
		{"radius", badRadius, ErrRadius},
		{"empty", empty, ErrLength},
		{"too few scores", b.Update([]float64{1}), ErrLength},
		{"NaN score", b.Update([]float64{1, math.NaN()}), ErrScore},
		{"index", index, ErrLength},
		{"negative index", negative, ErrLength},
		{"short dst", short, ErrLength},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	if !slices.Equal(b.Weights(), want) || b.Updates() != 1 {
		t.Errorf("weights became %v after errors", b.Weights())
	}
}

// TestBankResume: a bank saved and restored in the middle goes on bit for bit
// as one that was not.
func TestBankResume(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	first, second := randomScores(r, "gauss", 333), randomScores(r, "outliers", 333)
	unbroken := newBank(t, 333, 0.1)
	if err := unbroken.Update(first); err != nil {
		t.Fatal(err)
	}
	data, err := unbroken.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var resumed Bank
	if err := resumed.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resumed.Weights(), unbroken.Weights()) {
		t.Error("restored weights differ")
	}
	for _, b := range []*Bank{unbroken, &resumed} {
		if err := b.Update(second); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := unbroken.MarshalBinary()
	b, _ := resumed.MarshalBinary()
	if !bytes.Equal(a, b) || resumed.Updates() != 2 {
		t.Errorf("banks differ after the second update (%d updates)", resumed.Updates())
	}
}

func TestBankDamagedState(t *testing.T) {
	good, err := newBank(t, 3, 0.1).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	damage := func(at int, b byte) []byte {
		d := slices.Clone(good)
		d[at] = b
		return d
	}
	for name, data := range map[string][]byte{
		"empty":        nil,
		"header only":  good[:8],
		"no weights":   good[:32],
		"truncated":    good[:len(good)-1],
		"one missing":  good[:len(good)-8],
		"other magic":  damage(0, 'x'),
		"bad radius":   damage(15, 0xff),
		"bad weight":   damage(len(good)-1, 0xbf), // −1
		"wrong weight": damage(len(good)-2, 0xe0), // ½
	} {
		b := newBank(t, 1, 7)
		if err := b.UnmarshalBinary(data); !errors.Is(err, ErrState) {
			t.Errorf("%s: error %v", name, err)
		}
		if b.Ball().Rho != 7 || b.Len() != 1 {
			t.Errorf("%s: the bank changed", name)
		}
	}
}

// TestBankBlendSeen: what is said of a sample that was set aside counts for
// little, so that it does not come back with the first good word.
func TestBankBlendSeen(t *testing.T) {
	b, err := NewBank(5, Ball{Rho: 0.125}) // room for one of five
	if err != nil {
		t.Fatal(err)
	}
	if err := b.BlendSeen([]float64{0, 0, 0, 0, 8}, 0.5, 0.25); err != nil {
		t.Fatal(err)
	}
	if w := b.Weights(); w[4] != 0 || math.Abs(w[0]-1.25) > 1e-12 {
		t.Fatalf("weights %v", w)
	}
	if err := b.BlendSeen([]float64{2, 0, 0, 0, 0}, 0.5, 0.25); err != nil {
		t.Fatal(err)
	}
	// Half of the new score where the sample counts, a quarter of a half where not.
	if got := b.Scores(); got[0] != 1 || got[1] != 0 || got[4] != 7 {
		t.Errorf("scores %v, want 1, 0, 0, 0, 7", got)
	}
	for _, bad := range [][2]float64{{1, 0.5}, {-0.1, 0.5}, {0.5, 1.5}, {0.5, -1}, {0.5, math.NaN()}} {
		if err := b.BlendSeen(make([]float64, 5), bad[0], bad[1]); !errors.Is(err, ErrState) {
			t.Errorf("keep %v, least %v: %v", bad[0], bad[1], err)
		}
	}
}

// TestBankBlend follows the running mean by hand, through a save in between.
func TestBankBlend(t *testing.T) {
	ball := Ball{Rho: 0.1}
	b, err := NewBank(3, ball)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct{ scores, mean []float64 }{
		{[]float64{4, 0, 0}, []float64{4, 0, 0}},
		{[]float64{0, 8, 0}, []float64{3, 2, 0}},
		{[]float64{0, 0, 4}, []float64{2.25, 1.5, 1}},
	} {
		if err := b.Blend(step.scores, 0.75); err != nil {
			t.Fatal(err)
		}
		want, err := ball.Minimize(nil, step.mean)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Weights(); !slices.Equal(got, want) {
			t.Errorf("after %d: got %v, want %v", i+1, got, want)
		}
		saved, err := b.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		b = &Bank{}
		if err := b.UnmarshalBinary(saved); err != nil {
			t.Fatal(err)
		}
		if err := b.UnmarshalBinary(saved[:len(saved)-8]); err == nil {
			t.Error("a bank without its last number was read")
		}
	}
	if err := b.Blend([]float64{1, 2}, 0.5); !errors.Is(err, ErrLength) {
		t.Errorf("two scores: got %v", err)
	}
	if err := b.Blend([]float64{1, 2, 3}, 1); !errors.Is(err, ErrState) {
		t.Errorf("keep 1: got %v", err)
	}
	if b.Updates() != 3 {
		t.Errorf("%d updates, want 3", b.Updates())
	}
}

// TestBankMix: the first weights are taken as they are, later ones are mixed,
// and weights outside the ball are moved into it.
func TestBankMix(t *testing.T) {
	b, err := NewBank(4, Ball{Rho: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	onBorder, err := Ball{Rho: 0.5}.Project(nil, []float64{4, 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		w    []float64
		keep float64
		want []float64
	}{
		{"first", []float64{2, 1, 1, 0}, 0.5, []float64{2, 1, 1, 0}},
		{"half", []float64{0, 1, 1, 2}, 0.5, []float64{1, 1, 1, 1}},
		{"replaced", []float64{2, 2, 0, 0}, 0, []float64{2, 2, 0, 0}},
		{"outside", []float64{4, 0, 0, 0}, 0, onBorder},
	} {
		if err := b.Mix(tt.w, tt.keep); err != nil {
			t.Fatal(err)
		}
		for i, v := range b.Weights() {
			if math.Abs(v-tt.want[i]) > 1e-9 {
				t.Errorf("%s: weights %v, want %v", tt.name, b.Weights(), tt.want)
				break
			}
		}
	}
	if b.Updates() != 4 {
		t.Errorf("%d updates, want 4", b.Updates())
	}
	before := b.Weights()
	for _, bad := range []struct {
		w    []float64
		keep float64
		want error
	}{{[]float64{1}, 0, ErrLength}, {[]float64{1, 1, 1, 1}, 1, ErrState}, {[]float64{1, 1, 1, math.NaN()}, 0, ErrWeights}} {
		if err := b.Mix(bad.w, bad.keep); !errors.Is(err, bad.want) {
			t.Errorf("%v, %g: %v, want %v", bad.w, bad.keep, err, bad.want)
		}
	}
	if !slices.Equal(b.Weights(), before) {
		t.Error("a refused Mix changed the weights")
	}
}

// TestBankSetBall: from the next update on the weights stay in the new ball.
func TestBankSetBall(t *testing.T) {
	b, err := NewBank(4, Ball{})
	if err != nil {
		t.Fatal(err)
	}
	if b.Scores() != nil {
		t.Error("scores before the first Blend")
	}
	scores := []float64{0, 1, 2, 3}
	if err := b.Blend(scores, 0.5); err != nil {
		t.Fatal(err)
	}
	if got := b.Weights(); !slices.Equal(got, []float64{1, 1, 1, 1}) || !slices.Equal(b.Scores(), scores) {
		t.Errorf("weights %v for a ball of radius 0, scores %v", got, b.Scores())
	}
	if err := b.SetBall(Ball{Rho: -1}); err == nil || b.Ball().Rho != 0 {
		t.Errorf("a radius of −1: %v", err)
	}
	if err := b.SetBall(Ball{Rho: 0.1}); err != nil {
		t.Fatal(err)
	}
	if err := b.Update(b.Scores()); err != nil {
		t.Fatal(err)
	}
	want, err := Ball{Rho: 0.1}.Minimize(nil, scores)
	if err != nil || !slices.Equal(b.Weights(), want) {
		t.Errorf("weights %v, want %v: %v", b.Weights(), want, err)
	}
}
