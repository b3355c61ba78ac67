package table

import (
	"regexp"
	"strings"
)

// The looks of cells that are meant as numbers or times and are not read as
// such, with what they are and what to write instead.
var looks = []struct {
	like    *regexp.Regexp
	problem string
}{
	{regexp.MustCompile(`^[-(]?\s*(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY)\s*-?\s*\d[\d.,' ]*\)?$|^-?\d[\d.,' ]*\s*(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY)$`),
		"is money (write plain numbers, without currency signs and thousands separators)"},
	{regexp.MustCompile(`^[-+]?\d+(?:[.,]\d+)?\s*%$`), "is a percentage (write it without the sign)"},
	{regexp.MustCompile(`^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$`), "has thousands separators (write the number without them)"},
	{regexp.MustCompile(`^[-+]?\d{1,3}(?:[. ']\d{3})+(?:,\d+)?$`), "has thousands separators (write the number without them, with a decimal point)"},
	{regexp.MustCompile(`^[-+]?\d+,\d+$`), "has a decimal comma (write a decimal point)"},
	{regexp.MustCompile(`^\d{1,2}/\d{1,2}/\d{2,4}(?:[ T].*)?$`), "is a date that not everybody reads alike (write dates as 2024-12-31)"},
	{regexp.MustCompile(`^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$`), "is a time of day (write seconds or hours as a number)"},
	{regexp.MustCompile(`^-?\d+ days?(?: [-+]?\d{1,2}:\d{2}:\d{2}(?:\.\d+)?)?$`), "is a duration (write seconds or days as a number)"},
	{regexp.MustCompile(`^[-+]?[\d.]+(?:e[-+]?\d+)?(?:\s+[-+]?[\d.]+(?:e[-+]?\d+)?)+$`), "is several numbers in one cell (separate them by commas)"},
	{regexp.MustCompile(`^\[.*\]$`), "is a list written as text (save the table as Parquet, or the list as columns)"},
}

// hint says what cells are that were meant as something else than words, when
// most of them look alike; "" otherwise.
func hint(levels []string) string {
	if len(levels) == 0 {
		return ""
	}
	sample := levels[:min(len(levels), 200)]
	for _, l := range looks {
		n := 0
		for _, s := range sample {
			if l.like.MatchString(strings.ToLower(strings.TrimSpace(s))) || l.like.MatchString(strings.TrimSpace(s)) {
				n++
			}
		}
		if n*10 >= 9*len(sample) || (n > 0 && n+countNumbers(sample) == len(sample)) {
			return l.problem
		}
	}
	return ""
}
