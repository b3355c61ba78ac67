package da

// UnknownWeight is the weight below which a target sample is called unknown: it
// looks more like nothing than like something in the source.
const UnknownWeight = 0.5

// An OpenSet is how well the weights of a target tell samples that belong to no
// class of the source, and the model the others.
type OpenSet struct {
	Unknown int     // samples that are called unknown
	Right   float64 // share of the samples of known class that are classified right and not called unknown; −1 where there are none
	Found   float64 // share of the foreign samples that are called unknown; −1 where there are none
	H       float64 // harmonic mean of the two, the H-score; −1 where one is missing
}

// OpenSet counts the samples whose weight calls them unknown. foreign marks those
// that belong to no class, nil for none; known are the classes of the others, −1
// where they have none.
func (e *Evaluation) OpenSet(w []float64, foreign []bool, known []int32) OpenSet {
	o := OpenSet{Right: -1, Found: -1, H: -1}
	var right, all, found, odd int
	for i, v := range w {
		unknown := v < UnknownWeight
		if unknown {
			o.Unknown++
		}
		switch {
		case foreign != nil && foreign[i]:
			odd++
			if unknown {
				found++
			}
		case known != nil && known[i] >= 0:
			all++
			if !unknown && e.Predict[i] == known[i] {
				right++
			}
		}
	}
	if all > 0 {
		o.Right = float64(right) / float64(all)
	}
	if odd > 0 {
		o.Found = float64(found) / float64(odd)
	}
	if all > 0 && odd > 0 {
		if o.H = 0; o.Right+o.Found > 0 {
			o.H = 2 * o.Right * o.Found / (o.Right + o.Found)
		}
	}
	return o
}
