package cli

import (
	"context"
	"errors"
	"io"

	"rot.example/rot/internal/atomicfile"
)

// outputs are the files of one command, which appear together or not at all.
type outputs struct{ group atomicfile.Group }

// add announces the file path, which flag asks for, and checks that it can be
// written and is none of the inputs. An empty path is no output.
func (o *outputs) add(flag, path string, inputs []string) error {
	err := o.group.Add(flag, path, inputs)
	var same *atomicfile.SameFileError
	if errors.As(err, &same) {
		return usagef("%s", same.Error())
	}
	return err
}

func (o *outputs) stage(path string, write func(io.Writer) error) error {
	return o.group.Stage(path, write)
}

func (o *outputs) staged(path string) string        { return o.group.Staged(path) }
func (o *outputs) commit(ctx context.Context) error { return o.group.Commit(ctx) }
func (o *outputs) discard()                         { o.group.Discard() }
