// Package da carries a classifier from a labelled source domain to an
// unlabelled target that contains samples which do not belong.
//
// # Basics
//
// A feature network F and a linear classifier C learn on the source; a
// discriminator D tells the features of the two domains apart, and F learns to
// deceive it, which aligns the domains. The robust method gives every target
// sample a weight in a chi-square ball of radius ρ around uniform: the weight
// program takes weight from the samples that look least like the source, so
// that they are not aligned with anything. See docs/math.md §12.
//
// A [Config] holds all that determines a run: name the data, set what matters to
// you, and [Config.Complete] sets the rest. [Load] reads the data, a [Trainer]
// does the work, and its Run method is the whole training loop. Package gan has
// the same parts under the same names.
//
// # Caveats
//
// The labels of the target are used for scoring only. The model is picked
// without them, by the criterion that Config.Select names.
package da
