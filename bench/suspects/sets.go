package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"rot.example/rot/clean"
	"rot.example/rot/metrics"
	"rot.example/rot/ot"
)

// pick is some rows of a table, in that order.
func pick(x *ot.Points, rows []int) *ot.Points {
	out := &ot.Points{Dim: x.Dim}
	for _, i := range rows {
		out.Coords = append(out.Coords, x.Row(i)...)
	}
	return out
}

// sample is a random order of the rows of s, or of some of them.
func (s set) sample(o options, rng *rand.Rand) []int {
	perm := rng.Perm(s.rows.Len())
	if o.rows > 0 {
		perm = perm[:min(len(perm), o.rows)]
	}
	return perm
}

// reference has half of the normal rows as the reference and the rest as data.
func reference(o options) error {
	sets, err := load(o)
	if err != nil {
		return err
	}
	rates := []float64{0.05, 0.1, 0.2}
	fmt.Printf("With a reference: half of the normal rows, %d seeds.\n\n", o.seeds)
	fmt.Println("| set | rows | outliers | AUROC | FDR 0.05 | power | FDR 0.1 | power | FDR 0.2 | power |\n|---|---|---|---|---|---|---|---|---|---|")
	var falses, powers [3][]float64 // a set and seed
	var even, rest [3][]float64
	var aurocs, restAUROC []float64
	for _, s := range sets {
		var f, p [3]float64
		var auroc float64
		var n, odd int
		for seed := range o.seeds {
			rng := rand.New(rand.NewPCG(uint64(seed), 77))
			var data, ref []int
			var marks []bool
			normal := 0
			for _, i := range s.sample(o, rng) {
				if !s.odd[i] {
					if normal++; normal%2 == 0 {
						ref = append(ref, i)
						continue
					}
				}
				data, marks = append(data, i), append(marks, s.odd[i])
			}
			x, r := pick(s.rows, data), pick(s.rows, ref)
			for k, q := range rates {
				res, err := clean.Against(context.Background(), x, r, &clean.Options{FDR: q, Seed: uint64(seed)})
				if err != nil {
					return err
				}
				t := count(res.Suspect, marks)
				n, odd = t.n, t.odd
				falses[k], powers[k] = append(falses[k], t.false()), append(powers[k], t.power())
				f[k] += t.false() / float64(o.seeds)
				p[k] += t.power() / float64(o.seeds)
			}
			full, err := clean.Against(context.Background(), x, r, &clean.Options{Gamma: 0.1, Seed: uint64(seed)})
			if err != nil {
				return err
			}
			a, err := metrics.AUROC(full.Score, marks)
			if err != nil {
				return err
			}
			auroc += a / float64(o.seeds)
		}
		star := ""
		if s.even {
			star = " *"
		} else {
			restAUROC = append(restAUROC, auroc)
		}
		aurocs = append(aurocs, auroc)
		fmt.Printf("| %s%s | %d | %d | %.3f |", s.name, star, n, odd, auroc)
		for k := range rates {
			fmt.Printf(" %.3f | %.3f |", f[k], p[k])
			if s.even {
				even[k] = append(even[k], p[k])
			} else {
				rest[k] = append(rest[k], p[k])
			}
		}
		fmt.Println()
	}
	fmt.Printf("| **mean** | | | %.4f |", mean(aurocs))
	for k := range rates {
		fmt.Printf(" %.3f ± %.3f | %.3f |", mean(falses[k]), deviation(falses[k]), mean(powers[k]))
	}
	fmt.Printf("\n\nPower at 0.1: %.3f on the even half of the sets (*), %.3f on the odd one, AUROC %.4f on the odd one.\n\n", mean(even[1]), mean(rest[1]), mean(restAUROC))
	return nil
}

