package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"rot.example/rot/internal/budget"
)

// memoryFlag is --max-memory, which all readers of files share.
type memoryFlag struct{}

func (memoryFlag) String() string { return "" }

// Set implements pflag.Value.
func (memoryFlag) Set(s string) error {
	bytes, ok := budget.Parse(s)
	if !ok {
		return errors.New("want a size, such as 500M or 4G")
	}
	budget.SetLimit(bytes)
	return nil
}

// Type is the placeholder in the help.
func (memoryFlag) Type() string { return "size" }

// bindMaxMemory binds the flag of all commands. Without it, readers hold half of
// the machine's memory at most, and small files may not unfold far.
func bindMaxMemory(f *pflag.FlagSet) {
	budget.SetLimit(0)
	f.Var(memoryFlag{}, "max-memory", "most that reading files may take, such as 4G; files up to it are trusted (default half of the memory, and 64 times a file's size)")
}
