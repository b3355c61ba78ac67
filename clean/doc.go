// Package clean ranks the rows of a sample by how little they belong to it.
//
// # Basics
//
// Against compares a dirty sample with a reference that is known to be clean:
// robust optimal transport carries the one to the other, and a row's score is
// what carrying it would cost. Find has no reference and makes one out of the
// sample itself, in two passes: what looks odd in the first takes no part in
// the reference of the second (docs/math.md §13).
//
//	r, err := clean.Find(ctx, points, &clean.Options{Gamma: 0.05})
//	for _, i := range r.Order()[:10] {
//		fmt.Println(points.ID(i), r.Score[i], r.Causes(points.Row(i), 3))
//	}
//
// Every row has a score, also those that nobody would drop. Scores depend on
// the coordinates, the seed and Options.Core, and not on the order of the rows
// nor on Options.Gamma: gamma only says how many of the worst are dropped. Rows
// that are equal have equal scores.
//
// # Caveats
//
// How many rows are outliers cannot be seen from the rows. Without
// Options.Gamma it is guessed, and Result.Guessed says so: treat what is
// dropped then as a list to look at. Find takes a clump of outliers for a
// cluster in its own right once it has more rows than a core is the mean of;
// raise Options.Core for such. Against needs a batch to clean, not a handful of
// rows, and takes a whole sample that has moved for outliers.
//
// Weights of Points are ignored. Errors about the input wrap ot.ErrShape,
// ot.ErrValue or ot.ErrOption.
package clean
