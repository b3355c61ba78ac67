package table

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedFiles changes a few bytes of each file of testdata: there is a whole
// table or an error that names the file.
func TestDamagedFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	tries := 400
	if testing.Short() {
		tries = 40
	}
	for _, path := range files {
		name := filepath.Base(path)
		whole, err := os.ReadFile(path)
		if err != nil || len(whole) == 0 || len(whole) > 30_000 || strings.HasSuffix(name, ".json") || strings.HasPrefix(name, "bomb") {
			continue
		}
		r := rand.New(rand.NewPCG(5, uint64(len(whole))))
		for range tries {
			b := append([]byte(nil), whole...)
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			if r.IntN(4) == 0 {
				b = b[:r.IntN(len(b))]
			}
			got, err := ReadBytes(name, b, &Options{MaxMemory: 16 << 20})
			var e *Error
			if err != nil {
				if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), name) {
					t.Fatalf("%T %v", err, err)
				}
				continue
			}
			checkWhole(t, got)
		}
	}
}
