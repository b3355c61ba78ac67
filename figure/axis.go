package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// tooLarge bounds the numbers that figures accept: above it, squares and
// differences leave the range of float64.
const tooLarge = 1e100

// tooSmall is the length of an axis below which its ticks, and what is worked
// out between them, leave the normal range of float64. Whatever is shorter is
// drawn as a point.
const tooSmall = 1e-290

// drawable reports whether v can stand on an axis.
func drawable(v float64) bool { return math.Abs(v) <= tooLarge } // false for NaN

// A span is a closed range of an axis.
type span struct{ min, max float64 }

// emptySpan contains nothing, and any span joined to it replaces it.
func emptySpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s span) length() float64 { return s.max - s.min }

// with is the smallest span that contains s and every v.
func (s span) with(vs ...float64) span {
	for _, v := range vs {
		s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
	}
	return s
}

// widen is s made the given length around its middle.
func (s span) widen(length float64) span {
	mid := s.min + s.length()/2
	return span{mid - length/2, mid + length/2}
}

// atLeast is s, or what is around its middle where it is shorter than that.
func (s span) atLeast(length float64) span {
	if s.length() >= length {
		return s
	}
	return s.widen(resolvable(0, s.size()))
}

// size is the largest absolute value in s.
func (s span) size() float64 { return math.Max(math.Abs(s.min), math.Abs(s.max)) }

// resolvable is length, or where that is lost in the rounding of numbers as
// large as size, a length that can be drawn.
func resolvable(length, size float64) float64 {
	switch {
	case length > 1e-9*size && length > tooSmall:
		return length
	case size > 1e3*tooSmall:
		return 1e-3 * size
	}
	return 1
}

// padded is s with a part of its length added at each end, room for the marks
// there.
func (s span) padded(room float64) span {
	length := resolvable(s.length(), s.size())
	return s.widen(length * (1 + 2*room))
}

// paddedBoth adds the same room around x and y, so that a flat cloud stays
// flat.
func paddedBoth(x, y span, room float64) (span, span) {
	length := resolvable(math.Max(x.length(), y.length()), math.Max(x.size(), y.size()))
	return x.widen(x.length() + 2*room*length), y.widen(y.length() + 2*room*length)
}

// nameAxes labels the axes of p, drawn on c. A longer label would push the
// plot aside.
func nameAxes(p *plot.Plot, c draw.Canvas, x, y string) {
	p.X.Label.Text = axisType.fit(x, c.Size().X*0.8)
	p.Y.Label.Text = axisType.fit(y, c.Size().Y*0.8)
}

// setRange fixes both axes.
func setRange(p *plot.Plot, x, y span) {
	x, y = x.atLeast(tooSmall), y.atLeast(tooSmall)
	p.X.Min, p.X.Max = x.min, x.max
	p.Y.Min, p.Y.Max = y.min, y.max
}

// equalAspect sets the ranges of p so that a unit is as long on both axes when
// p is drawn on c: it keeps one of x and y and widens the other.
func equalAspect(p *plot.Plot, c draw.Canvas, x, y span) {
	setRange(p, x, y)
	// Other ranges have tick labels of other widths and at other places, which
	// leave other room for the data, so the room is measured until it stays the
	// same.
	var w, h float64
	for range 40 {
		d := p.DataCanvas(c)
		if float64(d.Size().X) == w && float64(d.Size().Y) == h {
			return
		}
		w, h = float64(d.Size().X), float64(d.Size().Y)
		unit := math.Max(x.length()/w, y.length()/h)
		setRange(p, x.widen(unit*w), y.widen(unit*h))
	}
}

// niceTicks is a ticker of up to n+1 round numbers.
func niceTicks(n int) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		return stepTicks(niceStep((hi-lo)/float64(n))).Ticks(lo, hi)
	})
}

// mostTicks is far above what an axis has room for.
const mostTicks = 200

// stepTicks is a ticker of the multiples of step.
func stepTicks(step float64) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
		// Written so that a step of 0 or NaN gives no ticks. From 2⁵³ on the
		// numbers of neighbouring ticks are the same.
		if !(step > 0 && last-first < mostTicks && math.Abs(first) < 1<<53 && math.Abs(last) < 1<<53) {
			return nil
		}
		ticks := make([]plot.Tick, 0, mostTicks)
		for k := range int(last-first) + 1 {
			v := (first + float64(k)) * step
			ticks = append(ticks, plot.Tick{Value: v, Label: tickLabel(v, step)})
		}
		return ticks
	})
}

// niceStep is the smallest of 1, 2 and 5 times a power of ten that is at least
// width.
func niceStep(width float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(width)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= width*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel writes v with the digits that tell it from v+step.
func tickLabel(v, step float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	digits := -int(math.Floor(math.Log10(step) + 1e-9))
	var s string
	if digits > 4 || math.Abs(v) >= 1e5 {
		significant := digits + int(math.Floor(math.Log10(math.Abs(v))+1e-9)) + 1
		s = strconv.FormatFloat(v, 'g', max(significant, 1), 64)
	} else {
		s = strconv.FormatFloat(v, 'f', max(digits, 0), 64)
	}
	return typeset(s)
}
