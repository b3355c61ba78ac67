//go:build race

package cpu

// underRace says that the race detector is on. It makes everything ten times
// slower, and the matrix products of GoMLX's backend do not pass its check of
// pointers.
const underRace = true
