package cpu

import "testing"

// TestProductTasks: of large products no worker gets much more than its share, when
// each takes the next task as soon as it is free.
func TestProductTasks(t *testing.T) {
	for _, kern := range []tiles[float32]{{most: 1}, {most: 4}} {
		for _, n := range []int{1000, 1024, 1536, 2048} {
			for _, workers := range []int{2, 3, 4} {
				w := &multiplier[float32]{matrixProduct: &matrixProduct{batch: 1, m: n, n: n, k: n}, kern: kern}
				w.panels = (n + tileCols - 1) / tileCols
				w.chunk = max(1, min(w.panels, packedBytes/(tileCols*n*4)))
				w.chooseTasks(workers)
				busy, all := make([]int, workers), 0
				for row := 0; row < n; row += w.band {
					for panel := 0; panel < w.chunk; panel += w.group {
						first := 0
						for i, b := range busy {
							if b < busy[first] {
								first = i
							}
						}
						work := min(w.band, n-row) * min(w.group, w.chunk-panel)
						busy[first] += work
						all += work
					}
				}
				for _, b := range busy {
					if share := float64(b) * float64(workers) / float64(all); share > 1.05 {
						t.Errorf("%d panels at a time, %d×%d, %d workers: one has %.3f of its share", kern.most, n, n, workers, share)
					}
				}
			}
		}
	}
}
