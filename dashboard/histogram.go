package dashboard

import (
	"io/fs"
	"math"
	"sync"
	"time"

	"rot.example/rot/runs"
)

const bins = 40

// A histogram counts the weights of a run's samples.
type histogram struct {
	N        int     `json:"n"`
	Max      numeral `json:"max"`      // the last bin ends here, the first starts at 0
	In       []int   `json:"in"`       // samples a bin
	Out      []int   `json:"out"`      // of these, known outliers apart; null: none are known
	Outliers int     `json:"outliers"` // how many
	MeanIn   numeral `json:"mean_in"`
	MeanOut  numeral `json:"mean_out"`
}

// weighed is the histogram of a weights.csv as it was when last read.
type weighed struct {
	mu      sync.Mutex
	size    int64
	changed time.Time
	counts  *histogram
}

// read counts the weights of f, unless they are those that it counted before.
func (c *weighed) read(f fs.File, info fs.FileInfo) (*histogram, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil || info.Size() != c.size || !info.ModTime().Equal(c.changed) {
		w, err := runs.ReadWeights(f)
		if err != nil {
			return nil, err
		}
		c.counts, c.size, c.changed = count(w), info.Size(), info.ModTime()
	}
	return c.counts, nil
}

func count(weights []runs.Weight) *histogram {
	h := &histogram{N: len(weights), In: make([]int, bins)}
	var top, sumIn, sumOut float64
	for _, w := range weights {
		if w.Weight > top && !math.IsInf(w.Weight, 1) {
			top = w.Weight
		}
		if w.Outlier != nil && h.Out == nil {
			h.Out = make([]int, bins)
		}
	}
	if top == 0 {
		top = 1
	}
	for _, w := range weights {
		k := bins - 1
		if r := w.Weight / top * bins; r < bins {
			k = max(0, int(r))
		}
		if w.Outlier != nil && *w.Outlier {
			h.Out[k]++
			h.Outliers++
			sumOut += w.Weight
		} else {
			h.In[k]++
			sumIn += w.Weight
		}
	}
	h.Max = numeral(top)
	h.MeanIn = numeral(sumIn / float64(h.N-h.Outliers))
	h.MeanOut = numeral(sumOut / float64(h.Outliers))
	return h
}
