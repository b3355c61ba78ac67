// Package train holds the parts that the trainers of packages gan and da share:
// configurations and what is wrong with them, data on the device, the array that
// tells a graph about its step, random numbers that are functions of seed and
// step, weights of a network that stay in the ball, checkpoints, and stopping a
// run with a plain explanation.
package train
