// Package metrics measures how good an answer is.
//
// AUROC and AUPRC judge a score that should be larger for positive samples
// than for negative ones. To judge sample weights, where outliers should have
// the smaller ones, make outliers the positives and negate the weights.
package metrics
