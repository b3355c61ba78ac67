package runs_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"

	"rot.example/rot/runs"
)

// A run is trained for three steps, dies after the last checkpoint, and is
// opened again.
func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	run, err := runs.Create(dir, "demo", "gan", map[string]any{"rho": 0.1})
	if err != nil {
		log.Fatal(err)
	}
	metrics, err := run.OpenMetrics(0)
	if err != nil {
		log.Fatal(err)
	}
	for step := 1; step <= 3; step++ {
		if err := metrics.Append(map[string]any{"step": step, "loss": 1 / float64(step)}); err != nil {
			log.Fatal(err)
		}
		if step == 2 {
			w, _ := binary.Append(nil, binary.LittleEndian, []float32{0.5, 1.5})
			err := run.Save(&runs.Checkpoint{Step: step, Tensors: []runs.Tensor{
				{Name: "generator/w", DType: "F32", Shape: []int{2}, Data: w},
			}})
			if err != nil {
				log.Fatal(err)
			}
		}
	}

	run, err = runs.Open(run.Path())
	if err != nil {
		log.Fatal(err)
	}
	last, err := run.Latest()
	if errors.Is(err, runs.ErrNoCheckpoint) {
		last = &runs.Checkpoint{}
	} else if err != nil {
		log.Fatal(err)
	}
	if _, err := run.OpenMetrics(last.Step); err != nil { // drops step 3, which will come again
		log.Fatal(err)
	}
	records, err := run.Metrics()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("step", last.Step, last.Tensors[0].Name, last.Tensors[0].Shape)
	fmt.Println(records)
	// Output:
	// step 2 generator/w [2]
	// [map[loss:1 step:1] map[loss:0.5 step:2]]
}
