package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// A role is what a column is for.
type role uint8

const (
	roleCoord role = iota
	roleID
	roleLabel
)

// columnRoles sets each of n columns to its role. names may be nil.
func columnRoles(file string, names []string, n int, opts *Options) ([]role, *InputError) {
	id, err := findColumn(file, "id", names, n, opts.IDColumn)
	if err != nil {
		return nil, err
	}
	label, err := findColumn(file, "label", names, n, opts.LabelColumn)
	if err != nil {
		return nil, err
	}
	if id < 0 {
		id = autoID(names, label)
	}
	if id >= 0 && id == label {
		return nil, fileError(file, "column %s cannot hold both ids and labels", columnName(names, id))
	}
	roles := make([]role, n)
	if id >= 0 {
		roles[id] = roleID
	}
	if label >= 0 {
		roles[label] = roleLabel
	}
	return roles, refuseIndex(file, names, roles)
}

// refuseIndex fails when a coordinate is a row index that pandas or R saved
// beside the data: as a first column without a name, or under pandas' own
// name. It is hardly ever meant as a coordinate, and would drown the others.
func refuseIndex(file string, names []string, roles []role) *InputError {
	for j, name := range names {
		unnamed := j == 0 && name == "" && len(names) > 1
		if roles[j] == roleCoord && (unnamed || name == "__index_level_0__") {
			return &InputError{
				File: file, Row: -1, Column: columnName(names, j),
				Msg: "looks like a saved row index", Remedy: DeclareIndex,
			}
		}
	}
	return nil
}

// autoID is the column called id, if there is just one and it is not the
// label column; otherwise -1.
func autoID(names []string, label int) int {
	found := -1
	for j, name := range names {
		if strings.EqualFold(name, "id") && j != label {
			if found >= 0 {
				return -1
			}
			found = j
		}
	}
	return found
}

// findColumn is the index of the column want, given by name or by number
// counted from 1, and -1 when want is empty. A name wins over a number.
func findColumn(file, role string, names []string, n int, want string) (int, *InputError) {
	if want == "" {
		return -1, nil
	}
	found := -1
	for j, name := range names {
		if name == want {
			if found >= 0 {
				err := columnError(file, role, want, "names columns %d and %d; give the number instead", found+1, j+1)
				err.Err.(*ColumnError).Missing = false
				return -1, err
			}
			found = j
		}
	}
	if found >= 0 {
		return found, nil
	}
	if k, ok := columnNumber(want); ok {
		if k < 1 || k > n {
			return -1, columnError(file, role, want, "the file has %d columns, counted from 1", n)
		}
		return k - 1, nil
	}
	if names == nil {
		return -1, columnError(file, role, want, "the file has no header; give the column's number, counted from 1")
	}
	return -1, columnError(file, role, want, "no such column; the columns are %s", list(names))
}

// columnNumber reads s as a column number.
func columnNumber(s string) (int, bool) {
	k, err := strconv.Atoi(s)
	return k, err == nil
}

// columnName is how messages call column j: by its quoted name, or by its
// number counted from 1, as Options counts.
func columnName(names []string, j int) string {
	if j < len(names) && names[j] != "" {
		return strconv.Quote(names[j])
	}
	return strconv.Itoa(j + 1)
}

// list joins names for a message and cuts a long list.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// coordNames are the names of the coordinate columns, nil without names.
func coordNames(names []string, roles []role) []string {
	if names == nil {
		return nil
	}
	var out []string
	for j, r := range roles {
		if r == roleCoord {
			out = append(out, names[j])
		}
	}
	return out
}
