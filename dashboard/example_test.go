package dashboard_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"rot.example/rot/dashboard"
	"rot.example/rot/runs"
)

func ExampleNew() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if _, err := runs.Create(dir, "first", "", map[string]any{"rho": 0.1, "steps": 100}); err != nil {
		log.Fatal(err)
	}
	s, err := dashboard.New(dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	// It is a handler like any other; Serve is there for a server of its own.
	web := httptest.NewServer(s)
	defer web.Close()
	res, err := http.Get(web.URL + "/runs/first/files/config.json")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// {
	//   "rho": 0.1,
	//   "steps": 100
	// }
}
