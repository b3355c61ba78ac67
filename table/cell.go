package table

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"
)

// parseNumber reads a decimal number whose decimal mark is point.
func parseNumber(b []byte, point byte) (float64, bool) {
	i, n := 0, len(b)
	if n == 0 {
		return 0, false
	}
	negative := b[0] == '-'
	if negative || b[0] == '+' {
		i++
	}
	var mantissa uint64
	digits, exponent := 0, 0
	begin := i
	for ; i < n && b[i]-'0' <= 9; i++ {
		mantissa = mantissa*10 + uint64(b[i]-'0')
	}
	digits = i - begin
	if i < n && b[i] == point {
		i++
		begin = i
		for ; i < n && b[i]-'0' <= 9; i++ {
			mantissa = mantissa*10 + uint64(b[i]-'0')
		}
		exponent = begin - i
		digits += i - begin
	}
	if digits == 0 {
		return parseInfinity(b)
	}
	if i < n {
		e, ok := parseExponent(b[i:])
		if !ok {
			return 0, false
		}
		exponent += e
	}
	if digits <= mostDigits {
		if v, ok := decimalNumber(mantissa, exponent); ok {
			if negative {
				v = -v
			}
			return v, true
		}
	}
	if point != '.' {
		b = bytes.Replace(b, []byte{point}, []byte{'.'}, 1)
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64)
	return v, err == nil || math.IsInf(v, 0)
}

// parseExponent reads e+12 and the like.
func parseExponent(b []byte) (int, bool) {
	if b[0]|0x20 != 'e' {
		return 0, false
	}
	b = b[1:]
	negative := len(b) > 0 && b[0] == '-'
	if negative || (len(b) > 0 && b[0] == '+') {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	e := 0
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 1<<20)
	}
	if negative {
		e = -e
	}
	return e, true
}

// parseInfinity reads inf and infinity, in any case and with a sign.
func parseInfinity(b []byte) (float64, bool) {
	sign := 1
	if b[0] == '-' {
		sign = -1
	}
	if b[0] == '-' || b[0] == '+' {
		b = b[1:]
	}
	if bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity")) {
		return math.Inf(sign), true
	}
	return 0, false
}

// trim cuts blanks off both ends; most cells have none.
func trim(b []byte) []byte {
	if n := len(b); n > 0 && (b[0] <= ' ' || b[n-1] <= ' ' || b[0] >= 0x80 || b[n-1] >= 0x80) {
		return bytes.TrimSpace(b)
	}
	return b
}

// isMissing reports whether a cell is missing whatever its column holds: the
// marks that pandas knows.
func isMissing(b []byte) bool {
	switch len(b) {
	case 0:
		return true
	case 2:
		return string(b) == "NA"
	case 3:
		return string(b) == "NaN" || string(b) == "nan" || string(b) == "N/A" || string(b) == "n/a" || string(b) == "#NA"
	case 4:
		switch string(b) {
		case "null", "NULL", "None", "#N/A", "<NA>", "-NaN", "-nan":
			return true
		}
	case 6, 7, 8, 9:
		switch string(b) {
		case "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN", "#N/A N/A":
			return true
		}
	}
	return false
}

// isGap reports whether a cell that is no number stands for a missing one.
func isGap(b []byte) bool {
	if isMissing(b) {
		return true
	}
	switch string(bytes.ToLower(b)) {
	case "na", "nan", "null", "none", "nil", "n/a", "missing", "-", "--", "?", ".":
		return true
	}
	return false
}

// parseBoolean reads true and false in their usual spellings.
func parseBoolean(b []byte) (float64, bool) {
	switch string(b) {
	case "true", "True", "TRUE":
		return 1, true
	case "false", "False", "FALSE":
		return 0, true
	}
	return 0, false
}
