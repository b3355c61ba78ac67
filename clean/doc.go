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
// Every row has a score, also those that nobody would suspect. Scores depend on
// the coordinates, the seed and Options.Core, and not on the order of the rows.
// Rows that are equal have equal scores.
//
// How many of the worst are suspects is set by a false discovery rate, the part
// of the suspects that may be good rows. With a reference it is a guarantee:
// half of the reference joins the rows and shows what good rows score, so that
// the other half is all that they are compared with. Without a reference it is
// an estimate, from what the bulk of the scores says about their tail. Or
// Options.Gamma fixes the share, and the whole reference is compared with.
//
// # Caveats
//
// A guarantee needs rows: with m of them held back no p-value is below 1/(m+1),
// and among n rows a few outliers cannot be told from chance unless their number
// is above n/((m+1)·FDR). A suspect is unlike the others, not necessarily wrong. Find takes a clump of outliers for a
// cluster in its own right once it has more rows than a core is the mean of;
// raise Options.Core for such. Against needs a batch to clean, not a handful of
// rows, and takes a whole sample that has moved for outliers.
//
// Weights of Points are ignored. Errors about the input wrap ot.ErrShape,
// ot.ErrValue or ot.ErrOption.
package clean
