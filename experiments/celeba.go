package experiments

import (
	"context"
	"fmt"
)

// maleAttribute is the attribute whose share is rare.
const maleAttribute = "Male"

// celebaShares are the shares of males of the paper's table.
var celebaShares = []float64{0.02, 0.05, 0.1, 0.2}

// celebaSpecs are what is learned from, what is rare in it, and other images of
// both kinds, as many of each, that the judge learns to tell apart.
func (g *grid) celebaSpecs() (common, rare, judgeCommon, judgeRare string) {
	kind := func(is, part string) string {
		return fmt.Sprintf("celeba:%s,%s[label%s%s]%s", g.CelebA, maleAttribute, is, maleAttribute, part)
	}
	if g.Quick {
		common, rare = kind("!=", "[:200]"), kind("=", "[:40]")
		return common, rare, common, rare
	}
	return kind("!=", "[:50000]"), kind("=", "[:10000]"), kind("!=", "[50000:70000]"), kind("=", "[10000:30000]")
}

// celebaModes is the paper's experiment: few males among the faces.
func (g *grid) celebaModes(ctx context.Context) (*section, error) {
	s := &section{Title: "CelebA, males at 2, 5, 10 and 20 %"}
	if g.Quick {
		s.Title = "CelebA, males at 20 %"
	}
	if g.CelebA == "" {
		s.Notes = append(s.Notes, notGiven("celeba"))
		return s, nil
	}
	c, err := g.ganConfig("dcgan")
	if err != nil {
		return nil, err
	}
	var rare, judgeCommon, judgeRare string
	c.Data, rare, judgeCommon, judgeRare = g.celebaSpecs()
	c.Size = 64
	shares := celebaShares
	if g.Quick {
		c.Size, shares = 32, shares[3:]
	}
	var settings []setting
	for _, share := range shares {
		settings = append(settings, setting{name: fmt.Sprintf("%g %% males", 100*share), config: c, gamma: share, outliers: rare})
	}
	cells, err := g.generate(ctx, settings, plainAndRobust(0.05), g.judgeOf(ctx, judgeCommon, judgeRare))
	if err != nil {
		return nil, err
	}
	if !g.Quick {
		s.Notes = append(s.Notes, "DCGAN at 64×64 pixels, the square in the middle of each image: 50 000 females, of which the share given is replaced by males. What the samples are is counted by a classifier that learned from 20 000 other images of each.")
	}
	s.Numbers = cells
	s.Markdown = judges(cells) + rareTable(cells) + ganPictures(cells)
	s.figures = histograms(cells)
	return s, nil
}
