package cli

import (
	"fmt"
	"strconv"
	"strings"

	"rot.example/rot/gan"
)

type ganEvalJSON struct {
	Run              string  `json:"run"`
	N                int     `json:"n"`
	Reference        string  `json:"reference"`
	ReferenceHash    string  `json:"reference_hash"`
	Features         string  `json:"features"`
	FeaturesHash     *string `json:"features_hash"`
	FID              number  `json:"fid"`
	KID              number  `json:"kid"`
	KIDStdErr        number  `json:"kid_stderr"`
	InceptionScore   *number `json:"inception_score"`
	InceptionScoreSD *number `json:"inception_score_sd"`
	Precision        number  `json:"precision"`
	Recall           number  `json:"recall"`
	Density          number  `json:"density"`
	Coverage         number  `json:"coverage"`
	ClassCounts      []int   `json:"class_counts"`
	OutlierShare     *number `json:"outlier_share"`
}

func newGANEvalJSON(run string, s *gan.Scores) *ganEvalJSON {
	r := &ganEvalJSON{
		Run: run, N: s.N, Reference: s.Reference, ReferenceHash: s.ReferenceHash, Features: s.Features,
		FID: number(s.Frechet), KID: number(s.KID.Mean), KIDStdErr: number(s.KID.StdErr()),
		Precision: number(s.Precision), Recall: number(s.Recall), Density: number(s.Density), Coverage: number(s.Coverage),
	}
	if s.Features == "classifier" { // those of ImageNet are a thousand, and not what the samples are of
		r.ClassCounts = s.ClassCounts
	}
	if s.FeaturesHash != "" {
		r.FeaturesHash = &s.FeaturesHash
	}
	if is := s.InceptionScore; is != nil {
		mean, sd := number(is.Mean), number(is.SD)
		r.InceptionScore, r.InceptionScoreSD = &mean, &sd
	}
	if s.OutlierShare != nil {
		share := number(*s.OutlierShare)
		r.OutlierShare = &share
	}
	return r
}

// text is the scores in words: step is that of the checkpoint, and classes
// are the names of those counted, nil where they have numbers only.
func (r *ganEvalJSON) text(step int, s *gan.Scores, classes []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of step %s of %s\n", plural(r.N, "sample"), count(step), r.Run)
	fmt.Fprintf(&b, "reference  %s of %s, hash %s\n", plural(s.ReferenceN, "sample"), r.Reference, r.ReferenceHash)
	fmt.Fprintf(&b, "features   %s", r.Features)
	if r.FeaturesHash != nil {
		fmt.Fprintf(&b, ", hash %s", *r.FeaturesHash)
	}
	b.WriteString("\n\n")
	t := &table{head: []string{"score", "value", "", "better"}, left: []bool{true, false, true, true}}
	row := func(name string, v number, spread, better string) { t.add(name, digits(float64(v), 4), spread, better) }
	row(s.FrechetName(), r.FID, "", "lower")
	row("KID", r.KID, "± "+digits(float64(r.KIDStdErr), 2)+" standard error", "lower")
	if r.InceptionScore != nil {
		row("Inception score", *r.InceptionScore, "± "+digits(float64(*r.InceptionScoreSD), 2)+" standard deviation", "higher")
	}
	row("precision", r.Precision, "", "higher")
	row("recall", r.Recall, "", "higher")
	row("density", r.Density, "", "higher")
	row("coverage", r.Coverage, "", "higher")
	if r.OutlierShare != nil {
		row("outlier share", *r.OutlierShare, "", "lower")
	}
	t.writeTo(&b)
	if r.ClassCounts != nil {
		b.WriteByte('\n')
		b.WriteString(classLine(r.ClassCounts, classes))
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
		return fmt.Sprintf("%s (%s)", name, percent(float64(counts[k])/float64(max(1, total))))
	}
	return fmt.Sprintf("classes    %d of %d have samples; most %s, least %s\n", present, len(counts), class(most), class(least))
}
