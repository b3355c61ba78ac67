package text

import (
	"fmt"
	"strconv"
	"strings"

	"rot.example/rot/gan"
	"rot.example/rot/internal/words"
)

// GANScores describes the scores of a run. Step is that of the checkpoint, and
// classes are the names of those counted, nil where they have numbers only.
func GANScores(run string, step int, s *gan.Scores, classes []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of step %s of %s\n", words.Plural(s.N, "sample"), words.Count(step), run)
	fmt.Fprintf(&b, "reference  %s of %s, hash %s\n", words.Plural(s.ReferenceN, "sample"), s.Reference, s.ReferenceHash)
	fmt.Fprintf(&b, "features   %s", s.Features)
	if s.FeaturesHash != "" {
		fmt.Fprintf(&b, ", hash %s", s.FeaturesHash)
	}
	b.WriteString("\n\n")
	t := &Table{Head: []string{"score", "value", "", "better"}, Left: []bool{true, false, true, true}}
	row := func(name string, v float64, spread, better string) { t.Add(name, words.Digits(v, 4), spread, better) }
	row(s.FrechetName(), s.Frechet, "", "lower")
	row("KID", s.KID.Mean, "± "+words.Digits(s.KID.StdErr(), 2)+" standard error", "lower")
	if is := s.InceptionScore; is != nil {
		row("Inception score", is.Mean, "± "+words.Digits(is.SD, 2)+" standard deviation", "higher")
	}
	row("precision", s.Precision, "", "higher")
	row("recall", s.Recall, "", "higher")
	row("density", s.Density, "", "higher")
	row("coverage", s.Coverage, "", "higher")
	if s.OutlierShare != nil {
		row("outlier share", *s.OutlierShare, "", "lower")
	}
	t.AppendTo(&b)
	if s.Features == "classifier" && s.ClassCounts != nil { // those of ImageNet are a thousand, and not what the samples are of
		b.WriteByte('\n')
		b.WriteString(classLine(s.ClassCounts, classes))
	}
	return b.String()
}

// classLine says how many classes have samples, and which have most and least.
func classLine(counts []int, names []string) string {
	present, total, most, least := 0, 0, 0, 0
	for k, n := range counts {
		total += n
		if n > 0 {
			present++
		}
		if n > counts[most] {
			most = k
		}
		if n < counts[least] {
			least = k
		}
	}
	class := func(k int) string {
		name := strconv.Itoa(k)
		if k < len(names) {
			name = names[k]
		}
		return fmt.Sprintf("%s (%s)", name, words.Percent(float64(counts[k])/float64(max(1, total))))
	}
	return fmt.Sprintf("classes    %d of %d have samples; most %s, least %s\n", present, len(counts), class(most), class(least))
}
