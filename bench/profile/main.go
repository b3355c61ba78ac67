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

type options struct {
	preset, dtype, weights string
	rho                    float64
	steps                  int
	peak                   float64
	trace                  string
}

func main() {
	log.SetFlags(0)
	var o options
	flag.StringVar(&o.preset, "preset", "dcgan", "networks")
	flag.StringVar(&o.dtype, "dtype", "bf16", "type that they calculate in")
	flag.StringVar(&o.weights, "weights", gan.WeightNet, "how data are weighed")
	flag.Float64Var(&o.rho, "rho", 0.1, "radius; 0 for a plain GAN")
	flag.IntVar(&o.steps, "steps", 50, "steps that are traced")
	flag.Float64Var(&o.peak, "peak", 0, "of the GPU, in TFLOP/s; 0 for an H200's in this type")
	flag.StringVar(&o.trace, "trace", "", "file for the trace, which XProf and TensorBoard open as NAME.xplane.pb")
	flag.Parse()
	if o.peak == 0 {
		o.peak = map[string]float64{"bf16": 989, "f32": 495}[o.dtype]
	}
	if err := o.run(); err != nil {
		log.Fatal(err)
	}
}

func (o *options) run() error {
	cacheDir := ""
	if dir, err := os.UserCacheDir(); err == nil {
		cacheDir = filepath.Join(dir, "rot", "xla")
	}
	b, err := engine.Open("xla", &engine.Options{CacheDir: cacheDir})
	if err != nil {
		return err
	}
	defer b.Close()
	c, err := gan.Preset(o.preset)
	if err != nil {
		return err
	}
	c.DType, c.Weights, c.Rho, c.WarmUp = o.dtype, o.weights, o.rho, 0
	perStep, trace, err := o.train(c, b)
	if err != nil {
		return err
	}
	if o.trace != "" {
		if err := os.WriteFile(o.trace, trace, 0o644); err != nil {
			return err
		}
	}
	events, err := kernels(trace)
	if err != nil {
		return err
	}
	work := flops(o.preset, c.CriticSteps) * float64(c.Batch)
	fmt.Printf("%s, %s, weights %s, ρ = %g on %s: %.0f images/s, %.2f ms a step of %d images\n",
		o.preset, o.dtype, o.weights, o.rho, b.Device, float64(c.Batch)/perStep, 1e3*perStep, c.Batch)
	fmt.Printf("%.0f GFLOP a step in products and convolutions: %.0f TFLOP/s, %.0f %% of %.0f\n",
		work/1e9, work/perStep/1e12, 100*work/perStep/1e12/o.peak, o.peak)
	o.show(events, perStep, work)
	return nil
}

// train trains on noise and returns the seconds of a step, measured without
// the tracer, and then a trace of some more.
func (o *options) train(c gan.Config, b *engine.Backend) (perStep float64, trace []byte, err error) {
	const warm, timed = 500, 2000
	c.Steps = warm + timed + o.steps
	c.SampleEvery, c.LogEvery = c.Steps, c.Steps
	c.WeightLR = 1e-9 // of noise there is nothing to learn, and a network that tries may end with 0 for every image
	im := &dataset.Images{H: 32, W: 32, C: 3, Pix: make([]byte, 10_000*32*32*3)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(rng.Uint32())
	}
	data, err := train.FromImages(im)
	if err != nil {
		return 0, nil, err
	}
	if err := c.Fit(data); err != nil {
		return 0, nil, err
	}
	t, err := gan.New(c, data, b)
	if err != nil {
		return 0, nil, err
	}
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	r, err := runs.Create(dir, "run", "gan", c)
	if err != nil {
		return 0, nil, err
	}
	var tracer *tracer
	var failed error
	var begun time.Time
	err = t.Run(context.Background(), r, &gan.RunOptions{Hooks: gan.Hooks{Step: func(r gan.Record) {
		switch {
		case r.Step == warm:
			begun = time.Now()
		case r.Step == warm+timed:
			perStep = time.Since(begun).Seconds() / timed
			tracer, failed = startTracer(b.Plugin)
		case r.Step == c.Steps && failed == nil:
			failed = tracer.stop()
		}
	}}})
	if err = cmp.Or(err, failed); err != nil {
		return 0, nil, err
	}
	trace, err = tracer.collect()
	return perStep, trace, err
}

// An event is a kernel, or a copy, that ran on the GPU.
type event struct {
	name       string
	start, end float64 // in seconds
}

// show prints how the GPU spent its time, in parts of a step without the
// tracer, which slows the host down and not the kernels. Work is what a step
// has to do.
func (o *options) show(events []event, perStep, work float64) {
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
	part := func(seconds float64) float64 { return 100 * seconds / float64(o.steps) / perStep }
	fmt.Printf("%.0f kernels a step; the GPU is at work %.0f %% of the time, and waits for the host in the rest\n",
		float64(len(events))/float64(o.steps), part(busy))
	for _, k := range byTime(byKind) {
		fmt.Printf("  %5.1f %%  %s\n", part(byKind[k]), k)
	}
	if dense := byKind["convolutions"] + byKind["matrix products"]; dense > 0 {
		rate := work * float64(o.steps) / dense / 1e12
		fmt.Printf("while it convolves and multiplies: %.0f TFLOP/s, %.0f %% of %.0f\n", rate, 100*rate/o.peak, o.peak)
	}
	fmt.Println("the largest:")
	for i, n := range byTime(byName) {
		if i == 20 {
			break
		}
		fmt.Printf("  %5.1f %%  %6.1f µs × %d  %.90s\n", part(byName[n]), 1e6*byName[n]/float64(count[n]), count[n], n)
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
		{"copies", "memcpy memset wrapped_copy wrapped_transpose addpadding nchwtonhwc nhwctonchw"},
		{"reductions", "reduce_fusion reduce_slice_fusion splitk"},
		{"convolutions", "conv dgrad wgrad fprop"},
		{"matrix products", "gemm cutlass cublas nvjet"},
		{"elementwise", "fusion wrapped"},
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