// alone has no reference.
func alone(o options) error {
	sets, err := load(o)
	if err != nil {
		return err
	}
	fmt.Printf("Without a reference, %d seeds.\n\n", o.seeds)
	fmt.Println("| set | rows | outliers | suspects | precision | F1 | suspects of the normal rows |\n|---|---|---|---|---|---|---|")
	var precision, f1, even, rest, normal []float64
	for _, s := range sets {
		var p, f, share, only float64
		var some, n int
		odd := 0.
		for seed := range o.seeds {
			rng := rand.New(rand.NewPCG(uint64(seed), 77))
			rows := s.sample(o, rng)
			marks := make([]bool, len(rows))
			var good []int
			for k, i := range rows {
				if marks[k] = s.odd[i]; !marks[k] {
					good = append(good, i)
				}
			}
			r, err := find(pick(s.rows, rows), seed)
			if err != nil {
				return err
			}
			t := count(r.Suspect, marks)
			if t.suspects > 0 {
				p += 1 - t.false()
				some++
			}
			n, odd = t.n, float64(t.odd)/float64(t.n)
			f += t.f1() / float64(o.seeds)
			share += t.share() / float64(o.seeds)
			if r, err = find(pick(s.rows, good), seed); err != nil {
				return err
			}
			only += count(r.Suspect, make([]bool, len(good))).share() / float64(o.seeds)
		}
		text := "–"
		if some > 0 {
			p /= float64(some)
			precision = append(precision, p)
			text = fmt.Sprintf("%.3f", p)
		}
		star := ""
		if s.even {
			star = " *"
			even = append(even, f)
		} else {
			rest = append(rest, f)
		}
		f1, normal = append(f1, f), append(normal, only)
		fmt.Printf("| %s%s | %d | %.3f | %.3f | %s | %.3f | %.3f |\n", s.name, star, n, odd, share, text, f, only)
	}
	fmt.Printf("| **mean** | | | | %.3f on %d sets with any | %.3f | %.3f |\n\nF1 %.3f on the even half of the sets (*), %.3f on the odd one.\n\n",
		mean(precision), len(precision), mean(f1), mean(normal), mean(even), mean(rest))
	return nil
}

var kinds = []string{"gauss2", "gauss16", "gauss64", "uniform", "t5", "clusters", "t5 in common", "three clusters"}

// synthetic is a sample of a kind without outliers.
func synthetic(kind string, n int, rng *rand.Rand) *ot.Points {
	x := &ot.Points{Dim: 8}
	_, _ = fmt.Sscanf(kind, "gauss%d", &x.Dim) // the others have eight columns
	chi := func() float64 {
		sum := 0.
		for range 5 {
			v := rng.NormFloat64()
			sum += v * v
		}
		return math.Sqrt(sum / 5)
	}
	for i := range n {
		common := chi()
		for range x.Dim {
			v := rng.NormFloat64()
			switch kind {
			case "uniform":
				v = rng.Float64()
			case "t5":
				v /= chi()
			case "t5 in common":
				v /= common
			case "clusters":
				if i%2 == 1 {
					v = 6 + 0.3*v
				}
			case "three clusters":
				v = v*[]float64{1, 0.3, 0.6}[i%3] + []float64{0, 6, -5}[i%3]
			}
			x.Coords = append(x.Coords, v)
		}
	}
	return x
}

// cleanData has nothing to find.
func cleanData(o options) error {
	fmt.Printf("Samples of 1000 rows without outliers, %d seeds.\n\n| kind | suspects | nothing stands out |\n|---|---|---|\n", o.seeds)
	for _, kind := range kinds {
		var share, silent float64
		for seed := range o.seeds {
			x := synthetic(kind, 1000, rand.New(rand.NewPCG(uint64(seed), 5)))
			r, err := find(x, seed)
			if err != nil {
				return err
			}
			t := count(r.Suspect, make([]bool, x.Len()))
			share += t.share() / float64(o.seeds)
			if t.suspects == 0 {
				silent += 1 / float64(o.seeds)
			}
		}
		fmt.Printf("| %s | %.4f | %.2f |\n", kind, share, silent)
	}
	fmt.Println()
	return nil
}

// planted has one row in twenty spoiled, in five ways.
func planted(o options) error {
	fmt.Printf("5 %% planted in Gaussian samples of 1000 rows, %d seeds: share of suspects, power.\n\n| way | d = 2 | d = 16 | d = 64 |\n|---|---|---|---|\n", o.seeds)
	for _, way := range []string{"far", "wide", "clump", "scattered", "one column"} {
		fmt.Printf("| %s |", way)
		for _, kind := range kinds[:3] {
			var share, power float64
			for seed := range o.seeds {
				rng := rand.New(rand.NewPCG(uint64(seed), 5))
				x := synthetic(kind, 1000, rng)
				marks := make([]bool, x.Len())
				for i := range x.Len() / 20 {
					marks[i] = true
					for j := range x.Row(i) {
						spoil(&x.Row(i)[j], way, x.Dim, j == i%x.Dim, rng)
					}
				}
				r, err := find(x, seed)
				if err != nil {
					return err
				}
				t := count(r.Suspect, marks)
				share += t.share() / float64(o.seeds)
				power += t.power() / float64(o.seeds)
			}
			fmt.Printf(" %.3f, %.2f |", share, power)
		}
		fmt.Println()
	}
	fmt.Println()
	return nil
}

func spoil(v *float64, way string, d int, own bool, rng *rand.Rand) {
	switch way {
	case "far":
		*v += 16 / math.Sqrt(float64(min(d, 16)))
	case "wide":
		*v *= 4
	case "clump":
		*v = *v*0.3 + 6
	case "scattered":
		*v = -12 + 24*rng.Float64()
	case "one column":
		if own {
			*v = 10 + 40*rng.Float64()
		}
	}
}
