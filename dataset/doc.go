// Package dataset loads samples: rows of numbers, with names and labels where
// the file has them.
//
// # Basics
//
// Load turns a spec into a Table. A spec is what a user types where a command
// asks for data:
//
//	rows.csv  rows.tsv  rows.csv.gz      text, one row a line
//	x.npy  x.npy.gz                      a NumPy array, one row per first index
//	x.npz  x.npz:NAME                    one array of a NumPy archive
//	rows.parquet                         flat columns of numbers
//	train-images-idx3-ubyte  x.idx.gz    IDX, one image a row
//	IMAGES,LABELS                        IDX with its labels
//	-                                    CSV on Options.Stdin
//	synth:NAME[,n=…,seed=…]              made on the spot; see SynthSpecs
//
// LoadWeights, LoadMatrix and LoadMarks read what goes with the rows: sample
// weights, a cost matrix, marks of known outliers. Table.Info sums a table up.
//
// # Text
//
// The separator of a .csv file is the first of tab, semicolon and comma that
// its first line holds outside quotes; a .tsv file is separated by tabs. The
// first line is a header when it reads like one: at least one field is a name
// (neither a number nor a mark for a missing value such as NA), and the others
// are names, empty, or whole numbers such as years. A column that
// Options.IDColumn or LabelColumn declares by number has no say in this; one
// declared by name makes the first line a header. A column called id (in any
// case) names the rows unless Options.IDColumn says otherwise; no other column
// is set aside unasked, so a numeric column called label is a coordinate until
// Options.LabelColumn declares it.
//
// # Caveats
//
// A header made of numbers alone cannot be told from data and is read as a
// row, unless it counts 0,1,2,… above rows with decimals, which is an error.
// So is a row index that pandas or R saved as a first column without a name,
// until Options.IDColumn declares it. Integers beyond 2⁵³ are rounded to
// float64. Rows are never dropped, sorted or filled in: a value that is
// missing or not finite is an *InputError that says where it is.
package dataset
