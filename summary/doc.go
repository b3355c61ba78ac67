// Package summary summarizes rows that are spread over many places.
//
// # Basics
//
// Every summary is made from rows in one go or in parts: parts are filled where
// their rows are, and Merge joins them. What a summary holds depends on the rows
// alone and not on how they were split, in which order they came or in which
// order the parts were merged, to the last bit: MarshalBinary gives the same
// bytes. So a part that was lost is made again, and nothing changes.
//
//	var part summary.Sum
//	part.Add(0.1)
//	all.Merge(&part)
//
// Sum adds numbers without any rounding. Quantiles knows ranks exactly at some
// hundreds or thousands of values and says how far off it may be between them.
// Sample is a random choice of rows that their numbers and a seed decide.
// Histogram counts values between fixed bounds, Top keeps the rows with the
// highest scores, and Levels counts words.
//
// # Caveats
//
// A row that is added twice counts twice: retries have to replace a part, not
// add to it. Numbers of rows must be their own across all parts, which is what
// Sample and Top tell equal rows apart by.
package summary
