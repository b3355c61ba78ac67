package cli

import "rot.example/rot/gan"

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
