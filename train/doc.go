// Package train is what the trainers of package gan and da share: data on the
// device, one array of everything that a step needs to know, random numbers
// that are functions of seed and step, weights of a network that stay in the
// ball, checkpoints of a State, and stopping with a plain explanation.
package train
