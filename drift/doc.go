// Package drift tells whether a sample has moved away from a reference, or only
// holds rows that do not belong, or neither.
//
// # Basics
//
//	r, err := drift.Compare(ctx, reference, today, nil)
//	fmt.Println(r.Verdict, r.PMoved, r.Effect)
//	for _, s := range r.Columns {
//		fmt.Println(s.Name, s.Adjusted, s.Text)
//	}
//
// Rows that stand out from both samples taken together are set aside first,
// without a look at which sample they belong to. Whether the others differ is a
// permutation test: the rows are dealt out anew to the two samples, and the
// p-value is how often that looks as different as the truth does, by transport,
// distances, columns, pairs of columns and neighbours together. So a p-value of
// 0.05 means what it says for any data and any number of rows.
//
// The effect has a unit: 1 is what two random halves of the reference are apart.
//
// # Caveats
//
// A small p-value says that there is a difference, not that it matters; with
// many rows small ones are found. The test looks at Options.Rows rows of each
// sample, drawn at random; more find smaller differences and take longer. Rows
// are taken to be independent: those of a time series are less than they seem.
// Of a row that stands out the reference may simply not have had one.
package drift
