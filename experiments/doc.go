// Package experiments reruns the tables and figures of the paper, each by name.
//
// # Basics
//
// An [Experiment] is a list of cells, each a training run that is determined by
// its configuration. Each has a file of its own name: fig2.go, table1.go. Its
// study says which cells it needs, how one is run, and how cells become tables
// and pictures. The scheduler runs those that are not there, side by side, and
// writes each into the store (cells.jsonl) as soon as it is done, so an
// experiment that was interrupted goes on where it stopped. At the end numbers
// (results.json), tables (results.md) and a page (results.html) are written from
// all cells.
//
// # Provenance
//
// A cell is stored with its [Provenance]: the revision of the code, the version
// of the algorithm, hashes of the data and of the judge, the machine and the
// date. Where the algorithm, the data or the judge are others now, a cell is run
// again; where nothing is run, it is shown and marked as old. Revisions may
// differ: whoever changes what a cell comes out as raises the version.
//
// # Parts
//
// Several processes share an experiment when they have the folder of results in
// common and each a part of its own (Options.Part and PartOf). Locks with a lease
// keep them from doing a cell twice and let them take over the cells of one that
// was killed. A process that ends in good order, or was never started, leaves
// its cells to whoever starts it again.
//
// # Caveats
//
// Where data are missing the parts of an experiment that need them are left
// out, and the result says which and why. Where other data stand in for the
// paper's the title says so.
package experiments
