// Package nn has the layers, optimizers and parameters of our networks, as
// functions that build GoMLX graphs.
//
// # Basics
//
// A [State] holds every array that training changes: parameters, running
// statistics, optimizer moments. A [Program] is one computation over a State,
// such as a critic step; it reads the arrays that its graph names through a
// [Scope] and writes back those that the graph sets. There is nothing else to
// save: a State and a step number are a checkpoint.
//
// Images are [B,H,W,C]: batch, height, width, channels.
//
// # Caveats
//
// Layers panic on shapes that do not fit, as GoMLX does; [Program.Run] turns
// that into an error that names the layer. An array's initial value depends on
// the State's seed and the array's name alone, not on the backend nor on the
// order of the layers; only the singular vectors of a spectral norm start from
// the weights that they belong to.
package nn
