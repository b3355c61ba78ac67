package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// maxSynth bounds the numbers a synthetic set may have: 2 GiB of them.
const maxSynth = 1 << 28

// A synthSet is a recipe: what its parameters are by default, and how to draw
// the rows.
type synthSet struct {
	name     string
	defaults []param
	draw     func(t *Table, n int, p func(string) float64, rng *rand.Rand)
}

type param struct {
	name  string
	value float64
}

var synthSets = []synthSet{
	{"gauss", []param{{"n", 1000}, {"d", 2}}, drawGauss},
	{"outliers", []param{{"n", 1000}, {"d", 2}, {"gamma", 0.05}, {"shift", 10}}, drawOutliers},
	{"moons", []param{{"n", 1000}, {"noise", 0.1}}, drawMoons},
	{"eight", []param{{"n", 1000}, {"radius", 2}, {"noise", 0.1}}, drawEight},
	{"ring", []param{{"n", 1000}, {"radius", 1}, {"noise", 0.1}}, drawRing},
	{"uniform", []param{{"n", 1000}, {"d", 2}}, drawUniform},
	{"far", []param{{"n", 1000}, {"d", 2}, {"shift", 10}, {"noise", 0.3}}, drawFar},
}

// SynthSpecs are the specs of all synthetic sets, each with its parameters
// and their defaults spelled out, as in synth:gauss,n=1000,d=2,seed=0:
//
//	gauss     standard normal
//	outliers  gauss with a fraction gamma of the rows, at random places, moved
//	          by shift along the first axis; label 1 marks them, 0 the others
//	moons     two half circles, labelled 0 and 1
//	eight     eight Gaussians on a circle, labelled 0 to 7
//	ring      a circle
//	uniform   the unit cube
//	far       a tight Gaussian, shift away from the origin along the diagonal
//
// The same spec gives the same rows on every platform. The sets outliers and
// gauss with the same n, d and seed differ in the moved rows only.
func SynthSpecs() []string {
	out := make([]string, len(synthSets))
	for i, s := range synthSets {
		out[i] = synthSpec(s.name, s.defaults)
	}
	return out
}

func synthSpec(name string, defaults []param) string {
	s := "synth:" + name
	for _, p := range defaults {
		s += fmt.Sprintf(",%s=%v", p.name, p.value)
	}
	return s + ",seed=0"
}

// synth makes the rows of synth:NAME[,KEY=VALUE…].
func synth(spec string) (*Table, error) {
	name, args, _ := strings.Cut(strings.TrimPrefix(spec, "synth:"), ",")
	k := slices.IndexFunc(synthSets, func(s synthSet) bool { return s.name == name })
	if k < 0 && findImageSynth(spec) != nil {
		return nil, fileError(spec, "makes images; images are not points")
	}
	if k < 0 {
		var names []string
		for _, s := range synthSets {
			names = append(names, s.name)
		}
		return nil, fileError(spec, "no synthetic set is called %s; there are %s", quote(name), strings.Join(names, ", "))
	}
	set := synthSets[k]
	values, seed, err := parseParams(spec, set.name, set.defaults, args)
	if err != nil {
		return nil, err
	}
	if _, ok := values["d"]; !ok {
		values["d"] = 2
	}
	if values["n"]*values["d"] > maxSynth {
		return nil, fileError(spec, "n=%v rows of d=%v are more than %d numbers", values["n"], values["d"], maxSynth)
	}
	get := func(name string) float64 { return values[name] }
	n, d := int(get("n")), int(get("d"))
	t := &Table{}
	t.Points.Dim = d
	t.Points.Coords = make([]float64, n*d)
	// The second word keeps these rows apart from other uses of the seed.
	set.draw(t, n, get, rand.New(rand.NewPCG(seed, 0x73796E7468)))
	for i, v := range t.Points.Coords {
		// Sine, exponential and fused multiply-add differ in the last bits
		// between platforms; float32 precision hides that.
		t.Points.Coords[i] = float64(float32(v))
	}
	return t, nil
}

// parseParams reads KEY=VALUE,… over the defaults of the set called name.
func parseParams(spec, name string, defaults []param, args string) (map[string]float64, uint64, error) {
	values := make(map[string]float64)
	valid := make([]string, 0, len(defaults)+1)
	for _, p := range defaults {
		values[p.name] = p.value
		valid = append(valid, p.name)
	}
	valid = append(valid, "seed")
	var seed uint64
	for arg := range strings.SplitSeq(args, ",") {
		if arg == "" {
			continue
		}
		key, text, _ := strings.Cut(arg, "=")
		if !slices.Contains(valid, key) {
			return nil, 0, fileError(spec, "%s has no parameter %s; it takes %s", name, quote(key), strings.Join(valid, ", "))
		}
		var err error
		if key == "seed" {
			if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
				return nil, 0, fileError(spec, "seed %s is not a whole number from 0 to 2⁶⁴−1", quote(text))
			}
			continue
		}
		if values[key], err = parseParam(key, text); err != nil {
			return nil, 0, fileError(spec, "%v", err)
		}
	}
	return values, seed, nil
}

func parseParam(key, text string) (float64, error) {
	if key == "n" || key == "d" {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 || v > maxSynth {
			return 0, fmt.Errorf("%s=%s is not a whole number from 1 to %d", key, text, maxSynth)
		}
		return float64(v), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(math.Abs(v) <= 1e30): // float32 holds the rows, with room to spare
		return 0, fmt.Errorf("%s=%s is not a number of size up to 1e30", key, text)
	case key == "gamma" && (v < 0 || v >= 1):
		return 0, fmt.Errorf("gamma=%s is not in [0, 1)", text)
	case key != "gamma" && key != "shift" && v < 0:
		return 0, fmt.Errorf("%s=%s is negative", key, text)
	}
	return v, nil
}
