package train

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rot.example/rot/dataset"
)

// A FieldError reports a field of a Config whose value cannot be used. Its text
// reads "gan: critic_steps is 0 and must be at least 1".
type FieldError struct {
	Package string // whose Config it is: gan or da
	Field   string // the name of the field in config.json
	Problem string // what is wrong, as the rest of a sentence that starts with the field
}

func (e *FieldError) Error() string { return e.Package + ": " + e.Field + " " + e.Problem }

// Faults collects everything that is wrong with a Config, so that a user is
// told all of it at once. Package is the start of the errors' texts.
type Faults struct {
	Package string
	errs    []error
}

// Wrong adds a FieldError if bad. The format continues the sentence that the
// field starts.
func (f *Faults) Wrong(bad bool, field, format string, args ...any) {
	if bad {
		f.errs = append(f.errs, &FieldError{f.Package, field, fmt.Sprintf(format, args...)})
	}
}

// OneOf adds an error unless value is one of the choices.
func (f *Faults) OneOf(field, value string, choices []string) {
	f.Wrong(!slices.Contains(choices, value), field, "is %q; choose %s", value, strings.Join(choices, ", "))
}

// Positive adds an error unless v is at least 1.
func (f *Faults) Positive(field string, v int) {
	f.Wrong(v < 1, field, "is %d and must be at least 1", v)
}

// Between adds an error unless v is from low to high, both included.
func (f *Faults) Between(field string, v, low, high float64) {
	f.Wrong(!(v >= low && v <= high), field, "is %g and must be from %g to %g", v, low, high)
}

// Rate adds an error unless v is a learning rate: above 0 and below 1.
func (f *Faults) Rate(field string, v float64) {
	f.Wrong(!(v > 0 && v < 1), field, "is %g and must be between 0 and 1", v)
}

// Err joins the errors that were added; nil if there are none.
func (f *Faults) Err() error { return errors.Join(f.errs...) }

// FieldNames returns the names that the fields of a Config, a struct, have in
// config.json.
func FieldNames(config any) []string {
	var names []string
	for field := range reflect.TypeOf(config).Fields() {
		if name := jsonName(field); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// jsonName is the name of a field in JSON; empty for one that JSON leaves out.
func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// FillZeros sets the fields of c that are zero to those of defaults, except for
// those that given names, by their names in config.json. A name in given that
// no field has is an error.
func FillZeros[Config any](c *Config, defaults Config, given []string) error {
	names := FieldNames(defaults)
	for _, name := range given {
		if !slices.Contains(names, name) {
			return fmt.Errorf("train: a configuration has no field %q; the fields are %s", name, strings.Join(names, ", "))
		}
	}
	to, from := reflect.ValueOf(c).Elem(), reflect.ValueOf(defaults)
	for i := range to.NumField() {
		name := jsonName(to.Type().Field(i))
		if name != "" && to.Field(i).IsZero() && !slices.Contains(given, name) {
			to.Field(i).Set(from.Field(i))
		}
	}
	return nil
}

// Data adds an error unless spec names data that a resumed run can read again.
func (f *Faults) Data(field, spec string) {
	f.Wrong(spec == "", field, "is not given")
	f.Wrong(spec == "-", field, "is standard input, and a run reads its data again when it is resumed: save them to a file")
}

// Outliers adds an error unless spec is empty or DATA@FRACTION.
func (f *Faults) Outliers(field, spec string) {
	if spec == "" {
		return
	}
	if _, _, err := dataset.ParseMix(spec); err != nil {
		f.Wrong(true, field, "%v", err)
	}
}
