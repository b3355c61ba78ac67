package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
)

func drawGauss(t *Table, _ int, _ func(string) float64, rng *rand.Rand) {
	for i := range t.Points.Coords {
		t.Points.Coords[i] = rng.NormFloat64()
	}
}

func drawOutliers(t *Table, n int, p func(string) float64, rng *rand.Rand) {
	drawGauss(t, n, p, rng)
	t.Labels = make([]string, n)
	for i := range t.Labels {
		t.Labels[i] = "0"
	}
	for _, i := range rng.Perm(n)[:int(math.Round(p("gamma")*float64(n)))] {
		t.Labels[i] = "1"
		t.Points.Row(i)[0] += p("shift")
	}
}

func drawMoons(t *Table, n int, p func(string) float64, rng *rand.Rand) {
	t.Labels = make([]string, n)
	for i := range n {
		moon := rng.IntN(2)
		t.Labels[i] = strconv.Itoa(moon)
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		row := t.Points.Row(i)
		row[0], row[1] = cos, sin
		if moon == 1 {
			row[0], row[1] = 1-cos, 0.5-sin
		}
		addNoise(row, p("noise"), rng)
	}
}

func drawEight(t *Table, n int, p func(string) float64, rng *rand.Rand) {
	t.Labels = make([]string, n)
	for i := range n {
		k := rng.IntN(8)
		t.Labels[i] = strconv.Itoa(k)
		sin, cos := math.Sincos(math.Pi / 4 * float64(k))
		row := t.Points.Row(i)
		row[0], row[1] = p("radius")*cos, p("radius")*sin
		addNoise(row, p("noise"), rng)
	}
}

func drawRing(t *Table, n int, p func(string) float64, rng *rand.Rand) {
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		row := t.Points.Row(i)
		row[0], row[1] = p("radius")*cos, p("radius")*sin
		addNoise(row, p("noise"), rng)
	}
}

func drawUniform(t *Table, _ int, _ func(string) float64, rng *rand.Rand) {
	for i := range t.Points.Coords {
		t.Points.Coords[i] = rng.Float64()
	}
}

func drawFar(t *Table, n int, p func(string) float64, rng *rand.Rand) {
	for i := range n {
		row := t.Points.Row(i)
		for j := range row {
			row[j] = p("shift") / math.Sqrt(float64(len(row)))
		}
		addNoise(row, p("noise"), rng)
	}
}

func addNoise(row []float64, noise float64, rng *rand.Rand) {
	for j := range row {
		row[j] += noise * rng.NormFloat64()
	}
}
