package experiments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A lab is what the cells of one experiment share while they are made.
type lab struct {
	*Options
	name   string // of the experiment
	dir    string // its folder
	hashes *fileHashes
	locks  *leases
	turn   gpuTurn
}

// SetPart sets Part and PartOf to those of a text such as "2/4", with a first
// number from 0 up to the second. It reports whether the text is of that form,
// and changes nothing where it is not.
func (o *Options) SetPart(text string) bool {
	k, n, _ := strings.Cut(text, "/")
	part, err := strconv.Atoi(k)
	parts, err2 := strconv.Atoi(n)
	if err != nil || err2 != nil || parts < 1 || part < 0 || part > parts {
		return false
	}
	o.Part, o.PartOf = part, parts
	return true
}

// part returns the part of the experiment that this process does, from 0.
func (o *Options) part() int { return o.Part % o.parts() }

// parts returns the number of parts that the experiment is split into.
func (o *Options) parts() int { return max(1, o.PartOf) }

// asked returns the batches with those jobs that Only asks for.
func (o *Options) asked(batches []batch) []batch {
	if o.Only == "" {
		return batches
	}
	var some []batch
	for _, b := range batches {
		b.jobs = slices.DeleteFunc(slices.Clone(b.jobs), func(j *job) bool { return !strings.Contains(j.key.name, o.Only) })
		if len(b.jobs) > 0 {
			some = append(some, b)
		}
	}
	return some
}

// device returns what cells are run on now.
func (l *lab) device() string {
	return fmt.Sprintf("%s (backend %s)", l.Backend.Device, l.Backend.Kind)
}

// A gpuTurn lets the first run on a GPU begin by itself: the kernels that are
// chosen for it, by timing them, serve the others, which would disturb the
// timing.
type gpuTurn struct {
	mu   sync.Mutex
	over bool
}

// wait returns when this run may begin; the first run calls begun when it has.
func (t *gpuTurn) wait(backend string) (begun func()) {
	if backend != "xla" {
		return func() {}
	}
	t.mu.Lock()
	if t.over {
		t.mu.Unlock()
		return func() {}
	}
	return sync.OnceFunc(func() {
		t.over = true
		t.mu.Unlock()
	})
}
