package dataset

import (
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A span is a range of images as in [10:20]; the zero value is all of them.
type span struct {
	text   string // as the user wrote it
	lo, hi string // digits, or empty
}

var spanSuffix = regexp.MustCompile(`\[(\d*):(\d*)\]$`)

// cutRange takes the range off a spec. A file that exists under the whole
// name is that file.
func cutRange(spec string) (string, span) {
	m := spanSuffix.FindStringSubmatch(spec)
	if m == nil {
		return spec, span{}
	}
	if _, err := os.Stat(strings.TrimPrefix(spec, "stack:")); err == nil {
		return spec, span{}
	}
	return strings.TrimSuffix(spec, m[0]), span{m[0], m[1], m[2]}
}

// of resolves s on n images of a file: from lo up to, not including, hi.
func (s span) of(file string, n int) (lo, hi int, err error) {
	hi = n
	if s.lo != "" {
		lo, err = strconv.Atoi(s.lo)
	}
	if s.hi != "" && err == nil {
		hi, err = strconv.Atoi(s.hi)
	}
	switch {
	case err != nil || hi > n || lo > n:
		return 0, 0, fileError(file, "the range %s goes beyond the %d images that there are", s.text, n)
	case lo >= hi:
		return 0, 0, fileError(file, "the range %s has no images", s.text)
	}
	return lo, hi, nil
}

// setLabels keeps those labels of a whole set that go with im, which begins
// with its image lo. labels may be nil.
func (im *Images) setLabels(labels []int32, lo int) {
	if labels != nil {
		hi := lo + im.Len()
		im.Labels = labels[lo:hi:hi]
	}
}

// numberFrom names the images by their numbers in a set of which im begins
// with image lo.
func (im *Images) numberFrom(lo int) {
	if lo == 0 {
		return // The index will do.
	}
	im.IDs = make([]string, im.Len())
	for i := range im.IDs {
		im.IDs[i] = strconv.Itoa(lo + i)
	}
}
