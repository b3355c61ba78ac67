package da

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBalance: every class has its share of the mass under the weights, each row sums to
// 1, and the rows of a sample are those of p up to factors of the classes.
func TestBalance(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p, w := make([][]float64, 200), make([]float64, 200)
	for i := range p {
		p[i] = []float64{rng.Float64() + 0.01, 3 * rng.Float64(), 0.2 * rng.Float64()}
		normalize(p[i])
		if w[i] = 2 * rng.Float64(); i%10 == 0 {
			w[i], p[i] = 0, []float64{1, 0, 0} // garbage, sure of itself
		}
	}
	before := cloneRows(p)
	share := []float64{0.5, 0.3, 0.2}
	out := balance(p, w, share, 1)
	mass, total := make([]float64, 3), 0.0
	for i, row := range out {
		sum := 0.0
		for j, v := range row {
			mass[j] += w[i] * v
			sum += v
		}
		total += w[i]
		if math.Abs(sum-1) > 1e-12 || !slices.Equal(p[i], before[i]) {
			t.Fatalf("row %d: %v from %v, which sums to %v", i, row, p[i], sum)
		}
	}
	for j, m := range mass {
		if math.Abs(m/total-share[j]) > 1e-6 {
			t.Errorf("class %d has %v of the mass, want %v", j, m/total, share[j])
		}
	}
	// The factors: those of two rows without zeros agree.
	ratio := func(i int) float64 { return out[i][0] / out[i][1] / (p[i][0] / p[i][1]) }
	whole := ratio(1)
	if b := ratio(2); math.Abs(whole-b) > 1e-9*whole {
		t.Errorf("factors %v and %v", whole, b)
	}
	out = balance(p, w, share, 0.5)
	if half := ratio(1); math.Abs(half*half-whole) > 1e-9*whole {
		t.Errorf("half way the factor is %v, all the way %v", half, whole)
	}
}

// TestBalanceMissingClass: a class that nobody predicts stays without samples,
// and the others are finite.
func TestBalanceMissingClass(t *testing.T) {
	for _, row := range balance([][]float64{{0.9, 0.1, 0}, {0.2, 0.8, 0}}, []float64{1, 1}, []float64{0.4, 0.4, 0.2}, 1) {
		if math.Abs(row[0]+row[1]-1) > 1e-12 || row[2] != 0 {
			t.Errorf("got %v", row)
		}
	}
}

// TestClassShares: they are even, unless a class of the source is rare.
func TestClassShares(t *testing.T) {
	labels := make([]int32, 100)
	for i := range 6 {
		labels[i] = 1 // 6 % of two classes, of which an even share is 50 %
	}
	if got := classShares(labels, 2); got[0] != 0.5 || got[1] != 0.5 {
		t.Errorf("6 of 100: %v", got)
	}
	for i := range 2 {
		labels[i] = 0
	}
	if got := classShares(labels, 2); math.Abs(got[1]-0.04) > 1e-12 || math.Abs(got[0]-0.96) > 1e-12 {
		t.Errorf("4 of 100: %v", got)
	}
}

