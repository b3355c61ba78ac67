package dataset

import (
	"math"
	"math/rand/v2"
)

// digitStrokes are the digits as lines between points of a box one wide and
// two high, y down: a seven-segment display, with a slanted 1, 4 and 7 and
// open corners so that they look written.
var digitStrokes = [10][][4]float64{
	{{0.15, 0, 0.85, 0}, {0.85, 0, 1, 0.4}, {1, 0.4, 1, 1.6}, {1, 1.6, 0.85, 2}, {0.85, 2, 0.15, 2}, {0.15, 2, 0, 1.6}, {0, 1.6, 0, 0.4}, {0, 0.4, 0.15, 0}},
	{{0.2, 0.4, 0.6, 0}, {0.6, 0, 0.6, 2}},
	{{0, 0.3, 0.3, 0}, {0.3, 0, 0.8, 0}, {0.8, 0, 1, 0.4}, {1, 0.4, 0.9, 0.8}, {0.9, 0.8, 0, 2}, {0, 2, 1, 2}},
	{{0, 0, 0.8, 0}, {0.8, 0, 1, 0.3}, {1, 0.3, 0.8, 0.9}, {0.8, 0.9, 0.3, 0.95}, {0.8, 0.9, 1, 1.4}, {1, 1.4, 0.8, 2}, {0.8, 2, 0, 2}},
	{{0.6, 0, 0, 1.2}, {0, 1.2, 1, 1.2}, {0.75, 0.6, 0.75, 2}},
	{{0.95, 0, 0.1, 0}, {0.1, 0, 0.05, 0.9}, {0.05, 0.9, 0.8, 0.9}, {0.8, 0.9, 1, 1.2}, {1, 1.2, 0.9, 1.9}, {0.9, 1.9, 0.7, 2}, {0.7, 2, 0, 2}},
	{{0.8, 0, 0.2, 0.5}, {0.2, 0.5, 0, 1.3}, {0, 1.3, 0.1, 2}, {0.1, 2, 0.9, 2}, {0.9, 2, 1, 1.2}, {1, 1.2, 0.8, 1}, {0.8, 1, 0.05, 1.1}},
	{{0, 0, 1, 0}, {1, 0, 0.35, 2}},
	{{0.2, 0, 0.8, 0}, {0.8, 0, 0.95, 0.5}, {0.95, 0.5, 0.5, 0.95}, {0.5, 0.95, 0.05, 0.5}, {0.05, 0.5, 0.2, 0}, {0.5, 0.95, 1, 1.5}, {1, 1.5, 0.8, 2}, {0.8, 2, 0.2, 2}, {0.2, 2, 0, 1.5}, {0, 1.5, 0.5, 0.95}},
	{{1, 0.7, 0.9, 0.1}, {0.9, 0.1, 0.2, 0}, {0.2, 0, 0, 0.4}, {0, 0.4, 0.1, 0.9}, {0.1, 0.9, 0.9, 0.9}, {1, 0.7, 0.9, 0.9}, {1, 0.5, 0.75, 2}},
}

// drawDigit draws a digit with random place, size, slant, thickness and
// brightness.
func drawDigit(c *canvas, class int, _ func(string) float64, rng *rand.Rand) {
	uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	high := uniform(16, 20)
	wide := high * uniform(0.45, 0.65)
	slant := uniform(-0.12, 0.3)
	thick := uniform(0.9, 1.9) // half the width of a stroke
	bright := uniform(0.75, 1)
	cx, cy := float64(c.w)/2+uniform(-2, 2), float64(c.h)/2+uniform(-2, 2)
	lines := make([][4]float64, len(digitStrokes[class]))
	for k, s := range digitStrokes[class] {
		for e := 0; e < 4; e += 2 {
			x, y := s[e]-0.5, s[e+1]/2-0.5
			lines[k][e], lines[k][e+1] = cx+wide*x-slant*high*y, cy+high*y
		}
	}
	c.cover(bright, func(x, y float64) float64 {
		near := math.Inf(1)
		for _, l := range lines {
			near = min(near, squareToLine(x, y, l))
		}
		return thick - math.Sqrt(near)
	})
}

// squareToLine is the squared distance of a point from a line between two.
func squareToLine(x, y float64, l [4]float64) float64 {
	dx, dy := l[2]-l[0], l[3]-l[1]
	x, y = x-l[0], y-l[1]
	t := min(max((x*dx+y*dy)/(dx*dx+dy*dy), 0), 1)
	x, y = x-t*dx, y-t*dy
	return x*x + y*y
}

// drawShape draws a filled shape with random place, size, angle and grays.
func drawShape(c *canvas, class int, _ func(string) float64, rng *rand.Rand) {
	uniform := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	radius := uniform(8, 12)
	sin, cos := math.Sincos(uniform(0, 2*math.Pi))
	cx, cy := float64(c.w)/2+uniform(-3, 3), float64(c.h)/2+uniform(-3, 3)
	ground, fill := uniform(0.05, 0.35), uniform(0.65, 1)
	for i := range c.v {
		c.v[i] = ground
	}
	c.cover(fill, func(x, y float64) float64 {
		x, y = x-cx, y-cy
		x, y = cos*x+sin*y, cos*y-sin*x
		switch class {
		case 0: // circle
			return radius - math.Hypot(x, y)
		case 1: // triangle: the inner circle has half the radius of the outer
			return radius/2 - max(y, math.Sqrt(3)/2*math.Abs(x)-y/2)
		case 2: // square
			return 0.75*radius - max(math.Abs(x), math.Abs(y))
		case 3: // cross
			x, y = math.Abs(x), math.Abs(y)
			return max(min(radius-x, radius/3-y), min(radius-y, radius/3-x))
		}
		return radius/4 - math.Abs(math.Hypot(x, y)-0.75*radius) // ring
	})
}

// drawBlobs draws a slope between two colours with patches of others.
func drawBlobs(c *canvas, _ int, _ func(string) float64, rng *rand.Rand) {
	type patch struct {
		x, y, width float64
		colour      [3]float64
	}
	colour := func() [3]float64 { return [3]float64{rng.Float64(), rng.Float64(), rng.Float64()} }
	from, to := colour(), colour()
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	patches := make([]patch, 2+rng.IntN(4))
	for k := range patches {
		patches[k] = patch{rng.Float64(), rng.Float64(), 0.1 + 0.2*rng.Float64(), colour()}
	}
	for i := range c.h * c.w {
		x, y := (float64(i%c.w)+0.5)/float64(c.w), (float64(i/c.w)+0.5)/float64(c.h)
		p := c.v[3*i : 3*i+3]
		t := 0.5 + 0.7*((x-0.5)*cos+(y-0.5)*sin)
		for k := range p {
			p[k] = from[k] + t*(to[k]-from[k])
		}
		for _, b := range patches {
			a := math.Exp(-((x-b.x)*(x-b.x) + (y-b.y)*(y-b.y)) / (2 * b.width * b.width))
			for k := range p {
				p[k] += a * (b.colour[k] - p[k])
			}
		}
	}
}
