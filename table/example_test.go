package table_test

import (
	"fmt"
	"log"

	"rot.example/rot/table"
)

func Example() {
	reference := []byte("height,country\n1.5,FR\n1.7,DE\n1.9,FR\n")
	today := []byte("country,height\nDE,1.6\nFR,2.1\n")
	a, err := table.ReadBytes("reference.csv", reference, nil)
	if err != nil {
		log.Fatal(err)
	}
	b, err := table.ReadBytes("today.csv", today, nil)
	if err != nil {
		log.Fatal(err)
	}
	if b, err = table.Meet(a, b); err != nil {
		log.Fatal(err)
	}
	e, err := table.Fit(table.EncodingOptions{Scale: table.ScaleStd}, a)
	if err != nil {
		log.Fatal(err)
	}
	v, err := e.Apply(b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Components())
	fmt.Printf("%.2f\n", v.Values)
	// Output:
	// [country=DE country=FR height]
	// [0.71 0.00 -0.61 0.00 0.71 2.45]
}
