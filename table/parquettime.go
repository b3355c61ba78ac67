package table

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go/format"
)

// scaleTime is v units of the given length in seconds; whole seconds are exact.
func scaleTime(v int64, unit float64) float64 {
	if unit >= 1 {
		return float64(v) * unit
	}
	per := int64(math.Round(1 / unit))
	return float64(v/per) + float64(v%per)/float64(per)
}

// bigEndian is the integer that b holds in two's complement.
func bigEndian(b []byte) float64 {
	v := 0.0
	negative := len(b) > 0 && b[0]&0x80 != 0
	for _, x := range b {
		if negative {
			x = ^x
		}
		v = v*256 + float64(x)
	}
	if negative {
		return -v - 1
	}
	return v
}

func uuidText(b []byte) string {
	h := hex.EncodeToString(b)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// int96Seconds reads nanoseconds of the day and the Julian day.
func int96Seconds(b []byte) float64 {
	nanos := int64(binary.LittleEndian.Uint64(b))
	day := int64(binary.LittleEndian.Uint32(b[8:])) - 2440588 // 1970-01-01
	return float64(day*86400) + float64(nanos)/1e9
}

func unitSeconds(u format.TimeUnit) float64 {
	switch {
	case u.Millis != nil:
		return 1e-3
	case u.Micros != nil:
		return 1e-6
	}
	return 1e-9
}
