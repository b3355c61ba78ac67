package dataset

import "strconv"

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
