//go:build unix

package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

const shift = 20 // how far the outliers lie from the rest, along the first axis

// gaussians are two standard normal samples of equal size; a share gamma of
// the first one is shifted.
type gaussians struct {
	n, d  int
	gamma float64
	seed  uint64
}

func (g *gaussians) flags(fs *flag.FlagSet) {
	fs.IntVar(&g.n, "n", 2000, "points on each side")
	fs.IntVar(&g.d, "d", 16, "dimension")
	fs.Float64Var(&g.gamma, "gamma", 0, "share of outliers in the source")
	fs.Uint64Var(&g.seed, "seed", 1, "seed of the points")
}

func (g *gaussians) draw() (x, y *ot.Points, err error) {
	if g.n < 1 || g.d < 1 || !(g.gamma >= 0 && g.gamma <= 1) {
		return nil, nil, fmt.Errorf("n %d, d %d, gamma %v out of range: %w", g.n, g.d, g.gamma, errUsage)
	}
	r := rand.New(rand.NewPCG(g.seed, 7))
	x, y = g.normal(r), g.normal(r)
	for i := range int(g.gamma * float64(g.n)) {
		x.Coords[i*g.d] += shift
	}
	return x, y, nil
}

func (g *gaussians) normal(r *rand.Rand) *ot.Points {
	p := &ot.Points{Dim: g.d, Coords: make([]float64, g.n*g.d)}
	for k := range p.Coords {
		p.Coords[k] = r.NormFloat64()
	}
	return p
}

func load(path string) (*ot.Points, error) {
	t, err := dataset.Load(path, nil)
	if err != nil {
		return nil, err
	}
	return &t.Points, nil
}

func writePair(dir string, x, y *ot.Points) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeNPY(filepath.Join(dir, "x.npy"), x); err != nil {
		return err
	}
	return writeNPY(filepath.Join(dir, "y.npy"), y)
}

// writeNPY writes version 1.0 of the format, whose header is padded so that
// the data start at a multiple of 64:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func writeNPY(path string, p *ot.Points) (err error) {
	const lead = 10 // mark, version, length of the header
	dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", p.Len(), p.Dim)
	dict += strings.Repeat(" ", 63-(lead+len(dict))%64) + "\n"
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriter(f)
	head := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dict)))
	if _, err := w.Write(append(head, dict...)); err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, p.Coords); err != nil {
		return err
	}
	return w.Flush()
}
