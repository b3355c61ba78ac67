package cli

import (
	"errors"
	"fmt"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/train"
)

// TestConfigUsage: what is wrong with a configuration is said in flags, all of
// it at once.
func TestConfigUsage(t *testing.T) {
	if err := configUsage(nil); err != nil {
		t.Errorf("nothing is wrong, and it says %v", err)
	}
	err := configUsage(errors.Join(
		&train.FieldError{Package: "gan", Field: "critic_steps", Problem: "is 0 and must be at least 1"},
		&train.FieldError{Package: "gan", Field: "rho_auto", Problem: "needs weights transport or bank, whose radius can change"},
	))
	var usage *usageError
	if want := "--critic-steps is 0 and must be at least 1; --rho auto needs weights transport or bank, whose radius can change"; !errors.As(err, &usage) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestStopFlags: a run that was stopped is reported with the flags that help.
func TestStopFlags(t *testing.T) {
	for _, tt := range []struct {
		err     error
		backend string
		want    string
	}{
		{&train.StoppedError{Step: 7, Cause: fmt.Errorf("the loss is NaN; %w", train.ErrDiverged), Saved: "f"}, "cpu",
			"train: stopped at step 7: the loss is NaN; training has diverged: a smaller learning rate usually helps (the batch is in f); try a new run with another --lr"},
		{&train.StoppedError{Step: 7, Cause: fmt.Errorf("the loss is NaN; %w", train.ErrDiverged), Saved: "f"}, "xla",
			"train: stopped at step 7: the loss is NaN; training has diverged: a smaller learning rate usually helps (the batch is in f); try a new run with another --lr, or once more from the last checkpoint, since it may not happen again on a GPU: rot da resume r"},
		{&train.StoppedError{Step: 7, Cause: train.ErrDeadWeights, Saved: "f"}, "cpu",
			"train: stopped at step 7: the weight network gives every sample 0 and no longer learns: a smaller learning rate, a longer warm-up or another seed usually helps (the batch is in f); try a new run with another --lr, --warm-up, --seed"},
		{errors.New("no space left"), "xla", "no space left"},
	} {
		if got := stopFlags(tt.err, &engine.Backend{Kind: tt.backend}, "rot da resume r", "--lr"); got.Error() != tt.want {
			t.Errorf("got %v, want %s", got, tt.want)
		}
	}
}

// TestFlagText: errors about data name the flags that help.
func TestFlagText(t *testing.T) {
	column := &dataset.ColumnError{Role: "id", Column: "name", Problem: "no such column; the columns are x, y"}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&dataset.InputError{File: "a.csv", Row: -1, Msg: column.Error(), Err: column}, "a.csv: --id-column name: no such column; the columns are x, y"},
		{fmt.Errorf("reading: %w", &dataset.InputError{File: "a.csv", Row: -1, Msg: "has a column outlier already", Remedy: dataset.SetAside}),
			"reading: a.csv: has a column outlier already (set it aside with --label-column outlier)"},
		{&dataset.InputError{File: "d", Row: -1, Msg: "the images are 28×30 gray", Remedy: dataset.SetSquare}, "d: the images are 28×30 gray (make them square with --size)"},
		{&dataset.InputError{File: "d", Row: -1, Msg: "the images differ in size", Remedy: dataset.SetSize}, "d: the images differ in size (bring them to one size with --size)"},
		{&dataset.InputError{File: "d", Row: -1, Msg: "there are no labels to choose by", Remedy: dataset.DeclareLabels}, "d: there are no labels to choose by (declare a column of them with --label-column)"},
		{&dataset.InputError{File: "d", Row: -1, Msg: "has rows of 3 numbers", Remedy: dataset.DeclareOther}, "d: has rows of 3 numbers (declare a column that is no coordinate with --id-column or --label-column)"},
		{fmt.Errorf("gan: %w: %w", errors.New("one"), errors.New("two")), "one: two"},
		{errors.Join(errors.New("gan: one"), errors.New("gan: two")), "one; two"},
	} {
		if got := flagText(tt.err); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
