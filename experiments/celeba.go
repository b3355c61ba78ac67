package experiments

import (
	"fmt"
)

// maleAttribute is the attribute whose share is rare.
const maleAttribute = "Male"

// celebaShares are the shares of males of the paper's table.
var celebaShares = []float64{0.02, 0.05, 0.1, 0.2}

// celebaSpecs returns what is learned from, what is rare in it, and other images of
// both kinds, as many of each, that the judge learns to tell apart.
func celebaSpecs(o *Options) (common, rare, judgeCommon, judgeRare string) {
	kind := func(is, part string) string {
		return fmt.Sprintf("celeba:%s,%s[label%s%s]%s", o.CelebA, maleAttribute, is, maleAttribute, part)
	}
	if o.Quick {
		common, rare = kind("!=", "[:200]"), kind("=", "[:40]")
		return common, rare, common, rare
	}
	return kind("!=", "[:50000]"), kind("=", "[:10000]"), kind("!=", "[50000:70000]"), kind("=", "[10000:30000]")
}

// celebaStudy returns the paper's study: few males among the faces.
func celebaStudy(o *Options) (*study, error) {
	st := &study{title: "CelebA, males at 2, 5, 10 and 20 %"}
	if o.Quick {
		st.title = "CelebA, males at 20 %"
	}
	if err := givenSets["celeba"].missing(o); err != nil {
		return notRun(st.title, err)
	}
	c, err := ganConfig(o, "dcgan")
	if err != nil {
		return nil, err
	}
	var rare, judgeCommon, judgeRare string
	c.Data, rare, judgeCommon, judgeRare = celebaSpecs(o)
	c.Size = 64
	shares := celebaShares
	if o.Quick {
		c.Size, shares = 32, shares[3:]
	}
	var settings []setting
	for _, share := range shares {
		settings = append(settings, setting{name: fmt.Sprintf("%g %% males", 100*share), config: c, gamma: share, outliers: rare})
	}
	if !o.Quick {
		st.notes = append(st.notes, "DCGAN at 64×64 pixels, the square in the middle of each image: 50 000 females, of which the share given is replaced by males. What the samples are is counted by a classifier that learned from 20 000 other images of each.")
	}
	return st, st.train(o, settings, plainAndRobust(0.05), newJudge(judgeCommon, judgeRare), func(s *section, cells []generated) {
		s.Markdown = scoredBy(cells) + rareTable(cells) + ganPictures(cells)
		s.figures = histograms(cells)
	})
}
