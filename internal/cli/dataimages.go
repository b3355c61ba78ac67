package cli

import (
	"fmt"
	"strings"

	"rot.example/rot/dataset"
)

type imagesInfo struct{ *dataset.ImagesInfo }

func (r imagesInfo) text() string {
	const most = 100 // classes; CIFAR-100 should fit
	info := r.ImagesInfo
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s, %s in memory\n\n", info.Name, plural(info.N, "image"), pixels(info.Width, info.Height, info.Channels), bytesText(info.Bytes))
	names := []string{"gray"}
	if info.Channels == 3 {
		names = []string{"red", "green", "blue"}
	}
	t := table{head: []string{"channel", "mean", "std"}, left: []bool{true, false, false}}
	for c, name := range names {
		t.add(name, fmt.Sprintf("%.4f", info.Mean[c]), fmt.Sprintf("%.4f", info.Std[c]))
	}
	t.writeTo(&b)
	b.WriteString("\nBlack is 0, white is 1.\n")
	for _, note := range info.Notes {
		fmt.Fprintf(&b, "On the way: %s.\n", note)
	}
	if info.Duplicates > 0 {
		fmt.Fprintf(&b, "Images equal to an earlier image: %s.\n", count(info.Duplicates))
	}
	if info.Outliers != nil {
		fmt.Fprintf(&b, "Outliers mixed in: %s.\n", count(*info.Outliers))
	}
	if info.Labels == nil {
		b.WriteString("There are no labels.\n")
		return b.String()
	}
	var labels []string
	for _, l := range info.Labels {
		labels = append(labels, fmt.Sprintf("%s (%s)", fit(l.Label, 40), count(l.Count)))
	}
	fmt.Fprintf(&b, "Labels: %s.\n", list(labels, most))
	return b.String()
}

// pixels is a kind of images in words.
func pixels(w, h, channels int) string {
	if channels == 1 {
		return fmt.Sprintf("%d×%d gray", w, h)
	}
	return fmt.Sprintf("%d×%d RGB", w, h)
}
