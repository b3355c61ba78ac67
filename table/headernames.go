package table

import (
	"bufio"
	"encoding/csv"
	"io"
	"path/filepath"
	"strings"

	"rot.example/rot/internal/openfile"
)

// headerBytes is as much of a file as HeaderNames reads.
const headerBytes = 1 << 16

// HeaderNames returns the fields of the first line of a CSV or TSV file, for
// instance to offer them while somebody types; nil for all else. It reads
// little of the file, and does not ask whether that line is a header.
func HeaderNames(path string) []string {
	comma := ','
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
	case ".tsv":
		comma = '\t'
	default:
		return nil
	}
	f, _, err := openfile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text := bufio.NewReader(io.LimitReader(f, headerBytes))
	if bom, err := text.Peek(3); err == nil && string(bom) == "\ufeff" {
		_, _ = text.Discard(3) // They are there.
	}
	if line, _ := text.Peek(headerBytes); comma == ',' {
		first, _, _ := strings.Cut(string(line), "\n")
		if strings.Count(first, ";") > strings.Count(first, ",") {
			comma = ';'
		}
	}
	r := csv.NewReader(text)
	r.Comma = comma
	columns, err := r.Read()
	if err != nil {
		return nil
	}
	return columns
}
