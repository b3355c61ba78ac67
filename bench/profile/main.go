//go:build cgo && linux && amd64

// Command profile says what a GPU does while a GAN trains: which kernels take
// its time, how long it waits for the host, and which fraction of its peak the
// networks' convolutions reach:
//
//	go run ./bench/profile -preset dcgan -dtype bf16
//
// It needs an NVIDIA GPU and XLA's plugin, whose own tracer it asks. Images are
// noise: what they show has no part in the time.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/gan"
	"rot.example/rot/runs"
	"rot.example/rot/train"
)

func main() {
	log.SetFlags(0)
	preset := flag.String("preset", "dcgan", "networks")
	dtype := flag.String("dtype", "bf16", "type that they calculate in")
	weights := flag.String("weights", gan.WeightNet, "how data are weighed")
	rho := flag.Float64("rho", 0.1, "radius; 0 for a plain GAN")
	steps := flag.Int("steps", 500, "steps that are traced")
	peak := flag.Float64("peak", 0, "of the GPU, in TFLOP/s; 0 for an H200's in this type")
	flag.Parse()
	if *peak == 0 {
		*peak = map[string]float64{"bf16": 989, "f32": 495}[*dtype]
	}
	if err := run(*preset, *dtype, *weights, *rho, *steps, *peak); err != nil {
		log.Fatal(err)
	}
}

func run(preset, dtype, weights string, rho float64, steps int, peak float64) error {
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	options := &engine.Options{}
	if cache, err := os.UserCacheDir(); err == nil {
		options.CacheDir = filepath.Join(cache, "rot", "xla")
	}
	b, err := engine.Open("xla", options)
	if err != nil {
		return err
	}
	defer b.Close()
	c, err := gan.Preset(preset)
	if err != nil {
		return err
	}
	const warm = 1000
	c.DType, c.Weights, c.Rho, c.WarmUp, c.Steps, c.SampleEvery = dtype, weights, rho, 0, warm+steps, warm+steps
	c.LogEvery = warm + steps
	im := &dataset.Images{H: 32, W: 32, C: 3, Pix: make([]byte, 10_000*32*32*3)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(rng.Uint32())
	}
	data, err := train.FromImages(im)
	if err != nil {
		return err
	}
	if err := c.Fit(data); err != nil {
		return err
	}
	t, err := gan.New(c, data, b)
	if err != nil {
		return err
	}
	r, err := runs.Create(dir, "run", "gan", c)
	if err != nil {
		return err
	}
	var tracer *tracer
	var failed error
	var begun time.Time
	var seconds float64
	err = t.Run(context.Background(), r, &gan.RunOptions{Hooks: gan.Hooks{Step: func(r gan.Record) {
		switch {
		case r.Step == warm:
			tracer, failed = startTracer(b.Plugin)
			begun = time.Now()
		case r.Step == warm+steps && failed == nil:
			seconds = time.Since(begun).Seconds()
			failed = tracer.stop()
		}
	}}})
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	space, err := tracer.collect()
	if err != nil {
		return err
	}
	events, err := kernels(space)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, weights %s, ρ = %g on %s: %d steps of %d images in %.2f s with the tracer on\n", preset, dtype, weights, rho, b.Device, steps, c.Batch, seconds)
	rate := float64(steps*c.Batch) / seconds
	work := flops(preset, c.CriticSteps)
	fmt.Printf("%.0f images/s, %.2f GFLOP an image in products and convolutions: %.0f TFLOP/s, %.0f %% of %.0f\n", rate, work/1e9, rate*work/1e12, 100*rate*work/1e12/peak, peak)
	show(events)
	return nil
}

// An event is a kernel, or a copy, that ran on the GPU.
type event struct {
	name       string
	start, end float64 // in seconds
}

// show prints how the GPU spent its time.
func show(events []event) {
	if len(events) == 0 {
		fmt.Println("the tracer saw no kernels")
		return
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.start, b.start) })
	last, busy := events[0].start, 0.0
	byName, byKind, count := map[string]float64{}, map[string]float64{}, map[string]int{}
	for _, e := range events {
		busy += max(0, e.end-max(last, e.start))
		last = max(last, e.end)
		byName[e.name] += e.end - e.start
		count[e.name]++
		byKind[kind(e.name)] += e.end - e.start
	}
	total := last - events[0].start
	fmt.Printf("%d kernels, one every %.1f µs; the GPU is at work %.1f %% of the time\n", len(events), 1e6*total/float64(len(events)), 100*busy/total)
	for _, k := range byTime(byKind) {
		fmt.Printf("  %5.1f %%  %s\n", 100*byKind[k]/total, k)
	}
	fmt.Println("the largest:")
	for i, n := range byTime(byName) {
		if i == 15 {
			break
		}
		fmt.Printf("  %5.1f %%  %6.1f µs × %d  %.90s\n", 100*byName[n]/total, 1e6*byName[n]/float64(count[n]), count[n], n)
	}
}

// byTime returns the names from the longest time to the shortest.
func byTime(times map[string]float64) []string {
	var names []string
	for n := range times {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), strings.Compare(a, b)) })
	return names
}

// kind returns what a kernel is for, by its name.
func kind(name string) string {
	n := strings.ToLower(name)
	for _, k := range []struct{ kind, words string }{
		{"copies", "memcpy memset copy transpose nchwtonhwc nhwctonchw"},
		{"convolutions", "conv dgrad wgrad fprop implicit xmma_fprop cudnn"},
		{"matrix products", "gemm cutlass cublas nvjet dot"},
		{"reductions", "reduce"},
		{"elementwise", "fusion wrapped loop"},
	} {
		for w := range strings.FieldsSeq(k.words) {
			if strings.Contains(n, w) {
				return k.kind
			}
		}
	}
	return "other"
}

// flops returns the floating-point operations of products and convolutions for
// an image of a WGAN-GP's critic step at 32×32 pixels, with a generator step
// after every few. The critic sees data and samples forward and backward, and
// points between them forward, backward and backward through both.
func flops(preset string, criticSteps int) float64 {
	conv := func(size, in, out, kernel int) float64 { return 2 * float64(size*size*in*out*kernel*kernel) }
	var critic, generator float64
	switch preset {
	case "dcgan":
		critic = conv(32, 3, 64, 3) + conv(16, 64, 128, 4) + conv(8, 128, 256, 4) + conv(4, 256, 512, 4)
		// A transposed convolution is the backward pass of a strided one.
		generator = conv(1, 128, 8192, 1) + conv(4, 512, 256, 4) + conv(8, 256, 128, 4) + conv(16, 128, 64, 4) + conv(32, 64, 3, 3)
	case "resnet":
		up := func(size int) float64 { return 2*conv(size, 128, 128, 3) + conv(size, 128, 128, 1) }
		critic = conv(32, 3, 128, 3) + conv(32, 128, 128, 3) + conv(16, 3, 128, 1) +
			2*conv(16, 128, 128, 3) + conv(16, 128, 128, 1) + 4*conv(8, 128, 128, 3)
		generator = conv(1, 128, 2048, 1) + up(8) + up(16) + up(32) + conv(32, 128, 3, 3)
	default:
		return 0
	}
	return generator + 12*critic + (3*generator+2*critic)/float64(criticSteps)
}
