package text

import "rot.example/rot/gan"

// GANScoresJSON is the scores of a run as JSON has it; scripts rely on the names.
type GANScoresJSON struct {
	Run              string  `json:"run"`
	N                int     `json:"n"`
	Reference        string  `json:"reference"`
	ReferenceHash    string  `json:"reference_hash"`
	Features         string  `json:"features"`
	FeaturesHash     *string `json:"features_hash"`
	FID              Number  `json:"fid"`
	KID              Number  `json:"kid"`
	KIDStdErr        Number  `json:"kid_stderr"`
	InceptionScore   *Number `json:"inception_score"`
	InceptionScoreSD *Number `json:"inception_score_sd"`
	Precision        Number  `json:"precision"`
	Recall           Number  `json:"recall"`
	Density          Number  `json:"density"`
	Coverage         Number  `json:"coverage"`
	ClassCounts      []int   `json:"class_counts"`
	OutlierShare     *Number `json:"outlier_share"`
}

// NewGANScoresJSON returns the scores of a run as JSON has it.
func NewGANScoresJSON(run string, s *gan.Scores) *GANScoresJSON {
	r := &GANScoresJSON{
		Run: run, N: s.N, Reference: s.Reference, ReferenceHash: s.ReferenceHash, Features: s.Features,
		FID: Number(s.Frechet), KID: Number(s.KID.Mean), KIDStdErr: Number(s.KID.StdErr()),
		Precision: Number(s.Precision), Recall: Number(s.Recall), Density: Number(s.Density), Coverage: Number(s.Coverage),
	}
	if s.Features == "classifier" { // those of ImageNet are a thousand, and not what the samples are of
		r.ClassCounts = s.ClassCounts
	}
	if s.FeaturesHash != "" {
		r.FeaturesHash = &s.FeaturesHash
	}
	if is := s.InceptionScore; is != nil {
		mean, sd := Number(is.Mean), Number(is.SD)
		r.InceptionScore, r.InceptionScoreSD = &mean, &sd
	}
	if s.OutlierShare != nil {
		share := Number(*s.OutlierShare)
		r.OutlierShare = &share
	}
	return r
}
