package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A rule is the range of a number on the command line.
type rule struct {
	want string // completes "want …"
	ok   func(float64) bool
}

var (
	ruleRadius   = rule{"a number, 0 or more", func(v float64) bool { return v >= 0 }}
	ruleFraction = rule{"a number from 0 up to, not including, 1", func(v float64) bool { return v >= 0 && v < 1 }}
	rulePositive = rule{"a number above 0", func(v float64) bool { return v > 0 }}
	ruleMass     = rule{"a number above 0, at most 1", func(v float64) bool { return v > 0 && v <= 1 }}
	ruleTol      = rule{"a number above 0 and below 1", func(v float64) bool { return v > 0 && v < 1 }}
)

// parse reads a finite number that obeys the rule.
func (r rule) parse(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsInf(v, 0) || !r.ok(v) {
		return 0, errors.New("want " + r.want)
	}
	return v, nil
}

// A numberFlag is a number in a range.
type numberFlag struct {
	value *float64
	rule  rule
}

func (f numberFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return strconv.FormatFloat(*f.value, 'g', -1, 64)
}

// Set implements pflag.Value.
func (f numberFlag) Set(s string) (err error) {
	*f.value, err = f.rule.parse(s)
	return err
}

// Type is the placeholder in the help.
func (numberFlag) Type() string { return "number" }

// A countFlag is a whole number, 0 or more.
type countFlag struct{ value *int }

func (f countFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return strconv.Itoa(*f.value)
}

// Set implements pflag.Value.
func (f countFlag) Set(s string) error {
	v, err := strconv.Atoi(s)
	if err != nil || v < 0 {
		return errors.New("want a whole number, 0 or more")
	}
	*f.value = v
	return nil
}

// Type is the placeholder in the help.
func (countFlag) Type() string { return "count" }

// A choiceFlag is one of several words.
type choiceFlag struct {
	value   *string
	choices []string
}

func (f choiceFlag) String() string {
	if f.value == nil {
		return ""
	}
	return *f.value
}

// Set implements pflag.Value.
func (f choiceFlag) Set(s string) error {
	if !slices.Contains(f.choices, s) {
		return fmt.Errorf("want one of %s", strings.Join(f.choices, ", "))
	}
	*f.value = s
	return nil
}

// Type is the placeholder in the help.
func (choiceFlag) Type() string { return "name" }

// A radiusFlag is a radius, or the word auto.
type radiusFlag struct {
	value *float64
	auto  *bool
}

func (f radiusFlag) String() string {
	if f.auto != nil && *f.auto { // pflag asks a zero flag, too
		return "auto"
	}
	return numberFlag{value: f.value}.String()
}

// Set implements pflag.Value.
func (f radiusFlag) Set(s string) (err error) {
	if *f.auto = s == "auto"; *f.auto {
		*f.value = 0
		return nil
	}
	if *f.value, err = ruleRadius.parse(s); err != nil {
		return fmt.Errorf("%w, or auto", err)
	}
	return nil
}

// Type is the placeholder in the help.
func (radiusFlag) Type() string { return "number|auto" }

// A radiiFlag is a list of radii, sorted, each of them once.
type radiiFlag struct{ value *[]float64 }

func (f radiiFlag) String() string { return "" }

// Set implements pflag.Value.
func (f radiiFlag) Set(s string) error {
	var out []float64
	for part := range strings.SplitSeq(s, ",") {
		v, err := ruleRadius.parse(part)
		if err != nil {
			return fmt.Errorf("want radii such as 0,0.01,0.05; %q is not a number, 0 or more", part)
		}
		out = append(out, v)
	}
	slices.Sort(out)
	*f.value = slices.Compact(out)
	return nil
}

// Type is the placeholder in the help.
func (radiiFlag) Type() string { return "numbers" }

// completeChoices offers the words of choice flags to the shell.
func completeChoices(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if c, ok := f.Value.(choiceFlag); ok {
			// It fails for a flag that does not exist; this one does.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(c.choices, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}
