package da

import (
	"context"
	"math"
	"strings"

	"rot.example/rot/train"
)

// An Evaluation is how a model classifies a target, and how well. Accuracies are
// −1 where no class is known to compare with.
type Evaluation struct {
	Step     int
	Score    float64   // of the criterion that picks the model, higher is better
	Scored   int       // samples of known class
	Accuracy float64   // share of those that are classified right
	Mean     float64   // mean of the classes' accuracies
	Class    []float64 // accuracy by class
	Counts   [][]int   // samples of class i that were taken for class j
	Predict  []int32   // class of each sample
	Sure     []float64 // probability of that class

	p    [][]float64 // probabilities of the classes
	mass []float64   // of the classes, by the weights; sums to 1
}

// Evaluate runs the model over a target, whose known classes are −1 where a
// sample has none; w are its weights in the criterion, nil for none. The score
// of Neighbours is that of the run's own target only, and 0 here.
func (t *Trainer) Evaluate(d *train.Data, known []int32, w []float64) (*Evaluation, error) {
	rows, err := t.over(context.Background(), t.pass, d, nil)
	if err != nil {
		return nil, err
	}
	k := len(t.c.Classes)
	e := &Evaluation{Step: t.saved.Step, Accuracy: -1, Mean: -1, Class: make([]float64, k), Counts: make([][]int, k)}
	for i := range e.Counts {
		e.Counts[i] = make([]int, k)
	}
	mean := make([]float64, k)
	var total, entropy float64
	for i := range d.N {
		p := rows[i][:k]
		best := softmax(p, p)
		e.p = append(e.p, p)
		e.Predict, e.Sure = append(e.Predict, int32(best)), append(e.Sure, p[best])
		weight := 1.0
		if w != nil {
			weight = w[i]
		}
		total += weight
		for j, v := range p {
			mean[j] += weight * v
		}
		entropy += weight * entropyOf(p)
		if known != nil && known[i] >= 0 {
			e.Counts[known[i]][best]++
		}
	}
	for j := range mean {
		mean[j] /= total
	}
	e.mass = mean
	switch t.c.Select {
	case InformationMax:
		e.Score = entropyOf(mean) - entropy/total
	case LeastEntropy:
		e.Score = -entropy / total
	case Last:
		e.Score = float64(t.saved.Step)
	}
	e.score()
	return e, nil
}

// score turns counts into accuracies.
func (e *Evaluation) score() {
	var right, classes int
	var sum float64
	for i, row := range e.Counts {
		n := 0
		for _, c := range row {
			n += c
		}
		if e.Class[i] = -1; n > 0 {
			e.Class[i] = float64(row[i]) / float64(n)
			sum += e.Class[i]
			classes++
		}
		right += row[i]
		e.Scored += n
	}
	if e.Scored > 0 {
		e.Accuracy, e.Mean = float64(right)/float64(e.Scored), sum/float64(classes)
	}
}

// softmax writes probabilities to p, which may be logits itself, and returns
// the most likely class.
func softmax(p, logits []float64) (best int) {
	for j, v := range logits {
		if v > logits[best] {
			best = j
		}
	}
	sum := 0.0
	top := logits[best]
	for j, v := range logits {
		p[j] = math.Exp(v - top)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return best
}

// entropyOf returns the entropy of the probabilities p.
func entropyOf(p []float64) (h float64) {
	for _, v := range p {
		if v > 0 {
			h -= v * math.Log(v)
		}
	}
	return h
}

// The arrays of the model that was picked lie beside those in training.
const bestPrefix = "best/"

// consider evaluates the model on the target, and keeps a copy of it if it is
// the best so far by the criterion, which sees no label.
func (t *Trainer) consider(ctx context.Context) (*Evaluation, error) {
	var w []float64
	var err error
	if t.c.robust() {
		if w, err = t.Weights(); err != nil {
			return nil, err
		}
	}
	e, err := t.Evaluate(t.data.Target, t.data.Known, w)
	if err != nil {
		return nil, err
	}
	if t.c.Select == Neighbours {
		g, err := t.neighbourhood(ctx)
		if err != nil {
			return nil, err
		}
		e.Score = entropyOf(e.mass) * g.agreement(e.p, w)
	}
	t.progress.Oracle = max(t.progress.Oracle, e.Accuracy)
	if t.progress.Picked == 0 || e.Score >= t.progress.Score {
		t.progress.Picked, t.progress.Score, t.progress.Accuracy = e.Step, e.Score, e.Accuracy
		for _, name := range t.saved.State.Names() {
			if !strings.HasPrefix(name, "M/") {
				continue
			}
			copied, err := t.saved.State.Get(name).LocalClone()
			if err != nil {
				return nil, err
			}
			t.saved.State.Set(bestPrefix+name, copied)
		}
	}
	return e, nil
}

// UseBest makes the model that was picked the one in use.
func (t *Trainer) UseBest() error {
	// The weight network belongs to the features in training.
	if _, err := t.Weights(); err != nil {
		return err
	}
	for _, name := range t.saved.State.Names() {
		if rest, ok := strings.CutPrefix(name, bestPrefix); ok {
			copied, err := t.saved.State.Get(name).LocalClone()
			if err != nil {
				return err
			}
			t.saved.State.Set(rest, copied)
		}
	}
	return nil
}

// A Result is the model that a run picked, and how good it is.
type Result struct {
	Accuracy   float64 // on the target, of the model picked without its labels; −1 without labels
	SelectedBy string  // Config.Select
	SelectedAt int     // the step of that model; 0 for none yet
	Oracle     float64 // the best accuracy of any evaluated model
}

// Result returns the result of the evaluations so far.
func (t *Trainer) Result() Result {
	return Result{t.progress.Accuracy, t.c.Select, t.progress.Picked, t.progress.Oracle}
}
