package runs

import (
	"fmt"
	"io"

	"rot.example/rot/internal/atomicfile"
)

// WriteFile makes or replaces the file path by what write writes. The file
// appears complete or not at all, also when the machine stops: it is written
// under another name, brought to disk and then renamed.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("runs: write %s: %w", path, err)
	}
	return nil
}
