// Package dataset loads samples: rows of numbers and images, with names and
// labels where the file has them. It mixes outliers into them and puts them
// into batches.
//
// # Basics
//
// Load turns a spec into a Table. A spec is what a user types where a command
// asks for data:
//
//	rows.csv  rows.tsv  rows.csv.gz      text, one row a line
//	rows.parquet  rows.arrow  rows.jsonl Parquet, Arrow IPC, JSON lines
//	x.npy  x.npy.gz                      a NumPy array, one row per first index
//	x.npz  x.npz:NAME                    one array of a NumPy archive
//	x.npz:NAME,LABELS                    with the labels in another of its arrays
//	x.npz:NAME*FACTORS                   each column times its factor in a third
//	train-images-idx3-ubyte  x.idx.gz    IDX, one image a row
//	IMAGES,LABELS                        IDX with its labels
//	-                                    CSV on Options.Stdin
//	synth:NAME[,n=…,seed=…]              made on the spot; see SynthSpecs
//
// each of them but - also in part; see Selections below. Table.Classes numbers
// the labels.
//
// LoadWeights, LoadMatrix and LoadMarks read what goes with the rows: sample
// weights, a cost matrix, marks of known outliers. Describe sums a table up.
//
// LoadImages turns a spec into Images, bytes of one size:
//
//	train-images-idx3-ubyte  x.idx.gz    IDX of bytes, with the labels beside it
//	IMAGES,LABELS                        IDX with its labels
//	data_batch_1.bin  train.bin          CIFAR-10 and CIFAR-100, binary version
//	cifar-10-batches-bin                 a folder of CIFAR's training batches
//	photos                               a folder of PNG, JPEG, GIF, BMP and WebP files
//	celeba:FOLDER[,ATTRIBUTE]            CelebA, with the labels of an attribute
//	stack:FILE.png[,LABELS]              square images below each other
//	stack:A.png+B.png  stack:batch_*.png several stacks, one after the other
//	synth:NAME[,n=…,seed=…]              made on the spot; see SynthImageSpecs
//
// each of them also in part. IsImages tells which of the two functions a spec
// is for.
//
// MixImages and MixTables replace a part of a set by outliers, and remember
// which. An Order is the batches of a training run.
//
// # Selections
//
// What follows a spec in brackets takes a part of it:
//
//	photos[:50]  rows.csv[100:200]       by place, counted from 0
//	photos[::100]                        every hundredth
//	photos[label=cat|dog]                by label: one of these
//	x.npz:X,y[label!=3]                  by label: not this, nor any other listed
//	x.npz:X*s,y[domain=2]                by another array of the archive
//
// Several of them work one after the other, so that [label=1][:50] is the first
// fifty of class 1. Labels and arrays are compared as texts, and as numbers
// where both sides are numbers: 2 is 2.0. An array has one value for each row;
// one that is called label goes before the labels. Samples without names keep
// their numbers in the whole set as their ids, and classes of images keep their
// numbers too. A file or an array that exists under the whole name, brackets,
// commas and all, is what that name means.
//
// # Images
//
// The files of a folder are sorted by name, sub-folders among them. When all
// images lie in sub-folders of the folder given, those are their classes, also
// in order. Links are followed, names that begin with a dot are not; of an
// animation the first frame is read, and transparent parts are laid on white.
// Of CelebA (https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html) the folder
// img_align_celeba and the file list_attr_celeba.txt, or .csv, are read from
// FOLDER, in the order of the file; each face is cropped to the square in its
// middle. With an attribute of the file, say Male, the classes are 0, "not
// Male", and 1, "Male"; a selection takes either, [label=1] or [label=Male].
// Stacks that a pattern finds and batches of CIFAR are ordered as people
// count, batch_2 before batch_10. A stack is 8-bit gray or RGB.
//
// # Tables
//
// Package table reads tables and turns their columns into numbers: it says what
// the kinds of columns are, how they become components, and what is done about
// missing cells. LoadTogether brings the columns of several tables together by
// name. The components stand in the natural order of the columns' names. A
// column called id (in any case) and a row index that pandas or R saved name the
// rows unless Options.IDColumn says otherwise; no other column is set aside
// unasked, so a numeric column called label is a coordinate until
// Options.LabelColumn declares it.
//
// # Caveats
//
// A header made of numbers alone cannot be told from data and is read as a row
// unless Options.Header says otherwise, or it counts 0,1,2,… above rows with
// decimals. Integers beyond 2⁵³ are rounded to float64, but for ids and labels.
// Rows are never dropped or filled in unless Options.Missing asks for it, and
// Table.Notes says so. Of images a range such as [:50] reads no more than it
// needs when it comes first, and so does not notice damage behind. Of folders
// and of CelebA no more is read than is picked, whatever picks it.
package dataset
