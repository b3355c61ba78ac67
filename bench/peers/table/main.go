// Command table times rot's reader of tables; run.py runs it beside pandas,
// polars and pyarrow on the same files. See README.md.
//
//	table [-stream] [-vectors] [-reps N] FILE
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"time"

	"rot.example/rot/dataset"
	"rot.example/rot/table"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	reps := flag.Int("reps", 3, "how often to read the file; the best time counts")
	stream := flag.Bool("stream", false, "read in blocks and keep none")
	vectors := flag.Bool("vectors", false, "read as rot dist does: columns to vectors")
	flag.Parse()
	if flag.NArg() != 1 {
		return errors.New("usage: table [flags] FILE")
	}
	best, rows, columns, peak := math.Inf(1), 0, 0, uint64(0)
	for range *reps {
		runtime.GC()
		begin := time.Now()
		var err error
		switch {
		case *vectors:
			rows, columns, err = readVectors(flag.Arg(0))
		case *stream:
			rows, columns, err = readBlocks(flag.Arg(0))
		default:
			rows, columns, err = readAll(flag.Arg(0))
		}
		if err != nil {
			return err
		}
		best = min(best, time.Since(begin).Seconds())
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.Sys)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"seconds": best, "rows": rows, "columns": columns, "bytes": peak})
}

func readAll(path string) (rows, columns int, err error) {
	t, err := table.Read(path, nil)
	if err != nil {
		return 0, 0, err
	}
	return t.Rows, len(t.Columns), nil
}

func readVectors(path string) (rows, columns int, err error) {
	t, err := dataset.Load(path, nil)
	if err != nil {
		return 0, 0, err
	}
	return t.Points.Len(), t.Points.Dim, nil
}

func readBlocks(path string) (rows, columns int, err error) {
	r, err := table.Open(path, nil)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	for {
		t, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, columns, nil
		} else if err != nil {
			return 0, 0, err
		}
		rows += t.Rows
		columns = len(t.Columns)
	}
}
