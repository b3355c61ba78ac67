package cli

import (
	"fmt"
	"io"
	"strconv"

	"rot/ot"
)

// writePoints writes x,y, and the marks where there are any.
func writePoints(w io.Writer, p *ot.Points, outlier []bool) error {
	head := "x,y"
	if outlier != nil {
		head += ",outlier"
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for i := range p.Len() {
		row := p.Row(i)
		line := strconv.FormatFloat(row[0], 'f', -1, 64) + "," + strconv.FormatFloat(row[1], 'f', -1, 64)
		if outlier != nil {
			mark := "0"
			if outlier[i] {
				mark = "1"
			}
			line += "," + mark
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
