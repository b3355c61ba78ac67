package dataset

import "strings"

// An arraySpec says which arrays of an archive make up a table.
type arraySpec struct {
	points string // the rows; "" for the only array that is nothing else
	scale  string // a factor for each column, or ""
	labels string // a label for each row, or ""
	rows   selection
}

// parse reads what follows the name of the archive in a spec,
//
//	:POINTS*SCALE,LABELS[NAME=VALUE|…][A:B]
//
// where each part may be missing. An array that exists under a longer name is
// that array.
func (a *archive) parse(tail string) (s arraySpec, err error) {
	known := func(tail string) bool {
		name, ok := strings.CutPrefix(tail, ":")
		return ok && a.has(name)
	}
	tail, s.rows = cutSelection(tail, known)
	s.points = strings.TrimPrefix(tail, ":")
	if k := strings.LastIndexByte(s.points, ','); k >= 0 && !a.has(s.points) {
		if s.points, s.labels = s.points[:k], s.points[k+1:]; s.labels == "" {
			return s, fileError(a.path+tail, "no array of labels follows the comma")
		}
	}
	if k := strings.LastIndexByte(s.points, '*'); k >= 0 && !a.has(s.points) {
		if s.points, s.scale = s.points[:k], s.points[k+1:]; s.scale == "" {
			return s, fileError(a.path+tail, "no array of factors follows the *")
		}
	}
	return s, nil
}
