// Package page makes the HTML pages that rot leaves behind: of a distance, a
// curve, a cleaned table or image set, a run of a GAN or of domain adaptation,
// the demo, and an experiment. Each page is one file that needs no network and
// opens from disk (package report writes it).
//
// Every page starts with the question and the answer in a sentence or two, then
// shows charts and tables, and ends with how it was computed and how certain it
// is.
package page
