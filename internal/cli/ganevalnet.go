package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/internal/terminal"
)

// classifierSeed is that of every classifier: scores of several runs are to be
// of one network.
const classifierSeed = 1

// evalCache is the folder for what eval keeps, "" where there is none.
func evalCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "rot", "eval")
}

// classifier is the one for im: from the cache, or trained now and put there.
func (e *ganEval) classifier(ctx context.Context, im *dataset.Images) (*features.Classifier, error) {
	b, err := e.networkBackend()
	if err != nil {
		return nil, err
	}
	if e.cache != "" {
		// One that is damaged is as good as none.
		if c, err := features.OpenCached(b, e.cache, im, e.o.steps); err == nil {
			e.say("classifier of %s kept from before", im.Name)
			return c, nil
		}
	}
	e.say("training a classifier of %s on %s (backend %s)", im.Name, b.Device, b.Kind)
	var p *trainProgress
	c, err := features.TrainClassifier(ctx, b, im, &features.ClassifierOptions{
		Seed: classifierSeed, Steps: e.o.steps,
		Progress: func(step, steps int, loss float64) {
			if p == nil {
				p = startTraining(e.std, steps, "images")
			}
			p.report(terminal.Step{Number: step, Values: []terminal.Value{{Name: "loss", Short: "loss", Value: loss}}})
		},
	})
	if p != nil {
		p.stop()
	}
	if err != nil {
		return nil, err
	}
	e.say("the classifier is right about %s of the images held back", percent(c.Accuracy()))
	if e.cache == "" {
		return c, nil
	}
	// A cache that cannot be used is no reason to fail.
	if err := features.SaveCached(c, e.cache, im, e.o.steps); err != nil {
		e.say("the classifier is not kept: %s", plainText(err))
	}
	return c, nil
}

func (e *ganEval) say(format string, args ...any) {
	fmt.Fprintf(e.std.Err, "rot: "+format+"\n", args...)
}
