package dataset_test

import (
	"fmt"
	"log"
	"strings"

	"rot.example/rot/dataset"
)

func ExampleLoad() {
	text := "id,height,weight\nann,1.70,61\nbob,1.82,80\n"
	t, err := dataset.Load("-", &dataset.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Points.Len(), "rows of", t.Columns)
	fmt.Println(t.Points.ID(1), t.Points.Row(1))
	// Output:
	// 2 rows of [height weight]
	// bob [1.82 80]
}

func ExampleLoad_archive() {
	t, err := dataset.Load("testdata/labelled.npz:X,name[y=7]", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Points.Row(0), t.Labels)
	// Output: [0 1 2] [müller]
}

func ExampleTable_Classes() {
	t, err := dataset.Load("synth:eight,n=200[label=2|7][:4]", nil)
	if err != nil {
		log.Fatal(err)
	}
	names, index := t.Classes()
	fmt.Println(names, index)
	// Output: [2 7] [1 0 0 0]
}

func ExampleLoad_error() {
	text := "height,weight\n1.70,61\n1.82,n/a\n"
	_, err := dataset.Load("-", &dataset.Options{Stdin: strings.NewReader(text)})
	fmt.Println(err)
	// Output: stdin: column "weight" has 1 missing value, the first in line 3
}

func ExampleLoadImages() {
	im, err := dataset.LoadImages("synth:digits,n=500[:100]", &dataset.ImageOptions{Size: 32, Channels: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(im.Len(), "images of", im.H, im.W, im.C, "in", im.Classes, "classes")
	fmt.Println(im.Notes)
	// Output:
	// 100 images of 32 32 3 in 10 classes
	// [28×28 gray resized to 32×32 RGB]
}

func ExampleImages_Mix() {
	im, err := dataset.LoadImages("synth:digits,n=200", nil)
	if err != nil {
		log.Fatal(err)
	}
	dirty, err := im.Mix("synth:shapes@0.05", 7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dirty.Len(), "images,", *dirty.Info().Outliers, "of them outliers")
	// Output: 200 images, 10 of them outliers
}

func ExampleOrder() {
	order, err := dataset.NewOrder(5, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	var batch []int32
	for step := range 5 { // two epochs
		batch = order.Batch(batch, step)
		fmt.Println(batch)
	}
	// Output:
	// [3 2]
	// [4 0]
	// [1 3]
	// [1 0]
	// [2 4]
}

func ExampleDescribe() {
	info, err := dataset.Describe("synth:outliers,n=200,gamma=0.1", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Rows, info.Dim, info.Labels)
	// Output: 200 2 [{0 180} {1 20}]
}
