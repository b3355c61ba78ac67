package text

import (
	"fmt"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/internal/words"
)

// RowsInfo describes rows of numbers.
func RowsInfo(info *dataset.Info) string {
	const most = 20 // lines of a list
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s (%s), %s in memory\n\n", info.Name, words.Plural(info.Rows, "row"), words.Plural(info.Dim, "number"), info.Format, bytesText(info.Bytes))
	t := Table{Head: []string{"column", "min", "mean", "max", "std", ""}, Left: []bool{false, false, false, false, false, true}}
	for _, c := range info.Columns[:min(len(info.Columns), most)] {
		t.Add(fmt.Sprint(c.Index), words.Digits(c.Min, 4), words.Digits(c.Mean, 4), words.Digits(c.Max, 4), words.Digits(c.Std, 4), c.Name)
	}
	t.AppendTo(&b)
	if more := info.Dim - len(t.rows); more > 0 {
		fmt.Fprintf(&b, "  and %s\n", words.Plural(more, "more column"))
	}
	b.WriteByte('\n')
	if info.HasIDs {
		b.WriteString("The rows have names.\n")
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
	if info.Duplicates > 0 {
		fmt.Fprintf(&b, "Images equal to an earlier image: %s.\n", words.Count(info.Duplicates))
	}
	if info.Outliers != nil {
		fmt.Fprintf(&b, "Outliers mixed in: %s.\n", words.Count(*info.Outliers))
	}
	return b.String() + labelsLine(info.Labels, most)
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
