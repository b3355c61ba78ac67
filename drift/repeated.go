package drift

import (
	"encoding/binary"
	"math"
)

// repeatedRows returns for each row the first one that equals it, or nil where
// more than half of them differ, so that to merge them would gain little.
// Rows of categories or of a few whole numbers are mostly repeated, and ties
// among so many equal distances are slow to solve.
func repeatedRows(x *scaled) []int32 {
	first := make(map[string]int32)
	same := make([]int32, x.n)
	key := make([]byte, 0, 8*x.d)
	for i := range x.n {
		key = key[:0]
		for _, v := range x.row(i) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v+0)) // −0 is 0
		}
		at, ok := first[string(key)]
		if !ok {
			if at = int32(i); 2*len(first) >= x.n {
				return nil
			}
			first[string(key)] = at
		}
		same[i] = at
	}
	return same
}

// merged returns the different ones among rows and the share that each has, or
// rows and nil where they are not to be merged.
func (c *carrier) merged(rows []int32) (distinct []int32, share []float64) {
	if c.same == nil {
		return rows, nil
	}
	place := make(map[int32]int)
	for _, i := range rows {
		at, ok := place[c.same[i]]
		if !ok {
			at = len(distinct)
			place[c.same[i]] = at
			distinct, share = append(distinct, c.same[i]), append(share, 0)
		}
		share[at] += 1 / float64(len(rows))
	}
	return distinct, share
}
