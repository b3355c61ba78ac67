package table

import "errors"

// A Repair is what makes tables meet and become numbers that did not: columns to
// leave out, and missing cells to fill in.
type Repair struct {
	Ignore []string // columns to leave out
	Fill   bool     // missing cells need filling in
	Choose bool     // there are no names to go by: as many columns of either have to be chosen
}

// RepairOf returns what can be done about an error of this package; nil where
// nothing can, or nothing would be left.
func RepairOf(err error) *Repair {
	var meet *MeetError
	var bad *EncodingError
	var unknown *UnknownError
	if errors.Is(err, ErrMemory) || errors.As(err, &unknown) {
		return nil
	}
	var r Repair
	left := 0
	if errors.As(err, &meet) {
		if meet.A == EncodingName && len(meet.OnlyA)+len(meet.Kinds) > 0 {
			return nil // what an encoding needs cannot be left out
		}
		if meet.NA != meet.NB {
			return &Repair{Choose: true}
		}
		r.Ignore = append(r.Ignore, meet.Columns()...)
		left = meet.Common
	}
	if errors.As(err, &bad) {
		unusable := bad.Columns("text", "other", "infinite")
		r.Ignore = append(r.Ignore, unusable...)
		left = bad.Total - len(unusable)
		r.Fill = len(bad.Columns("missing", "bad")) > 0
	}
	if len(r.Ignore) == 0 && !r.Fill || left == 0 {
		return nil
	}
	return &r
}
