package features

import (
	"context"
	"testing"

	"rot.example/rot/dataset"
	"rot.example/rot/nn"
)

// noise is n images that a formula makes.
func noise(name string, n, h, w, c int) *dataset.Images {
	im := &dataset.Images{H: h, W: w, C: c, Pix: make([]uint8, n*h*w*c)}
	for i, u := range uniform(name, len(im.Pix)) {
		im.Pix[i] = uint8((u + 1) * 128)
	}
	return im
}

// BenchmarkEmbed runs images of 32×32 through the networks: compare a build
// with GOEXPERIMENT=simd to one without.
func BenchmarkEmbed(b *testing.B) {
	for _, file := range []string{"mobilenetv2_imagenet.safetensors", "squeezenet1_1_imagenet.safetensors"} {
		b.Run(file, func(b *testing.B) {
			benchmarkEmbed(b, mustOpen(b, file), noise("bench", 32, 32, 32, 3))
		})
	}
}

func BenchmarkInception(b *testing.B) {
	given := map[string]nn.TorchTensor{}
	for name, shape := range declared(b, &inceptionV3) {
		given[name] = synthetic(name, shape...)
	}
	n, err := newNet(testBackend(b), &inceptionV3, given)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkEmbed(b, n, noise("bench", 16, 32, 32, 3))
}

func benchmarkEmbed(b *testing.B, e Embedder, im *dataset.Images) {
	for b.Loop() {
		if _, err := e.Embed(context.Background(), im, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(im.Len()*b.N)/b.Elapsed().Seconds(), "images/s")
}
