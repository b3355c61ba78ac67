package dashboard

import "sync"

// mostCached bounds the memory for curves and histograms that pages have
// asked for; a series takes about a megabyte.
const mostCached = 100

// A cache keeps one value a run. The zero value is ready to use.
type cache[T any] struct {
	mu     sync.Mutex
	values map[string]T
}

// get returns the value for name, which fresh makes where there is none.
func (c *cache[T]) get(name string, fresh func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.values[name]; ok {
		return v
	}
	if c.values == nil {
		c.values = map[string]T{}
	}
	for k := range c.values { // any: what is asked for again is soon there again
		if len(c.values) < mostCached {
			break
		}
		delete(c.values, k)
	}
	v := fresh()
	c.values[name] = v
	return v
}
