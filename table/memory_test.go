package table

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// peakMemory watches the heap, garbage included, until the function that it
// returns is called, which returns how far it grew.
func peakMemory() func() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	begin := m.HeapAlloc
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-stop:
				done <- peak
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return max(<-done, begin) - begin
	}
}

// TestSmallHostileFiles reads files of at most a megabyte that claim or unfold
// to more than there is; bomb.* of testdata are others.
func TestSmallHostileFiles(t *testing.T) {
	npy := func(header string) string {
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header
	}
	var keys strings.Builder
	for k := 0; keys.Len() < 1_000_000; k++ {
		fmt.Fprintf(&keys, "{\"%x\":1}\n", k)
	}
	for _, tt := range []struct {
		name, file, text string
	}{
		{"a million columns", "x.csv", strings.Repeat(",", 1<<20)},
		{"a million columns of rows", "x.csv", strings.Repeat(",", 1<<19) + "\n" + strings.Repeat(",", 1<<19)},
		{"one quote", "x.csv", `"` + strings.Repeat("x", 1<<20)},
		{"many keys", "x.jsonl", keys.String()},
		{"many keys in a line", "x.jsonl", "{" + strings.Repeat(`"a":1,`, 1<<17) + `"b":2}`},
		{"deep list", "x.jsonl", `{"a":` + strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19) + "}"},
		{"deep and open", "x.jsonl", `{"a":` + strings.Repeat("[", 1<<20)},
		{"wide array", "x.npy", npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 1000000), }") + strings.Repeat("\x00", 1000000)},
		{"claimed array", "x.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 100), }")},
		{"fortran claim", "x.npy", npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1000000000, 100), }")},
		{"long words", "x.npy", npy("{'descr': '<U1000000', 'fortran_order': False, 'shape': (1000, 1), }")},
		{"many rows of one byte", "x.npy", npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1000000, 1), }") + strings.Repeat("\x01", 1000000)},
		{"footer of empty structs", "x.parquet", "PAR1" + "\x15\x02\x19\xfc\x80\x80\x3c" + strings.Repeat("\x00", 15<<16) + "\x00" + "\x08\x00\x0f\x00" + "PAR1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			peak := peakMemory()
			got, err := ReadBytes(tt.file, []byte(tt.text), nil)
			held := peak() >> 20
			var e *Error
			if err != nil && (!errors.As(err, &e) || !strings.HasPrefix(err.Error(), tt.file)) {
				t.Fatalf("got %T %v", err, err)
			}
			if err == nil {
				checkWhole(t, got)
			}
			if held > 256 {
				t.Errorf("held %d MiB for %d bytes", held, len(tt.text))
			}
			t.Logf("%d MiB, %v", held, err)
		})
	}
}

// TestMaxMemory checks the caller's own limit.
func TestMaxMemory(t *testing.T) {
	text := bytes.Repeat([]byte("1.5,2.5\n"), 1<<17)
	if _, err := ReadBytes("x.csv", text, nil); err != nil {
		t.Fatal(err)
	}
	_, err := ReadBytes("x.csv", text, &Options{MaxMemory: 1 << 20})
	if want := "x.csv: needs more than the memory limit of 1024 KiB"; err == nil || err.Error() != want || !errors.Is(err, ErrMemory) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestBlocksAreBounded reads a table of 56 MB in blocks with room for 40 MB,
// enough for the blocks in flight on any machine.
func TestBlocksAreBounded(t *testing.T) {
	text := append([]byte("a,b,c,word\n"), bytes.Repeat([]byte("1.25,-2.5,1e3,red\n"), 2_000_000)...)
	r, err := openTable("x.csv", func() (*source, error) { return openBytes("x.csv", text, &Options{MaxMemory: 40 << 20}) }, &Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for {
		b, err := r.Next()
		if err != nil {
			if rows != 2_000_000 {
				t.Fatalf("%d rows, %v", rows, err)
			}
			break
		}
		if c := b.Columns[3]; c.Kind != Category || c.Text(0) != "red" || b.Columns[1].Numbers[b.Rows-1] != -2.5 {
			t.Fatalf("got %v %q", c.Kind, c.Text(0))
		}
		rows += b.Rows
	}
}
