package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rot.example/rot/internal/words"
	"rot.example/rot/report"
)

// repeatedTable lists groups of equal rows and pairs that nearly are.
func (c *cleaned) repeatedTable(s *strings.Builder, files report.Pictures) error {
	r := c.Repeated
	if r == nil || len(r.Equal)+len(r.Near) == 0 {
		return nil
	}
	fmt.Fprintf(s, "## %s that repeat\n\n", words.Capital(c.Data.thing()+"s"))
	var rows [][]string
	for _, group := range r.Equal[:min(pageRows, len(r.Equal))] {
		cells, err := c.repeatedCells(group, files)
		if err != nil {
			return err
		}
		rows = append(rows, append(cells, "equal"))
	}
	for _, pair := range r.Near[:min(pageRows, len(r.Near))] {
		cells, err := c.repeatedCells([]int{pair.A, pair.B}, files)
		if err != nil {
			return err
		}
		rows = append(rows, append(cells, words.Digits(pair.Distance, 2)))
	}
	equal := 0
	for _, group := range r.Equal {
		equal += len(group)
	}
	fmt.Fprintf(s, "%s are in %s of equal ones, and %s nearly equal. The distance is in parts of what %ss usually are from their nearest.\n\n",
		c.Data.Things(equal), words.Plural(len(r.Equal), "group"), words.Plural(len(r.Near), "pair"), c.Data.thing())
	head := []string{"ids", "distance"}
	if c.Data.Images != nil {
		head = []string{"images", "ids", "distance"}
	}
	markdownTable(s, head, rows)
	return nil
}

// repeatedCells are the ids of some rows, after the first of the images.
func (c *cleaned) repeatedCells(group []int, files report.Pictures) ([]string, error) {
	const most = 4
	var ids, pictures []string
	for k, i := range group {
		if k == most {
			ids = append(ids, fmt.Sprintf("and %d more", len(group)-most))
			break
		}
		ids = append(ids, escaped(words.Fit(c.Data.Points.ID(i), 40)))
		if c.Data.Images != nil {
			cell, err := c.picture(i, files)
			if err != nil {
				return nil, err
			}
			pictures = append(pictures, cell)
		}
	}
	cells := []string{strings.Join(ids, ", ")}
	if c.Data.Images != nil {
		cells = append([]string{strings.Join(pictures, " ")}, cells...)
	}
	return cells, nil
}

// picture is the thumbnail of image i, as a cell.
func (c *cleaned) picture(i int, files report.Pictures) (string, error) {
	name := fmt.Sprintf("image-%d.png", i)
	picture, err := thumbnail(c.Data.Images, i)
	if err != nil {
		return "", err
	}
	files[name] = picture
	return fmt.Sprintf("![%s](%s)", escaped(words.Fit(c.Data.Points.ID(i), 40)), name), nil
}

// labelTable lists the labels that do not fit, the worst first.
func (c *cleaned) labelTable(s *strings.Builder, files report.Pictures) error {
	l := c.WrongLabels
	if l == nil {
		return nil
	}
	var wrong []int
	for i, suspect := range l.Suspect {
		if suspect {
			wrong = append(wrong, i)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.SortStableFunc(wrong, func(i, j int) int { return cmp.Compare(l.Score[j], l.Score[i]) })
	fmt.Fprintf(s, "## Labels that do not fit\n\n%s: transport pairs them off with %[2]ss of another label. By is how much more often, from 0 to 1.\n\n", c.Data.Things(len(wrong)), c.Data.thing())
	head := []string{"id", "label", "neighbours say", "by"}
	if c.Data.Images != nil {
		head = append([]string{"image"}, head...)
	}
	var rows [][]string
	for _, i := range wrong[:min(pageRows, len(wrong))] {
		cells := []string{escaped(words.Fit(c.Data.Points.ID(i), 40)), escaped(words.Fit(c.Data.Labels[i], 20)), escaped(words.Fit(l.Classes[l.Suggested[i]], 20)), words.Digits(l.Score[i], 2)}
		if c.Data.Images != nil {
			cell, err := c.picture(i, files)
			if err != nil {
				return err
			}
			cells = append([]string{cell}, cells...)
		}
		rows = append(rows, cells)
	}
	markdownTable(s, head, rows)
	return nil
}
