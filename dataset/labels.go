package dataset

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Classes are the different labels in their natural order, and the place among
// them of each row's label. Numbers come before texts and are ordered by size;
// texts are ordered as people count, class_2 before class_10. Both are nil
// when t has no labels.
func (t *Table) Classes() (names []string, index []int32) {
	if t.Labels == nil {
		return nil, nil
	}
	names = distinct(t.Labels)
	place := make(map[string]int32, len(names))
	for k, s := range names {
		place[s] = int32(k)
	}
	index = make([]int32, len(t.Labels))
	for i, s := range t.Labels {
		index[i] = place[s]
	}
	return names, index
}

// distinct are the different labels, in their natural order.
func distinct(labels []string) []string {
	seen := make(map[string]bool)
	var out []string
	for _, s := range labels {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	slices.SortFunc(out, compareLabels)
	return out
}

func compareLabels(a, b string) int {
	x, isX := parseNumber([]byte(a))
	y, isY := parseNumber([]byte(b))
	switch {
	case isX && isY:
		return cmp.Or(cmp.Compare(x, y), strings.Compare(a, b))
	case isX:
		return -1
	case isY:
		return 1
	}
	return compareNatural(a, b)
}

// maxExact bounds the whole numbers that float64 tells apart.
const maxExact = 1 << 53

// canonical is the same for labels that write one number in different ways,
// such as 2 and 2.0.
func canonical(label string) string {
	if v, ok := parseNumber([]byte(label)); ok && math.Abs(v) < maxExact {
		return numberText(v)
	}
	return label
}

// numberText is v as a label: a whole number without decimals or exponent.
func numberText(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < maxExact {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// parseNumber reads a finite number, with blanks around it allowed.
func parseNumber(f []byte) (float64, bool) {
	if n := len(f); n > 0 && (f[0] <= ' ' || f[n-1] <= ' ') {
		f = bytes.TrimSpace(f)
	}
	v, err := strconv.ParseFloat(string(f), 64)
	return v, err == nil && v*0 == 0
}

// LabelNames returns the classes of images by name, or by number; nil without
// any.
func (im *Images) LabelNames() []string {
	var labels []string
	for _, k := range im.Labels {
		name := strconv.Itoa(int(k))
		if im.ClassNames != nil {
			name = im.ClassNames[k]
		}
		labels = append(labels, name)
	}
	return labels
}
