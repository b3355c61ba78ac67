package runs

// UpgradeRecord brings a record of metrics.jsonl that an earlier version wrote
// to today's names: chi2, the mean of (w − 1)² over a batch, becomes divergence,
// the half of it, which is read beside the radius ρ. Metrics and Summary have
// done that already.
func UpgradeRecord(record map[string]any) {
	v, ok := record["chi2"].(float64)
	if !ok {
		return
	}
	delete(record, "chi2")
	if _, ok := record["divergence"]; !ok {
		record["divergence"] = v / 2
	}
}
