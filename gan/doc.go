// Package gan trains generative adversarial networks on dirty data.
//
// # Basics
//
// A robust GAN learns three networks: a generator G that turns noise into
// samples, a critic D that tells data from samples, and weights W on the data
// that stay in a chi-square ball of radius ρ around uniform. The weights take
// mass from the samples on which the critic insists most, which are those that
// the generator cannot make: garbage ends at weight zero, and the generator
// does not learn it. With ρ = 0 the weights are 1 and the GAN is a plain one.
//
// A [Config] holds all that determines a run: name the data, set what matters to
// you, and [Config.Complete] sets the rest. [Load] reads the data, a [Trainer]
// does the work, and its Run method is the whole training loop.
//
// # Caveats
//
// Everything random is a function of the seed and the step, so that a resumed
// run equals an unbroken one bit for bit on backends that are deterministic.
// The data set stays in the memory of the device.
package gan
