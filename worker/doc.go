// Package worker answers requests of another program over a pair of pipes, so
// that a Python process can use the solvers without a Go run-time inside it.
//
// # Messages
//
// A message is a prefix of 12 bytes, a JSON header and raw arrays:
//
//	uint32  length of the header, little endian
//	uint64  length of all arrays, little endian
//	header  {"id": 7, "op": "robust", "args": {…}, "arrays": [{"name": "X", "dtype": "<f8", "shape": [100, 2]}]}
//	arrays  in the order of the header, row-major, little endian, as in NPY files
//
// Whoever asks picks the id, above 0 and not in use. The answers to a request
// carry its id: any number of "progress", if they were asked for, and then one
// "result" or one "error". A request "cancel" has the id of the one to stop and
// no answer of its own; the one that it stops ends with an error of the kind
// "cancelled". The first message of all is "hello", with the protocol's number.
//
// # Basics
//
// Serve reads requests until its input ends, runs each in a goroutine of its
// own, and keeps nothing from one request to the next.
//
//	err := worker.Serve(ctx, stdin, stdout, nil)
package worker

// Protocol is the number of the protocol that this package speaks. It changes
// whenever an older program would misunderstand a newer one.
const Protocol = 1
