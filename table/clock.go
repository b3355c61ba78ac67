package table

import (
	"bytes"
	"time"
)

// parseTime reads an instant as seconds since 1970 in UTC: 2006-01-02 or
// 2006/01/02 or 02.01.2006, alone or followed, after a T or a blank, by 15:04,
// 15:04:05 or 15:04:05.999999999, and by Z, UTC, ±hh, ±hhmm or ±hh:mm. Dates
// such as 03/04/2006, which not everybody reads alike, are refused.
func parseTime(b []byte) (float64, bool) {
	if len(b) < 8 || len(b) > 40 || b[0]-'0' > 9 {
		return 0, false
	}
	year, month, day, rest, ok := parseDate(b)
	if !ok {
		return 0, false
	}
	// 32 April is normalized to another day.
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day || int(t.Month()) != month {
		return 0, false
	}
	seconds := float64(t.Unix())
	if len(rest) == 0 {
		return seconds, true
	}
	if rest[0] != 'T' && rest[0] != ' ' {
		return 0, false
	}
	clock, rest, ok := parseClock(rest[1:])
	if !ok {
		return 0, false
	}
	offset, ok := parseZone(bytes.TrimSpace(rest))
	return seconds + clock - offset, ok
}

// number reads n digits at the start of b.
func number(b []byte, n int) (int, bool) {
	if len(b) < n {
		return 0, false
	}
	v := 0
	for _, c := range b[:n] {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, true
}

func parseDate(b []byte) (year, month, day int, rest []byte, ok bool) {
	if len(b) < 10 {
		return 0, 0, 0, nil, false
	}
	var ok1, ok2, ok3 bool
	switch {
	case (b[4] == '-' || b[4] == '/') && b[7] == b[4]:
		year, ok1 = number(b, 4)
		month, ok2 = number(b[5:], 2)
		day, ok3 = number(b[8:], 2)
	case b[2] == '.' && b[5] == '.':
		day, ok1 = number(b, 2)
		month, ok2 = number(b[3:], 2)
		year, ok3 = number(b[6:], 4)
	}
	return year, month, day, b[10:], ok1 && ok2 && ok3 && 1 <= month && month <= 12 && 1 <= day && day <= 31
}

// parseClock reads the time of day in seconds.
func parseClock(b []byte) (seconds float64, rest []byte, ok bool) {
	hour, ok1 := number(b, 2)
	if !ok1 || len(b) < 5 || b[2] != ':' {
		return 0, nil, false
	}
	minute, ok2 := number(b[3:], 2)
	if !ok2 || hour > 24 || minute > 59 {
		return 0, nil, false
	}
	seconds = float64(hour*3600 + minute*60)
	b = b[5:]
	if len(b) < 3 || b[0] != ':' {
		return seconds, b, true
	}
	second, ok3 := number(b[1:], 2)
	if !ok3 || second > 60 {
		return 0, nil, false
	}
	seconds += float64(second)
	b = b[3:]
	if len(b) > 1 && (b[0] == '.' || b[0] == ',') && b[1]-'0' <= 9 {
		k := 1
		for k < len(b) && b[k]-'0' <= 9 {
			k++
		}
		part, ok := parseNumber(append([]byte("0."), b[1:k]...), '.')
		if !ok {
			return 0, nil, false
		}
		seconds += part
		b = b[k:]
	}
	return seconds, b, true
}

// parseZone reads the offset from UTC in seconds.
func parseZone(b []byte) (float64, bool) {
	switch string(b) {
	case "", "Z", "z", "UTC", "GMT":
		return 0, true
	}
	if b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	digits := bytes.Replace(b[1:], []byte(":"), nil, 1)
	hour, ok := number(digits, 2)
	minute := 0
	switch {
	case len(digits) == 4:
		var ok2 bool
		minute, ok2 = number(digits[2:], 2)
		ok = ok && ok2
	case len(digits) != 2:
		return 0, false
	}
	offset := float64(hour*3600 + minute*60)
	if b[0] == '-' {
		offset = -offset
	}
	return offset, ok && hour <= 15 && minute <= 59
}
