package ot

import (
	"fmt"
	"strings"
)

// A Metric says how the cost of moving x to y follows from their coordinates.
type Metric uint8

// The metrics of points. Given belongs to a cost matrix.
const (
	Euclidean   Metric = iota // ‖x−y‖₂
	SqEuclidean               // ‖x−y‖₂²
	Cityblock                 // ‖x−y‖₁
	Cosine                    // 1 − x·y/(‖x‖‖y‖)
	Given                     // a matrix that the caller made
)

var metricNames = [...]string{"euclidean", "sqeuclidean", "cityblock", "cosine", "given"}

func (m Metric) String() string {
	if int(m) < len(metricNames) {
		return metricNames[m]
	}
	return fmt.Sprintf("Metric(%d)", uint8(m))
}

// ParseMetric returns the metric of points that String writes as s.
func ParseMetric(s string) (Metric, error) {
	for m, name := range metricNames[:Given] {
		if s == name {
			return Metric(m), nil
		}
	}
	return 0, fmt.Errorf("ot: unknown metric %q (want %s): %w", s, strings.Join(metricNames[:Given], ", "), ErrOption)
}
