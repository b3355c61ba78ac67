package page

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rot.example/rot/da"
	"rot.example/rot/gan"
	"rot.example/rot/internal/words"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

// The files that a finished run leaves in its folder.
const (
	RunFile         = "report.html"     // the page
	WeightsFile     = "weights.csv"     // the weight of every sample
	PredictionsFile = "predictions.csv" // what the target samples are taken for
)

// WriteWeights writes weights.csv and the pictures of WriteWeightPictures into
// the folder of a run.
func WriteWeights(run *runs.Run, s *train.Weighted) (*train.WeightSummary, error) {
	r, err := s.Summary()
	if err != nil {
		return nil, err
	}
	if err := run.WriteWeights(s.IDs, s.W, s.Outlier, s.Score); err != nil {
		return nil, err
	}
	return r, WriteWeightPictures(run, s)
}

// SamplesFile is the name of the samples of a step, in the folder samples of a
// run. One column of numbers makes no picture.
func SamplesFile(c *gan.Config, step int) string {
	if c.Size == 0 && c.Channels == 1 {
		return fmt.Sprintf("step-%08d.csv", step)
	}
	return fmt.Sprintf("step-%08d.png", step)
}

// SaveSamples puts the samples of a step into the folder of a run.
func SaveSamples(s *gan.Session, step int, samples *gan.Samples) error {
	dir := filepath.Join(s.Run.Path(), "samples")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return WriteSamples(filepath.Join(dir, SamplesFile(&s.Config, step)), s.Data, samples, "step "+words.Count(step))
}

// GANWeights returns the weights of a GAN's data, with the scores that its folder
// has of them, which stay the same, or that have to be made.
func GANWeights(ctx context.Context, s *gan.Session) (*train.Weighted, error) {
	weights, err := s.Trainer.Weighted()
	if err != nil {
		return nil, err
	}
	if kept, err := s.Run.Weights(); err == nil && len(kept) == len(weights.W) {
		for _, w := range kept {
			if w.Score == nil {
				break
			}
			weights.Score = append(weights.Score, *w.Score)
		}
	}
	if len(weights.Score) != len(weights.W) {
		weights.Score, err = s.Trainer.Scores(ctx)
	}
	return weights, err
}

// FinishGAN writes what a trained GAN leaves in the folder of its run: its
// weights with their pictures, and its page, which ends with the commands next.
func FinishGAN(ctx context.Context, s *gan.Session, next []string) (*GANRun, *train.WeightSummary, error) {
	weights, err := GANWeights(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	summary, err := WriteWeights(s.Run, weights)
	if err != nil {
		return nil, nil, err
	}
	r := &GANRun{
		Run: s.Run, Config: s.Config, Trainer: s.Trainer, Data: s.Data, Backend: s.Backend, Weights: weights,
		Samples: SamplesFile(&s.Config, s.Trainer.Step()), Next: next,
	}
	return r, summary, GAN(r).WriteFile(filepath.Join(s.Run.Path(), RunFile))
}

// FinishDA writes what a trained classifier leaves in the folder of its run: the
// weights of the target with their pictures, what the model that was picked
// takes the target for, and its page, which ends with the commands next. The
// trainer then uses that model.
func FinishDA(s *da.Session, next []string) (*DARun, *train.WeightSummary, error) {
	weights, err := s.Trainer.Weighted()
	if err != nil {
		return nil, nil, err
	}
	summary, err := WriteWeights(s.Run, weights)
	if err != nil {
		return nil, nil, err
	}
	if err := s.Trainer.UseBest(); err != nil {
		return nil, nil, err
	}
	e, err := s.Trainer.Evaluate(s.Data.Target, s.Data.Known, nil)
	if err != nil {
		return nil, nil, err
	}
	var known []float64 // weights that say something
	if s.Config.Method == da.Robust {
		known = weights.W
	}
	err = runs.WriteFile(filepath.Join(s.Run.Path(), PredictionsFile), func(w io.Writer) error {
		return da.WritePredictions(w, s.Config.Classes, s.Data.Target, e, known)
	})
	if err != nil {
		return nil, nil, err
	}
	r := &DARun{
		Run: s.Run, Config: s.Config, Trainer: s.Trainer, Domains: s.Data, Backend: s.Backend, Weights: weights, Evaluation: e, Next: next,
	}
	if known != nil {
		open := e.OpenSet(known, s.Data.Foreign(), s.Data.Known)
		r.Open = &open
	}
	return r, summary, DA(r).WriteFile(filepath.Join(s.Run.Path(), RunFile))
}
