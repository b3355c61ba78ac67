package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"rot.example/rot/dataset"
)

// A given data set is one that nobody may pass on: a user who has it says where.
type given struct {
	name   string // of the data set
	flag   string // that names its folder
	folder func(o *Options) string
	check  func(o *Options) error
}

// givenSets are the given data sets, by the part that uses them.
var givenSets = map[string]given{
	"visda":  {"VisDA-17", "--visda", func(o *Options) string { return o.VisDA }, checkVisDA},
	"celeba": {"CelebA", "--celeba", func(o *Options) string { return o.CelebA }, func(o *Options) error { return dataset.CheckCelebA(o.CelebA, maleAttribute) }},
}

// Check says what is wrong with the data sets and files that o names, before any
// of them is read.
func (o *Options) Check() error {
	if o.Features != "" {
		if _, err := os.Stat(o.Features); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("experiments: %s: no such file", o.Features)
		} else if err != nil {
			return fmt.Errorf("experiments: %w", err)
		}
	}
	for _, part := range []string{"visda", "celeba"} {
		if s := givenSets[part]; s.folder(o) != "" {
			if err := s.check(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// NeedsFlag is the flag that names the data of a part; "" for data below
// Options.Data.
func NeedsFlag(part string) string { return givenSets[part].flag }

// parts are those that are to be run: without any chosen all whose data are not
// left to a flag that is missing.
func (e *Experiment) parts(o *Options) ([]string, error) {
	parts := o.Parts
	if len(parts) == 0 {
		parts = slices.DeleteFunc(slices.Clone(e.Parts), func(p string) bool {
			s, ok := givenSets[p]
			return ok && s.folder(o) == ""
		})
	}
	for _, p := range parts {
		if !slices.Contains(e.Parts, p) {
			return nil, fmt.Errorf("experiments: %s has no part %q; choose %s", e.Name, p, strings.Join(e.Parts, ", "))
		}
	}
	return parts, o.Check()
}

// fileHash tells files of weights apart by what is in them.
func fileHash(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// notGiven is the note of a part whose flag is missing.
func notGiven(part string) string {
	s := givenSets[part]
	return fmt.Sprintf("%s%s is not given: %s names its folder", notRun, s.name, s.flag)
}