// TestPropagate: two chains of samples, each with one that is labelled surely,
// take its label; a pair of samples is worked out by hand.
func TestPropagate(t *testing.T) {
	link := func(g neighbourhood, i, j int) {
		g[i], g[j] = append(g[i], edge{int32(j), 1}), append(g[j], edge{int32(i), 1})
	}
	g := make(neighbourhood, 6)
	for _, e := range [][2]int{{0, 1}, {1, 2}, {3, 4}, {4, 5}} {
		link(g, e[0], e[1])
	}
	p := [][]float64{{1, 0}, {0.5, 0.5}, {0.5, 0.5}, {0, 1}, {0.5, 0.5}, {0.5, 0.5}}
	for i, row := range g.propagate(p) {
		if want := i / 3; largest(row) != want || math.Abs(row[0]+row[1]-1) > 1e-12 {
			t.Errorf("sample %d has %v, want class %d", i, row, want)
		}
	}
	// By hand: D = (1, 1), S swaps the two, and after 20 rounds of
	// F₀ = 0.9·F₁ + 0.1·p₀ the first has 0.1·(1 + 0.9² + … ) of its own.
	pair := make(neighbourhood, 2)
	link(pair, 0, 1)
	got := pair.propagate([][]float64{{1, 0}, {0, 1}})[0]
	own := 0.1*(1-math.Pow(0.9, 20))/(1-0.81) + math.Pow(0.9, 20)
	if math.Abs(got[0]-own) > 1e-12 {
		t.Errorf("of a pair the first has %v, want %v", got, own)
	}
	if got := (neighbourhood{nil}).propagate([][]float64{{0.3, 0.7}})[0]; math.Abs(got[1]-0.7) > 1e-12 {
		t.Errorf("a sample without neighbours has %v", got)
	}
}

// TestNeighbourhood compares the graph with one that is worked out pair by pair,
// in several parts.
func TestNeighbourhood(t *testing.T) {
	t.Parallel()
	c := config(t, 12)
	d := load(t, &c)
	tr, _ := newTrainer(t, c, d)
	at := rand.New(rand.NewPCG(1, 1)).Perm(d.Target.N)[:100]
	g := make(neighbourhood, d.Target.N)
	dim := d.Target.Shape[0]
	if err := tr.connect(t.Context(), g, d.Target.Rows, dim, at); err != nil {
		t.Fatal(err)
	}
	cosine := func(i, j int) (c float64) {
		a, b := direction(d.Target.Rows[i*dim:(i+1)*dim]), direction(d.Target.Rows[j*dim:(j+1)*dim])
		for k := range a {
			c += float64(a[k]) * float64(b[k])
		}
		return c
	}
	nearer := func(i, j int) (n int) { // samples that are nearer to i than j is
		for _, k := range at {
			if k != i && k != j && cosine(i, k) > cosine(i, j)+1e-5 {
				n++
			}
		}
		return n
	}
	for i, edges := range g {
		if !slices.Contains(at, i) {
			if len(edges) > 0 {
				t.Fatalf("sample %d of another part has edges", i)
			}
			continue
		}
		if len(edges) < neighbours || !slices.IsSortedFunc(edges, func(a, b edge) int { return int(a.to - b.to) }) {
			t.Fatalf("sample %d has the edges %v", i, edges)
		}
		for _, e := range edges {
			j := int(e.to)
			if i == j || math.Abs(float64(e.cosine)-cosine(i, j)) > 1e-5 || min(nearer(i, j), nearer(j, i)) >= neighbours {
				t.Errorf("edge from %d: %+v, the cosine is %v, nearer are %d and %d", i, e, cosine(i, j), nearer(i, j), nearer(j, i))
			}
			if !slices.ContainsFunc(g[j], func(b edge) bool { return int(b.to) == i && b.cosine == e.cosine }) {
				t.Errorf("edge from %d to %d has no way back", i, j)
			}
		}
	}
}

// TestAgreement: by hand, on a path of three of which the last has no weight.
func TestAgreement(t *testing.T) {
	g := neighbourhood{{{1, 1}}, {{0, 1}, {2, 0.5}}, {{1, 0.5}}}
	p := [][]float64{{1, 0}, {0.8, 0.2}, {0, 1}}
	for _, tt := range []struct {
		w    []float64
		want float64
	}{
		{nil, (0.8 + (0.8+0.5*0.2)/1.5 + 0.2) / 3},
		{[]float64{1, 1, 0}, 0.8},
		{[]float64{0, 0, 0}, 0},
	} {
		if got := g.agreement(p, tt.w); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("weights %v: %v, want %v", tt.w, got, tt.want)
		}
	}
}

