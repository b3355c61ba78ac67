package nn

import (
	"math"
	"math/rand/v2"
)

// An Init fills a new array of the given dimensions.
type Init func(dst []float64, dims []int, rng *rand.Rand)

// Constant fills with v.
func Constant(v float64) Init {
	return func(dst []float64, _ []int, _ *rand.Rand) {
		for i := range dst {
			dst[i] = v
		}
	}
}

// Normal draws from a normal distribution.
func Normal(mean, sd float64) Init {
	return func(dst []float64, _ []int, rng *rand.Rand) {
		for i := range dst {
			dst[i] = mean + sd*rng.NormFloat64()
		}
	}
}

// Xavier draws uniformly from ±gain·√(6/(fan in + fan out)), after Glorot and
// Bengio (2010). The last two dimensions are inputs and outputs, those before
// them the kernel's.
func Xavier(gain float64) Init {
	return func(dst []float64, dims []int, rng *rand.Rand) {
		in, out := fans(dims)
		uniform(dst, gain*math.Sqrt(6/float64(in+out)), rng)
	}
}

// HeUniform draws uniformly from ±1/√(fan in), PyTorch's default for dense and
// convolutional layers.
func HeUniform(dst []float64, dims []int, rng *rand.Rand) {
	in, _ := fans(dims)
	uniform(dst, 1/math.Sqrt(float64(in)), rng)
}

func uniform(dst []float64, bound float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = bound * (2*rng.Float64() - 1)
	}
}

func fans(dims []int) (in, out int) {
	kernel := 1
	for _, d := range dims[:max(0, len(dims)-2)] {
		kernel *= d
	}
	if len(dims) == 1 {
		return dims[0], dims[0]
	}
	return kernel * dims[len(dims)-2], kernel * dims[len(dims)-1]
}
