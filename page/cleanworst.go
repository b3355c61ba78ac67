package page

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
	"rot.example/rot/ot"
	"rot.example/rot/report"
)

// worstTable lists the first rows of the ranking beside their nearest kept
// neighbours: of images both, of rows the columns in which they differ.
func (c *cleaned) worstTable(s *strings.Builder, files report.Pictures) error {
	images := c.Data.Images != nil
	head := []string{"rank", "id", "score", "weight", "list"}
	if images {
		head = []string{"rank", "suspect", "nearest kept", "id", "score", "weight", "list"}
	}
	if c.Data.Labels != nil {
		head = append(head, "label")
	}
	if !images {
		head = append(head, "because of")
	}
	head = append(head, "id of the neighbour")
	if c.Data.Labels != nil {
		head = append(head, "its label")
	}
	if !images {
		head = append(head, "differs most in")
	}
	near := c.neighbours()
	var rows [][]string
	for _, i := range c.Order()[:min(pageRows, len(c.Score))] {
		k := near.of(i)
		state := "kept"
		if c.Suspect[i] {
			state = "suspect"
		}
		id := escaped(words.Fit(c.Data.Points.ID(i), 40))
		cells := []string{strconv.Itoa(c.Rank[i])}
		if images {
			for _, j := range []int{i, k} {
				cell := ""
				if j >= 0 {
					var err error
					if cell, err = c.picture(j, files); err != nil {
						return err
					}
				}
				cells = append(cells, cell)
			}
		}
		cells = append(cells, id, words.Digits(c.Score[i], 3), words.Digits(c.Weight[i], 2), state)
		if c.Data.Labels != nil {
			cells = append(cells, escaped(words.Fit(c.Data.Labels[i], 20)))
		}
		if !images {
			cells = append(cells, escaped(Because(c.Result, c.Data, i)))
		}
		other, label, differs := "–", "–", "–"
		if k >= 0 {
			other = escaped(words.Fit(c.Data.Points.ID(k), 40))
			if c.Data.Labels != nil {
				label = escaped(words.Fit(c.Data.Labels[k], 20))
			}
			differs = escaped(differences(c.Data.Points.Row(i), c.Data.Points.Row(k), near.units, c.Data.Column))
		}
		cells = append(cells, other)
		if c.Data.Labels != nil {
			cells = append(cells, label)
		}
		if !images {
			cells = append(cells, differs)
		}
		rows = append(rows, cells)
	}
	markdownTable(s, head, rows)
	return nil
}

// neighbours finds the nearest kept ones.
type neighbours struct {
	rows  *ot.Points // in common units
	units []columnUnit
	gone  []bool
	most  float64 // that a column counts
}

// mostApart is how many units two rows differ in a column at most.
const mostApart = 2

func (c *cleaned) neighbours() *neighbours {
	n := &neighbours{rows: c.Data.Points, gone: c.Suspect, units: columnUnits(c.Data.Points), most: math.Inf(1)}
	if c.Data.Features == "" {
		n.rows, n.most = inUnits(c.Data.Points, n.units, farthest), mostApart
	}
	return n
}

// of is the nearest kept neighbour of row i; −1 if nothing is kept. A column
// counts with hardly more than n.most units: where a row is hopelessly wrong all
// others are about equally far, and the rest of it finds the row that it should
// have been.
func (n *neighbours) of(i int) int {
	x := n.rows.Row(i)
	k, _ := nearestKept(i, n.gone, func(_, k int) float64 {
		var sum float64
		for j, v := range n.rows.Row(k) {
			d := math.Abs(v - x[j])
			if d > n.most {
				d = n.most + 0.05*math.Log(d/n.most)
			}
			sum += d * d
		}
		return sum
	})
	return k
}

// thumbnail is image i as a PNG of at most 96 pixels a side.
func thumbnail(im *dataset.Images, i int) ([]byte, error) {
	const most = 96
	scale := math.Max(1, float64(max(im.H, im.W))/most)
	h, w := max(1, int(float64(im.H)/scale)), max(1, int(float64(im.W)/scale))
	pix := im.At(i)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := y*im.H/h, max((y+1)*im.H/h, y*im.H/h+1)
		for x := range w {
			x0, x1 := x*im.W/w, max((x+1)*im.W/w, x*im.W/w+1)
			var sum [3]int
			for v := y0; v < y1; v++ {
				for u := x0; u < x1; u++ {
					at := (v*im.W + u) * im.C
					for k := range sum {
						sum[k] += int(pix[at+k%im.C])
					}
				}
			}
			area := (y1 - y0) * (x1 - x0)
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / area), uint8(sum[1] / area), uint8(sum[2] / area), 255})
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, out)
	return b.Bytes(), err
}
