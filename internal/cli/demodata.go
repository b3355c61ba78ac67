package cli

import (
	"bytes"
	"strconv"

	"rot.example/rot/ot"
)

// pointsCSV is x,y, and the marks where there are any.
func pointsCSV(p *ot.Points, outlier []bool) []byte {
	var b bytes.Buffer
	b.WriteString("x,y")
	if outlier != nil {
		b.WriteString(",outlier")
	}
	b.WriteByte('\n')
	for i := range p.Len() {
		row := p.Row(i)
		b.WriteString(strconv.FormatFloat(row[0], 'f', -1, 64) + "," + strconv.FormatFloat(row[1], 'f', -1, 64))
		switch {
		case outlier == nil:
		case outlier[i]:
			b.WriteString(",1")
		default:
			b.WriteString(",0")
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
