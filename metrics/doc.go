// Package metrics measures how good an answer is.
//
// AUROC and AUPRC judge a score that should be larger for positive samples
// than for negative ones. To judge sample weights, where outliers should have
// the smaller ones, make outliers the positives and negate the weights.
//
// The others judge generated images against real ones by the vectors that a
// network makes of them, which package features computes. [FID] and [KID] are
// distances between the two sets; [PrecisionRecall] and [DensityCoverage] tell
// quality from variety; [InceptionScore] looks at the generated images alone.
// None of them can be compared between different networks, or different
// numbers of images.
package metrics
