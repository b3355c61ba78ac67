package dataset

import "slices"

// A MarksError is marks that are the same for all rows, so that nothing can be
// scored by them.
type MarksError struct {
	From string // where they come from
	All  bool   // all rows are marked; else none is
}

func (e *MarksError) Error() string {
	if e.All {
		return e.From + " marks every row as an outlier"
	}
	return e.From + " marks no row as an outlier"
}

// KnownOutliers reads which rows of t are known outliers: from the file path as
// LoadMarks does, or from the labels of t where path is "labels" (or "label").
// It returns a *MarksError where all or none are.
func (t *Table) KnownOutliers(path string) (marks []bool, err error) {
	from := path
	if LabelsMark(path) {
		from = "the label column of " + t.Name
		marks, err = t.Marks()
	} else {
		marks, err = LoadMarks(path, t.Points.Len())
	}
	if err != nil {
		return nil, err
	}
	if some := slices.Contains(marks, true); !some || !slices.Contains(marks, false) {
		return nil, &MarksError{From: from, All: some}
	}
	return marks, nil
}

// LabelsMark reports whether path is the word that stands for the labels of a
// table as marks of its outliers.
func LabelsMark(path string) bool { return path == "label" || path == "labels" }
