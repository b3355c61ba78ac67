package jobs

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"rot.example/rot/ot"
)

// TestCells sorts rows into cells, outliers and equal rows among them: in any
// parts and order the bytes are the same, no row is lost, and the cells' means
// and variances are those of their rows.
func TestCells(t *testing.T) {
	for trial := range 20 {
		rng := rand.New(rand.NewPCG(uint64(trial), 5))
		dim := 1 + rng.IntN(6)
		sample := &ot.Points{Dim: dim}
		var rows [][]float64
		for i := range 600 {
			x := make([]float64, dim)
			for j := range x {
				x[j] = rng.NormFloat64()
				switch {
				case i%50 == 0:
					x[j] *= math.Pow(10, float64(rng.IntN(40)-20))
				case i%7 == 0:
					x[j] = 1
				}
			}
			rows = append(rows, x)
			if i%3 == 0 {
				sample.Coords = append(sample.Coords, x...)
			}
		}
		tree := newCellTree(sample, 1+rng.IntN(150))
		sum := func(rows [][]float64) *cellSums {
			c := &cellSums{dim: dim, cells: map[int]*cellSum{}}
			for _, x := range rows {
				c.add(tree, x)
			}
			return c
		}
		all := sum(rows)
		a, b := 1+rng.IntN(300), 301+rng.IntN(299)
		parts := [][][]float64{rows[b:], rows[:a], rows[a:b]}
		joined := &cellSums{dim: dim, cells: map[int]*cellSum{}}
		for _, part := range parts {
			c, err := parseCells(sum(part).bytes())
			if err != nil {
				t.Fatal(err)
			}
			joined.merge(c)
		}
		if !bytes.Equal(all.bytes(), joined.bytes()) {
			t.Fatalf("trial %d: parts give other bytes", trial)
		}
		if all.rows() != 600 || all.far != 0 {
			t.Errorf("trial %d: %d rows in cells, %d too far", trial, all.rows(), all.far)
		}
		cells := tree.list(all)
		for k, p := range all.places() {
			c := &cells[k]
			var mean []float64
			var n, spread float64
			for _, x := range rows {
				i, squared := tree.centre(x)
				if i*maxBands+tree.band(squared) != p {
					continue
				}
				n++
				if mean == nil {
					mean = make([]float64, dim)
				}
				for j := range x {
					mean[j] += x[j]
					spread += (x[j] - c.mean[j]) * (x[j] - c.mean[j])
				}
			}
			if n == 0 || math.Abs(c.mass-n/600) > 1e-12 {
				t.Fatalf("trial %d: cell %d has mass %g and %g rows", trial, p, c.mass, n)
			}
			for j := range mean {
				if d := math.Abs(mean[j]/n - c.mean[j]); d > c.blur+1e-9*math.Abs(c.mean[j]) {
					t.Errorf("trial %d: a mean is %g off, more than %g", trial, d, c.blur)
				}
			}
			if d := math.Abs(math.Sqrt(spread/n) - math.Sqrt(c.variance)); d > 2*c.blur+1e-6*math.Sqrt(spread/n) {
				t.Errorf("trial %d: a deviation is %g off, with a blur of %g", trial, d, c.blur)
			}
		}
	}
}

// TestMasses rounds masses to a grid on which they sum to 1.
func TestMasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for range 50 {
		cells := make([]massCell, 1+rng.IntN(500))
		var total float64
		for k := range cells {
			cells[k].mass = math.Ceil(1000 * rng.ExpFloat64())
			total += cells[k].mass
		}
		for k := range cells {
			cells[k].mass /= total
		}
		m := masses(cells)
		var sum float64
		for _, v := range m {
			if v <= 0 || math.Mod(v, 0x1p-50) != 0 {
				t.Errorf("mass %g is not on the grid", v)
			}
			sum += v // exact
		}
		if sum != 1 || rounded(cells, m) > 1e-12 {
			t.Errorf("masses sum to 1 %+g, %g of it elsewhere", sum-1, rounded(cells, m))
		}
	}
}
