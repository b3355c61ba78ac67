package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/train"
)

// Libraries know no flags. Their errors are typed, and this file says which
// flag each of them is about.

// givenFields returns the fields of a configuration, by their names in
// config.json, whose flags were given.
func givenFields(flags *pflag.FlagSet, config any) []string {
	var given []string
	for _, field := range train.FieldNames(config) {
		if flags.Changed(strings.ReplaceAll(field, "_", "-")) {
			given = append(given, field)
		}
	}
	return given
}

// fieldFlag returns the flag of a field.
func fieldFlag(field string) string {
	if field == "rho_auto" {
		return "--rho auto"
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}

// configUsage turns what is wrong with a configuration into a usage error that
// names the flags; nil stays nil.
func configUsage(err error) error {
	if err == nil {
		return nil
	}
	var faults []string
	for _, err := range joined(err) {
		text := plainText(err)
		var field *train.FieldError
		if errors.As(err, &field) {
			text = fieldFlag(field.Field) + " " + field.Problem
		}
		faults = append(faults, text)
	}
	return usagef("%s", strings.Join(faults, "; "))
}

// joined returns the errors that errors.Join made one of. One that wraps several
// in a text of its own, as fmt.Errorf makes, stays whole.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(all.Unwrap()...).Error() {
		return all.Unwrap()
	}
	return []error{err}
}

// stopFlags adds the flags that change what a stopped run suffered from. lr are
// those of its learning rates. A GPU does not repeat itself to the last bit, and what
// happened on one may not happen again, so that resume, the command which goes on
// from the last checkpoint, is worth a try there.
func stopFlags(err error, b *engine.Backend, resume string, lr ...string) error {
	var stopped *train.StoppedError
	if !errors.As(err, &stopped) {
		return err
	}
	if !errors.Is(err, train.ErrDiverged) {
		lr = append(lr, "--warm-up", "--seed")
	}
	err = fmt.Errorf("%w; try a new run with another %s", err, strings.Join(lr, ", "))
	if b.Kind == "xla" {
		err = fmt.Errorf("%w, or once more from the last checkpoint, since it may not happen again on a GPU: %s", err, resume)
	}
	return err
}

// flagText is plainText with the flags that an error of package dataset is
// about.
func flagText(err error) string {
	text := plainText(err)
	var column *dataset.ColumnError
	if errors.As(err, &column) {
		text = strings.Replace(text, column.Error(), fmt.Sprintf("--%s-column %s: %s", column.Role, column.Column, column.Problem), 1)
	}
	var input *dataset.InputError
	if errors.As(err, &input) && input.Remedy != "" {
		text = strings.Replace(text, "("+string(input.Remedy)+")", "("+remedyFlags(input)+")", 1)
	}
	return text
}

// remedyFlags says how the command line applies the remedy of an error.
func remedyFlags(e *dataset.InputError) string {
	switch e.Remedy {
	case dataset.DeclareLabels:
		return "declare a column of them with --label-column"
	case dataset.DeclareOther:
		return "declare a column that is no coordinate with --id-column or --label-column"
	case dataset.SetAside:
		return "set it aside with --label-column " + dataset.MarkColumn
	case dataset.SetSquare:
		return "make them square with --size"
	case dataset.SetSize:
		return "bring them to one size with --size"
	}
	return string(e.Remedy)
}
