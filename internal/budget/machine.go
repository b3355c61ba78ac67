package budget

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
)

// unknown is what a machine is taken to have that does not say.
const unknown = 8 << 30

// machine is the memory that this process can use: the machine's, or what its
// control group leaves of it.
var machine = sync.OnceValue(func() int64 {
	return measure(os.ReadFile)
})

func measure(read func(string) ([]byte, error)) int64 {
	n := int64(unknown)
	if text, err := read("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) >= 2 && f[0] == "MemTotal:" {
				if kib, err := strconv.ParseInt(f[1], 10, 50); err == nil && kib > 0 {
					n = kib << 10
				}
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := read(file)
		if err != nil {
			continue
		}
		if most, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && most > 0 {
			n = min(n, most)
		}
	}
	return n
}

// Parse reads a number of bytes as people write it: 500M, 2GiB, 1.5G.
func Parse(s string) (int64, bool) {
	t := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(s)), "B"), "I")
	unit := 1.0
	if k := len(t) - 1; k >= 0 {
		if p := strings.IndexByte("KMGT", t[k]); p >= 0 {
			unit = float64(int64(1) << (10 * (p + 1)))
			t = t[:k]
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	if err != nil || !(v*unit >= 1 && v*unit <= 1<<60) {
		return 0, false
	}
	return int64(v * unit), true
}
