package text

import (
	"strings"

	"rot.example/rot/dataset"
)

// DataSets lists what a data set can be, for the help of commands.
func DataSets() string {
	return `Rows of numbers are one of

  rows.csv  rows.tsv  rows.csv.gz      text, one row a line
  x.npy  x.npy.gz                      a NumPy array, one row per first index
  x.npz  x.npz:NAME                    one array of a NumPy archive
  x.npz:NAME,LABELS                    with labels from another array of it
  x.npz:NAME*FACTORS                   each column times its factor in a third
  rows.parquet                         flat columns of numbers
  -                                    CSV on standard input

or a set that is made on the spot; these are all of them, with their defaults:

  ` + strings.Join(dataset.SynthSpecs(), "\n  ") + `

Images are one of

  train-images-idx3-ubyte  x.idx.gz    IDX; the labels are found beside it by
                                       the usual name, or given:
  IMAGES,LABELS                        IDX with its labels
  data_batch_1.bin  train.bin          CIFAR-10 and CIFAR-100, binary version
  cifar-10-batches-bin                 a folder of CIFAR batches, in order
  photos                               a folder of .png, .jpg, .gif, .bmp and
                                       .webp files; sub-folders are classes, if
                                       all files lie in one
  celeba:FOLDER[,ATTRIBUTE]            CelebA: img_align_celeba and
                                       list_attr_celeba.txt, or .csv, in FOLDER;
                                       faces are cropped to a square, labels are
                                       by the attribute, such as Male
  stack:FILE.png[,LABELS]              square images below each other; LABELS is
                                       an IDX file. Join several files with +
                                       or name them by a pattern: batch_*.png
  ` + strings.Join(dataset.SynthImageSpecs(), "\n  ") + `

IDX files of other than bytes or of fewer than three dimensions are rows of
numbers.

Brackets after any of these but - take a part of it, several of them one after
the other:

  photos[:50]  rows.csv[100:200]       by place, counted from 0
  photos[::100]                        every hundredth
  photos[label=cat|dog]                by label: one of these
  x.npz:X,y[label!=3]                  by label: not this one
  x.npz:X*s,y[domain=2]                by another array of the archive

Most shells want such words in single quotes.`
}
