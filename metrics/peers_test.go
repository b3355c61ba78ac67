package metrics

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"os"
	"testing"
)

// TestPeers compares with what NumPy, SciPy and scikit-learn found
// (bench/peers/metrics).
func TestPeers(t *testing.T) {
	text, err := os.ReadFile("testdata/peers.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Pairs []struct {
			Name                                 string
			N, M, Dim, K                         int
			Spread, Shift                        float64
			FID, KID                             float64
			Precision, Recall, Density, Coverage float64
		}
		Inception []struct {
			Name               string
			N, Classes, Splits int
			Mean, SD           float64
		}
		Ranking []struct {
			Name         string
			N            int
			AUROC, AUPRC float64
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Pairs) == 0 || len(file.Inception) == 0 || len(file.Ranking) == 0 {
		t.Fatal("the file lacks a part")
	}
	// SciPy's square root has an error of about the root of the rounding error.
	compare := func(what string, got, want, tol float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, c := range file.Pairs {
		x := synthetic(c.Name+"/x", c.N, c.Dim, 1, 0)
		y := synthetic(c.Name+"/y", c.M, c.Dim, c.Spread, c.Shift)
		fid, err := FID(x, y)
		if err != nil {
			t.Fatal(err)
		}
		compare(c.Name+" FID", fid, c.FID, 1e-9)
		if c.N == c.M { // one subset is then all of both
			kid, err := KID(x, y, &KIDOptions{Subsets: 1, Size: c.N})
			if err != nil {
				t.Fatal(err)
			}
			compare(c.Name+" KID", kid.Mean, c.KID, 1e-10)
		}
		compare(c.Name+" MMD", discrepancy(x.wide(nil), y.wide(nil), c.Dim), c.KID, 1e-10)
		precision, recall, err := PrecisionRecall(x, y, c.K)
		if err != nil {
			t.Fatal(err)
		}
		density, coverage, err := DensityCoverage(x, y, c.K)
		if err != nil {
			t.Fatal(err)
		}
		compare(c.Name+" precision", precision, c.Precision, 1e-12)
		compare(c.Name+" recall", recall, c.Recall, 1e-12)
		compare(c.Name+" density", density, c.Density, 1e-12)
		compare(c.Name+" coverage", coverage, c.Coverage, 1e-12)
	}
	for _, c := range file.Inception {
		p := Vectors{c.Classes, nil}
		u := uniform(c.Name, c.N*c.Classes)
		for i := range c.N {
			row, sum := u[i*c.Classes:(i+1)*c.Classes], 0.
			for j := range row {
				row[j] = math.Exp(4 * row[j])
				sum += row[j]
			}
			for _, v := range row {
				p.Values = append(p.Values, float32(v/sum))
			}
		}
		got, err := InceptionScore(p, c.Splits)
		if err != nil {
			t.Fatal(err)
		}
		compare(c.Name, got.Mean, c.Mean, 1e-7) // exp may round differently before float32 does
		compare(c.Name+" SD", got.SD, c.SD, 1e-7)
	}
	for _, c := range file.Ranking {
		u := uniform(c.Name, 2*c.N)
		score, positive := make([]float64, c.N), make([]bool, c.N)
		for i := range score {
			score[i], positive[i] = math.RoundToEven(u[i]*8), u[c.N+i] > 0.6
		}
		roc, err := AUROC(score, positive)
		if err != nil {
			t.Fatal(err)
		}
		prc, err := AUPRC(score, positive)
		if err != nil {
			t.Fatal(err)
		}
		compare(c.Name+" AUROC", roc, c.AUROC, 1e-13)
		compare(c.Name+" AUPRC", prc, c.AUPRC, 1e-13)
	}
}

// synthetic and uniform are vectors and uniform of bench/peers/metrics/make.py.
func synthetic(name string, n, dim int, spread, shift float64) Vectors {
	u := uniform(name, n*dim)
	v := Vectors{dim, make([]float32, n*dim)}
	for i := range v.Values {
		x := u[i]
		if i%dim > 0 {
			x += 0.5 * u[i-1]
		}
		scaled := spread * float64(1+i%dim%5) * x
		v.Values[i] = float32(shift + float64(scaled)) // not fused, as NumPy does it
	}
	return v
}

func uniform(name string, n int) []float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	out, at := make([]float64, n), h.Sum64()
	for i := range out {
		at += 0x9E3779B97F4A7C15
		z := (at ^ at>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		out[i] = float64(z>>40)/(1<<23) - 1
	}
	return out
}
