// Package experiments reruns the tables and figures of the paper, each by name.
//
// # Basics
//
// An [Experiment] is a grid of cells, each a training run or a solve that is
// determined by its configuration. Cells run side by side; the result of each
// is written down as soon as it is there, so an experiment that was interrupted
// goes on where it stopped, and a cell whose configuration has changed since is
// run again. At the end numbers (results.json) and tables (results.md) are
// written from all cells.
//
// # Caveats
//
// Where data are missing the parts of an experiment that need them are left
// out, and the result says which and why. Where other data stand in for the
// paper's the title says so.
package experiments
