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

// setPart keeps the labels and ids of images lo to hi of all. ids may be nil.
func (im *Images) setPart(labels []int32, lo int, id func(int) string) {
	hi := lo + im.Len()
	if labels != nil {
		im.Labels = labels[lo:hi:hi]
	}
	if id == nil && lo == 0 {
		return
	}
	if id == nil {
		id = strconv.Itoa
	}
	im.IDs = make([]string, hi-lo)
	for i := range im.IDs {
		im.IDs[i] = id(lo + i)
	}
}