// TestSelectNeighbours: the model that is picked has the best score of those
// looked at.
func TestSelectNeighbours(t *testing.T) {
	t.Parallel()
	c := config(t, 12)
	c.Select = Neighbours
	tr, run := newTrainer(t, c, load(t, &c))
	best, at := 0.0, 0
	if err := tr.Run(t.Context(), run, &RunOptions{Hooks: Hooks{Eval: func(step int, e *Evaluation) {
		if e.Score >= best {
			best, at = e.Score, step
		}
	}}}); err != nil {
		t.Fatal(err)
	}
	if got := tr.Result(); got.SelectedAt != at || !(best > 0 && best <= math.Log(3)+1e-9) {
		t.Errorf("picked step %d, the best score %v is that of step %d", got.SelectedAt, best, at)
	}
}

// TestSelfTraining: where a classifier of the source is wrong about a part of
// every cluster of the target, the neighbours know better, and the networks
// learn it from them; rows of garbage do not get in the way.
func TestSelfTraining(t *testing.T) {
	t.Parallel()
	c := config(t, 12)
	c.Target = blobsAt(t, "target", 300, 30, [3]float64{-9, -9, 9}, 0, 2)
	c.SelfTrain, c.Steps, c.SelfFrom, c.Entropy, c.Rho = 1, 120, 60, 0, 0.06
	d := load(t, &c)
	tr, run := newTrainer(t, c, d)
	var losses []float64
	if err := tr.Run(context.Background(), run, &RunOptions{Hooks: Hooks{Step: func(r Record) { losses = append(losses, r.OwnLoss) }}}); err != nil {
		t.Fatal(err)
	}
	for i, v := range losses {
		if (v != 0) != (i+1 > c.SelfFrom) {
			t.Fatalf("step %d: the loss on the target's own labels is %v, and they begin after step %d", i+1, v, c.SelfFrom)
		}
	}
	labels, err := tr.ownLabels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for i, y := range d.Known {
		if y >= 0 {
			all++
			if labels[i] == int(y) {
				right++
			}
		}
	}
	if got := tr.Result(); right < all*98/100 || got.Accuracy < 0.98 {
		t.Errorf("%d of %d labels are right; result %+v", right, all, got)
	}
	if tr.saved.State.Get(ownArray) == nil {
		t.Error("the checkpoint has no labels")
	}
}

// TestSelfTrainingResumed: a run that is interrupted while the target has labels
// of its own ends as an unbroken one, bit for bit.
func TestSelfTrainingResumed(t *testing.T) {
	t.Parallel()
	c := config(t, 12)
	c.SelfTrain, c.SelfFrom = 1, 20
	want := train1(t, c)
	d := load(t, &c)
	tr, run := newTrainer(t, c, d)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := tr.Run(ctx, run, &RunOptions{Hooks: Hooks{Step: func(r Record) {
		if r.Step == 37 { // between two refreshes
			cancel()
		}
	}}})
	if err == nil || tr.Step() != 37 {
		t.Fatalf("at step %d: %v", tr.Step(), err)
	}
	again, err := Resume(c, d, backend(t), run)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Run(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	got, err := run.Latest()
	if err != nil {
		t.Fatal(err)
	}
	equalTensors(t, want, got)
}

// TestSelfTrainingImages: images have a graph of their features.
func TestSelfTrainingImages(t *testing.T) {
	t.Parallel()
	c := Config{Source: "synth:digits,n=60", Target: "synth:digits,n=50,seed=1", Steps: 6, Batch: 8, SelfTrain: 1, SelfFrom: 2, BankEvery: 2, WarmUp: 1}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	tr, run := newTrainer(t, c, load(t, &c))
	last := 0.0
	if err := tr.Run(t.Context(), run, &RunOptions{Hooks: Hooks{Step: func(r Record) { last = r.OwnLoss }}}); err != nil {
		t.Fatal(err)
	}
	if !(last > 0) || tr.graph != nil {
		t.Errorf("loss %v on the target's own labels; a graph of features is kept: %v", last, tr.graph != nil)
	}
}
