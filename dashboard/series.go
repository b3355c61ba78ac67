package dashboard

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"sync"

	"rot.example/rot/runs"
)

const (
	// mostPoints is what a curve is thinned to: more than a screen shows.
	mostPoints = 2000
	mostFields = 64
	mostLine   = 1 << 20
	tailLength = 256
)

// A series is what was read of a metrics.jsonl so far, thinned. Its memory does
// not grow with the file: when there are too many points, neighbours are
// joined, each point then standing for stride records.
type series struct {
	mu      sync.Mutex
	version string // changes whenever points that were given out no longer hold
	stride  int
	names   []string
	column  map[string]int
	points  []point
	skipped int    // lines that are no records
	offset  int64  // end of the last line that was read
	tail    []byte // what stands before offset, to see whether it still does
}

// A point joins consecutive records.
type point struct {
	step    int // of the last one
	records int
	cells   []cell // by column; the last ones may be missing
}

// A cell joins values of one field.
type cell struct {
	n           int
	sum, lo, hi float64
}

func newSeries() *series {
	s := &series{}
	s.reset()
	return s
}

func (s *series) reset() {
	s.version, s.stride, s.column = rand.Text(), 1, map[string]int{}
	s.names, s.points, s.skipped, s.offset, s.tail = nil, nil, 0, 0, nil
}

// update reads what has been added to a file of the given size. A run that
// goes on after a kill cuts its log; then all of it is read again.
func (s *series) update(f io.ReaderAt, size int64) error {
	before := make([]byte, len(s.tail))
	if _, err := f.ReadAt(before, s.offset-int64(len(s.tail))); size < s.offset || (err != nil && err != io.EOF) || !bytes.Equal(before, s.tail) {
		s.reset()
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, s.offset, size-s.offset), mostLine)
	for {
		line, err := in.ReadSlice('\n')
		length := int64(len(line))
		whole := err == nil
		for err == bufio.ErrBufferFull { // no record is that long
			line, err = in.ReadSlice('\n')
			length += int64(len(line))
		}
		if err == io.EOF {
			return nil // the last line is not all there yet
		}
		if err != nil {
			return err
		}
		if !whole || !s.add(line) {
			s.skipped++
		}
		s.offset += length
		s.tail = append(s.tail[:0], line[max(0, len(line)-tailLength):]...)
	}
}

// add takes in one record and says whether it was one.
func (s *series) add(line []byte) bool {
	var record map[string]any
	if err := json.Unmarshal(line, &record); err != nil {
		return false
	}
	runs.UpgradeRecord(record)
	step, ok := record["step"].(float64)
	if !ok || step != math.Trunc(step) || step < 0 || step > 1<<53 {
		return false
	}
	last := len(s.points) - 1
	if last >= 0 && int(step) < s.points[last].step {
		return false
	}
	if last < 0 || s.points[last].records >= s.stride {
		if len(s.points) >= mostPoints {
			s.thin()
		}
		s.points = append(s.points, point{})
	}
	p := &s.points[len(s.points)-1]
	p.step = int(step)
	p.records++
	for name, v := range record {
		v, ok := v.(float64)
		if !ok || name == "step" {
			continue
		}
		k, ok := s.column[name]
		if !ok {
			if len(s.names) == mostFields {
				continue
			}
			k = len(s.names)
			s.column[name] = k
			s.names = append(s.names, name)
		}
		for len(p.cells) <= k {
			p.cells = append(p.cells, cell{})
		}
		p.cells[k].join(cell{1, v, v, v})
	}
	return true
}

// thin joins neighbours.
func (s *series) thin() {
	half := len(s.points) / 2
	for i := range half {
		p, q := s.points[2*i], s.points[2*i+1]
		for k, c := range q.cells {
			if k == len(p.cells) {
				p.cells = append(p.cells, cell{})
			}
			p.cells[k].join(c)
		}
		p.step = q.step
		p.records += q.records
		s.points[i] = p
	}
	s.points = s.points[:half] // mostPoints is even
	s.stride *= 2
	s.version = rand.Text()
}

func (c *cell) join(d cell) {
	switch {
	case d.n == 0:
	case c.n == 0:
		*c = d
	default:
		*c = cell{c.n + d.n, c.sum + d.sum, min(c.lo, d.lo), max(c.hi, d.hi)}
	}
}

// A curves is the answer about metrics: points from number from on, of total.
// A page that has all points before from, under the same version, appends
// them; the last point may change until the next one is there.
type curves struct {
	Version string  `json:"version"`
	From    int     `json:"from"`
	Total   int     `json:"total"`
	Stride  int     `json:"stride"` // records a point
	Skipped int     `json:"skipped"`
	Step    []int   `json:"step"`
	Curves  []curve `json:"curves"`
}

type curve struct {
	Name string    `json:"name"`
	Mean []numeral `json:"mean"`
	Low  []numeral `json:"low,omitempty"` // within the point, where it stands for several records
	High []numeral `json:"high,omitempty"`
}

// since returns the points that a page lacks which has from of them.
func (s *series) since(version string, from int) *curves {
	if version != s.version || from < 0 || from > len(s.points) {
		from = 0
	}
	out := &curves{Version: s.version, From: from, Total: len(s.points), Stride: s.stride, Skipped: s.skipped, Step: []int{}, Curves: []curve{}}
	for _, p := range s.points[from:] {
		out.Step = append(out.Step, p.step)
	}
	for k, name := range s.names {
		c := curve{Name: name, Mean: []numeral{}}
		for _, p := range s.points[from:] {
			mean, lo, hi := numeral(math.NaN()), numeral(math.NaN()), numeral(math.NaN())
			if k < len(p.cells) && p.cells[k].n > 0 {
				v := p.cells[k]
				mean, lo, hi = numeral(v.sum/float64(v.n)), numeral(v.lo), numeral(v.hi)
			}
			c.Mean = append(c.Mean, mean)
			if s.stride > 1 {
				c.Low, c.High = append(c.Low, lo), append(c.High, hi)
			}
		}
		out.Curves = append(out.Curves, c)
	}
	return out
}

// A numeral is a number that JSON can hold: null when it is not finite. Seven
// digits are enough to draw.
type numeral float64

// MarshalJSON implements json.Marshaler.
func (v numeral) MarshalJSON() ([]byte, error) {
	if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'g', 7, 64), nil
	}
	return []byte("null"), nil
}
