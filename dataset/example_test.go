package dataset_test

import (
	"fmt"
	"log"
	"strings"

	"rot/dataset"
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

func ExampleLoad_error() {
	text := "height,weight\n1.70,61\n1.82,n/a\n"
	_, err := dataset.Load("-", &dataset.Options{Stdin: strings.NewReader(text)})
	fmt.Println(err)
	// Output: stdin:3: column "weight": "n/a" is not a number (fill it in or delete the line)
}

func ExampleTable_Info() {
	t, err := dataset.Load("synth:outliers,n=200,gamma=0.1", nil)
	if err != nil {
		log.Fatal(err)
	}
	info := t.Info()
	fmt.Println(info.Rows, info.Dim, info.Labels)
	// Output: 200 2 [{0 180} {1 20}]
}
