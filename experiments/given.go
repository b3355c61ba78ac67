package experiments

import (
	"fmt"
	"os"

	"rot.example/rot/dataset"
)

// A given data set is one that nobody may pass on: a user who has it says where.
type given struct {
	part   string // that uses it
	name   string // of the data set
	folder func(o *Options) string
	check  func(o *Options) error
}

// givenSets are the given data sets, by the part that uses them.
var givenSets = map[string]given{
	"visda":  {"visda", "VisDA-17", func(o *Options) string { return o.VisDA }, checkVisDA},
	"celeba": {"celeba", "CelebA", func(o *Options) string { return o.CelebA }, func(o *Options) error { return dataset.CheckCelebA(o.CelebA, maleAttribute) }},
}

// missing returns a NotGivenError where o does not say where the data set is.
func (s given) missing(o *Options) error {
	if s.folder(o) == "" {
		return &NotGivenError{Part: s.part, DataSet: s.name}
	}
	return nil
}

// Check returns what is wrong with the data sets and files that o names, before
// any of them is read.
func (o *Options) Check() error {
	if o.Features != "" {
		if _, err := os.Stat(o.Features); err != nil {
			return fmt.Errorf("experiments: %w", err)
		}
	}
	for _, part := range []string{"visda", "celeba"} {
		if s := givenSets[part]; s.missing(o) == nil {
			if err := s.check(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// GivenDataSet returns the name of the data set that a part needs and that only
// its users have; "" for a part whose data lie below Options.Data.
func GivenDataSet(part string) string { return givenSets[part].name }
