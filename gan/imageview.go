package gan

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/internal/standout"
	"rot.example/rot/ot"
	"rot.example/rot/train"
)

// The network that Config.Features names looks at images of which none stand out by
// the descriptor. It is good at their order, not at how many are foreign: crowds look
// less odd to it than single good images, and it found one in a clean set. It is asked
// once, before the first step, and a checkpoint keeps what came of it, so that a run
// goes on where its file is not.

// viewArray is the array of a checkpoint that holds the scores by a network.
const viewArray = "view/scores"

// noFeatures is what stands for the descriptor, besides nothing.
const noFeatures = "descriptor"

// clearCluster is the least merit of a cluster that counts, of the better one of both
// views. Over one half of the sets of docs/experiments.md (A network's view) 18 to
// 18.6 did best, and 20 about as well.
const clearCluster = 18.5

// checkFeatures opens the network of a new run, and notes which one it is.
func (t *Trainer) checkFeatures() error {
	if t.c.Features == "" || t.c.FeaturesHash != "" || t.data.Values == nil {
		return nil
	}
	net, err := features.Open(t.backend, t.c.Features)
	if err != nil {
		return fmt.Errorf("gan: %w", err)
	}
	t.looks, t.c.FeaturesHash = net, net.Hash()
	return nil
}

// look makes the view of g that of the network, and returns its scores.
func (t *Trainer) look(ctx context.Context, g *gallery) ([]float64, error) {
	if t.looks == nil { // the run was interrupted before
		net, err := features.Open(t.backend, t.c.Features)
		if err != nil {
			return nil, err
		}
		if net.Hash() != t.c.FeaturesHash {
			return nil, fmt.Errorf("%s is not the network that the run began with", t.c.Features)
		}
		t.looks = net
	}
	p, err := t.imagePoints(ctx, t.looks, t.looking)
	if err != nil {
		return nil, err
	}
	r, err := clean.Find(ctx, p, &clean.Options{Unscaled: true})
	if err != nil {
		return nil, err
	}
	g.described, g.points = g.points, p
	g.own = standout.Standard(r.Score)
	return r.Score, nil
}

// imagePoints returns the images as points whose distances say how unlike they are.
func (t *Trainer) imagePoints(ctx context.Context, net features.Embedder, progress func(done, total int)) (*ot.Points, error) {
	d := t.data
	im := &dataset.Images{H: d.Shape[0], W: d.Shape[1], C: d.Shape[2], Pix: d.Pix}
	return features.Vectors(ctx, net, im, progress)
}

// clusterOf returns how far each image belongs to a cluster of about a share of all.
func (g *gallery) clusterOf(ctx context.Context, share float64) ([]float64, error) {
	members, merit, err := clean.Cluster(ctx, g.points, share)
	if err != nil || g.described == nil { // without a network any will do
		return members, err
	}
	other, better, err := clean.Cluster(ctx, g.described, share)
	if err != nil {
		return nil, err
	}
	if better > merit {
		members, merit = other, better
	}
	if merit < clearCluster {
		return nil, nil
	}
	return members, nil
}

// keepView puts the scores by a network where checkpoints have them.
func (t *Trainer) keepView(ctx context.Context, g *gallery) error {
	scores, err := g.scores(ctx, t.c.RhoAuto)
	if err != nil {
		return err
	}
	t.saved.State.Set(viewArray, tensors.FromFlatDataAndDimensions(train.Float32s(scores), len(scores)))
	g.points, g.described = nil, nil // nobody asks for them any more
	return nil
}

// keptView returns what keepView kept; nil where it did not.
func (t *Trainer) keptView() ([]float64, error) {
	kept := t.saved.State.Get(viewArray)
	if kept == nil {
		return nil, nil
	}
	narrow, err := tensors.CopyFlatData[float32](kept)
	if err != nil {
		return nil, fmt.Errorf("gan: %s: %w", viewArray, err)
	}
	if len(narrow) != t.data.N {
		return nil, errors.New("gan: the checkpoint is of other data")
	}
	scores := make([]float64, len(narrow))
	for i, v := range narrow {
		scores[i] = float64(v)
	}
	return scores, nil
}
