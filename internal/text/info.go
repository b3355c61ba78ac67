package text

import (
	"fmt"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
	"rot.example/rot/table"
)

// RowsInfo describes a table.
func RowsInfo(info *dataset.Info) string {
	const most = 40 // lines of a list
	var b strings.Builder
	columns := len(info.Columns) + info.MoreColumns
	fmt.Fprintf(&b, "%s: %s of %s (%s), %s in memory\n\n", info.Name, words.Plural(info.Rows, "row"), words.Plural(columns, "column"), info.Format, bytesText(info.Bytes))
	t := Table{
		Head: []string{"column", "name", "kind", "missing", "distinct", "least", "greatest", "use"},
		Left: []bool{false, true, true, false, false, false, false, true},
	}
	for _, c := range info.Columns[:min(len(info.Columns), most)] {
		kind := c.Kind.String()
		if c.Width > 0 {
			kind = fmt.Sprintf("%s of %d", kind, c.Width)
		}
		least, greatest := words.Fit(c.First, 20), words.Fit(c.Last, 20)
		if c.Kind == table.Number && c.Min != nil {
			least, greatest = words.Digits(*c.Min, 4), words.Digits(*c.Max, 4)
		}
		t.Add(fmt.Sprint(c.Index), words.Fit(c.Name, 30), kind, words.Count(c.Missing), words.Count(c.Distinct), least, greatest, words.Fit(c.Use, 70))
	}
	t.AppendTo(&b)
	if more := columns - len(t.rows); more > 0 {
		fmt.Fprintf(&b, "  and %s\n", words.Plural(more, "more column"))
	}
	b.WriteByte('\n')
	for _, note := range info.Notes {
		fmt.Fprintf(&b, "On the way: %s.\n", note)
	}
	for _, c := range info.Columns {
		if c.Bad.Count > 0 {
			text := fmt.Sprintf("%s that are no %s count as missing, the first", words.Plural(c.Bad.Count, "cell"), c.Kind)
			if c.Bad.Count == 1 {
				text = fmt.Sprintf("1 cell that is no %s counts as missing,", c.Kind)
			}
			fmt.Fprintf(&b, "Column %s: %s %q.\n", words.Fit(c.Name, 30), text, words.Fit(c.Bad.Text, 30))
		}
	}
	if info.Encoding != "" {
		fmt.Fprintf(&b, "As vectors: %s.\n", info.Encoding)
	}
	if info.Refused != "" {
		fmt.Fprintf(&b, "Not as it is: %s.\n", info.Refused)
	}
	if info.Duplicates > 0 {
		fmt.Fprintf(&b, "Rows equal to an earlier row: %s.\n", words.Count(info.Duplicates))
	}
	if n := len(info.Constant); n > 0 {
		fmt.Fprintf(&b, "Columns with one value only: %s.\n", list(info.Constant, most))
	}
	return b.String() + labelsLine(info.Labels, most)
}

// ImagesInfo describes images.
func ImagesInfo(info *dataset.ImagesInfo) string {
	const most = 100 // classes; CIFAR-100 should fit
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s, %s in memory\n\n", info.Name, words.Plural(info.N, "image"), Pixels(info.Width, info.Height, info.Channels), bytesText(info.Bytes))
	names := []string{"gray"}
	if info.Channels == 3 {
		names = []string{"red", "green", "blue"}
	}
	t := Table{Head: []string{"channel", "mean", "std"}, Left: []bool{true, false, false}}
	for c, name := range names {
		t.Add(name, fmt.Sprintf("%.4f", info.Mean[c]), fmt.Sprintf("%.4f", info.Std[c]))
	}
	t.AppendTo(&b)
	b.WriteString("\nBlack is 0, white is 1.\n")
	for _, note := range info.Notes {
		fmt.Fprintf(&b, "On the way: %s.\n", note)
	}
	if len(info.Sizes) > 1 {
		var sizes []string
		for _, z := range info.Sizes {
			sizes = append(sizes, fmt.Sprintf("%d×%d (%s)", z.Width, z.Height, words.Count(z.Count)))
		}
		fmt.Fprintf(&b, "Sizes of the files: %s.\n", list(sizes, 10))
	}
	b.WriteString(FolderProblems(info.Unreadable, info.Skipped))
	if info.Duplicates > 0 {
		fmt.Fprintf(&b, "Images equal to an earlier image: %s.\n", words.Count(info.Duplicates))
	}
	if info.Outliers != nil {
		fmt.Fprintf(&b, "Outliers mixed in: %s.\n", words.Count(*info.Outliers))
	}
	return b.String() + labelsLine(info.Labels, most)
}

// FolderProblems lists the files of a folder that were left out, in lines.
func FolderProblems(unreadable []dataset.BadFile, skipped []string) string {
	const most = 20
	var b strings.Builder
	if len(unreadable) > 0 {
		var files []string
		for _, f := range unreadable {
			files = append(files, fmt.Sprintf("%s (%s)", words.Fit(f.File, 60), words.Fit(f.Problem, 60)))
		}
		fmt.Fprintf(&b, "Files that cannot be read: %s: %s.\n", words.Count(len(unreadable)), list(files, most))
	}
	if len(skipped) > 0 {
		fmt.Fprintf(&b, "Files in formats that are not read: %s: %s.\n", words.Count(len(skipped)), list(skipped, most))
	}
	return b.String()
}

// labelsLine lists labels with how often they occur, at most so many of them.
func labelsLine(labels []dataset.LabelCount, most int) string {
	if labels == nil {
		return "There are no labels.\n"
	}
	var parts []string
	for _, l := range labels {
		parts = append(parts, fmt.Sprintf("%s (%s)", words.Fit(l.Label, 40), words.Count(l.Count)))
	}
	return fmt.Sprintf("Labels: %s.\n", list(parts, most))
}

// Pixels is a kind of images in words.
func Pixels(w, h, channels int) string {
	if channels == 1 {
		return fmt.Sprintf("%d×%d gray", w, h)
	}
	return fmt.Sprintf("%d×%d RGB", w, h)
}

// list joins things, the first few when there are many.
func list[T any](things []T, most int) string {
	var parts []string
	for _, v := range things[:min(len(things), most)] {
		parts = append(parts, fmt.Sprint(v))
	}
	s := strings.Join(parts, ", ")
	if more := len(things) - most; more > 0 {
		s += fmt.Sprintf(" and %s more", words.Count(more))
	}
	return s
}

// bytesText formats a size in memory.
func bytesText(n int64) string {
	const unit = 1024
	v, k := float64(n), 0
	for ; v >= unit && k < 3; k++ {
		v /= unit
	}
	return words.Digits(v, 3) + [...]string{" bytes", " KiB", " MiB", " GiB"}[k]
}

// Mixture says what was made of a data set and its outliers, and how to go on.
func Mixture(m *dataset.Mixture) string {
	thing, flag := "image", ""
	if m.Rows != nil {
		thing, flag = "row", " --label-column "+dataset.MarkColumn
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s of them (%s) outliers from %s.\n", plural(m.N, thing), count(m.Outliers), percent(float64(m.Outliers)/float64(m.N)), m.Dirt)
	for _, note := range m.Notes {
		fmt.Fprintf(&b, "On the way: %s.\n", note)
	}
	fmt.Fprintf(&b, "\nWrote\n  %s\n\nTry next\n  rot data info %s%s\n", strings.Join(m.Files, "\n  "), shellWord(m.Spec), flag)
	return b.String()
}
