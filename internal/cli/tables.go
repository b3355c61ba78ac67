package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"rot.example/rot/dataset"
	tab "rot.example/rot/table"
)

// tableFlags say how tables are read, alike in every verb.
type tableFlags struct {
	idColumn, labelColumn  string
	columns, ignore        []string
	header, missing, scale string
	usual                  string // --missing unless it is given
	clock                  bool
	encoding               string // a file to read, or to write when it is not there
	known                  *tab.Encoding
}

const tableHelp = `Columns of two tables meet by name, whatever their order, and by position where
a file has no names. --columns and --ignore choose among them; * stands for any
letters. A column called id, or a saved row index, names the rows. Categories
become one-hot components, of which a difference costs 1, as between true and
false; times count in days.`

// bind adds the flags. missing is what is done about missing cells unless the
// user says otherwise.
func (t *tableFlags) bind(f *pflag.FlagSet, missing tab.Missing) {
	t.bindColumns(f)
	t.missing, t.usual = string(missing), string(missing)
	f.Var(choiceFlag{&t.missing, []string{"error", "drop", "median", "indicator"}}, "missing", "missing cells: error, drop the row, median, or median and an indicator component")
	f.Var(choiceFlag{&t.scale, []string{"none", "std", "robust"}}, "scale", "unit of the numbers: none (as they are), std (deviation), robust (quartiles)")
	f.BoolVar(&t.clock, "clock", false, "times give their weekday and hour, too")
	f.StringVar(&t.encoding, "encoding", "", "JSON `file` that says how columns become numbers: used if it is there, else written")
}

// bindColumns adds the flags that choose columns.
func (t *tableFlags) bindColumns(f *pflag.FlagSet) {
	f.StringSliceVar(&t.columns, "columns", nil, "use these `columns` only, as in a,b,c*; by name, or by number from 1")
	f.StringSliceVar(&t.ignore, "ignore", nil, "leave these `columns` out")
	f.StringVar(&t.idColumn, "id-column", "", "`column` that names the rows")
	f.StringVar(&t.labelColumn, "label-column", "", "`column` of labels, which are never coordinates")
	f.Var(choiceFlag{&t.header, []string{"yes", "no"}}, "header", "whether the first line of a CSV file has names (default: by its looks)")
}

// A tableConfig is the part of a run's configuration that says how tables are
// read.
type tableConfig struct {
	columns, ignore        *[]string
	header, missing, scale *string
	clock                  *bool
}

// bindConfig adds the flags for tables to those of a run, which keeps them in
// its configuration.
func (t *tableFlags) bindConfig(f *pflag.FlagSet, c tableConfig) {
	f.StringSliceVar(c.columns, "columns", nil, "of tables: use these `columns` only, as in a,b,c*")
	f.StringSliceVar(c.ignore, "ignore", nil, "of tables: leave these `columns` out")
	f.Var(choiceFlag{c.header, []string{"yes", "no"}}, "header", "whether the first line of CSV has names")
	f.Var(choiceFlag{c.missing, []string{"error", "drop", "median", "indicator"}}, "missing", "cells: error, drop, median, indicator")
	f.Var(choiceFlag{c.scale, []string{"none", "std", "robust"}}, "scale", "unit of the numbers: none, std, robust")
	f.BoolVar(c.clock, "clock", false, "times give their weekday and hour, too")
	f.StringVar(&t.encoding, "encoding", "", "JSON `file` of how columns become numbers: used, or written")
}

// readConfig reads the encoding, if there is one already, and checks that the
// flags for tables go with the data of a run.
func (t *tableFlags) readConfig(f *pflag.FlagSet, data string) error {
	if names := givenTableFlags(f.Changed); len(names) > 0 && dataset.IsImages(data) {
		return usagef("--%s is for tables, and %s is images", names[0], data)
	}
	return t.read(f.Changed)
}

// tableFlagNames are the flags of bind.
var tableFlagNames = []string{"columns", "ignore", "id-column", "label-column", "header", "missing", "scale", "clock", "encoding"}

// given returns those of the flags that the user gave.
func givenTableFlags(given func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(tableFlagNames), func(name string) bool { return !given(name) })
}

// read reads the encoding, if there is one already.
func (t *tableFlags) read(given func(string) bool) error {
	if given("encoding") && (t.encoding == "" || t.encoding == "-") {
		return usagef("--encoding needs a file, got %q", t.encoding)
	}
	if t.encoding == "" {
		return nil
	}
	text, err := os.ReadFile(t.encoding)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--encoding %s: %w", t.encoding, err)
	}
	for _, flag := range []string{"scale", "missing", "clock"} {
		if given(flag) {
			return usagef("--%s is settled by the encoding in %s; leave it out, or name a new file", flag, t.encoding)
		}
	}
	if t.known, err = tab.ParseEncoding(text); err != nil {
		return fmt.Errorf("--encoding %s: %s", t.encoding, plainText(err))
	}
	return nil
}

// options are those of package dataset.
func (t *tableFlags) options(std IO) *dataset.Options {
	return &dataset.Options{
		IDColumn: t.idColumn, LabelColumn: t.labelColumn, Columns: t.columns, Ignore: t.ignore,
		Header: tab.Header(t.header), Missing: tab.Missing(t.missing), Scale: tab.Scale(t.scale), Clock: t.clock,
		Encoding: t.known, Stdin: std.In,
	}
}

// addOutput announces the encoding as a file to write, unless it was read.
func (t *tableFlags) addOutput(out *outputs, inputs []string) error {
	if t.known != nil {
		return nil
	}
	return out.add("--encoding", t.encoding, inputs)
}

// stage writes the encoding of a table, if it was asked for and is new.
func (t *tableFlags) stage(out *outputs, e *tab.Encoding) error {
	if t.encoding == "" || t.known != nil {
		return nil
	}
	if e == nil {
		return fmt.Errorf("--encoding %s: rows of numbers without names have no encoding", t.encoding)
	}
	return out.stage(t.encoding, func(w io.Writer) error {
		text, err := json.MarshalIndent(e, "", " ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(text, '\n'))
		return err
	})
}

// arguments repeats the flags on a command line.
func (t *tableFlags) arguments(flag func(name, value string)) {
	flag("--id-column", t.idColumn)
	flag("--label-column", t.labelColumn)
	flag("--columns", strings.Join(t.columns, ","))
	flag("--ignore", strings.Join(t.ignore, ","))
	flag("--header", t.header)
	if t.encoding != "" {
		flag("--encoding", t.encoding) // which settles the rest
		return
	}
	if t.missing != t.usual {
		flag("--missing", t.missing)
	}
	flag("--scale", t.scale)
}

// sayNotes prints what was done to tables on the way.
func sayNotes(std IO, tables ...*dataset.Table) {
	for _, t := range tables {
		sayAbout(std, t.Name, t.Notes)
	}
}

func sayAbout(std IO, name string, notes []string) {
	for _, note := range notes {
		fmt.Fprintf(std.Err, "rot: %s: %s\n", name, note)
	}
}
