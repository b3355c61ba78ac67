package cli

import (
	"rot.example/rot/engine"
	"rot.example/rot/ot"
)

// A gpuSweeper helps a solver to look at all pairs of rows; nil is none.
type gpuSweeper struct {
	*engine.Sweeper
	backend *engine.Backend
}

// sweeper returns what helps a solver of p: nothing unless the backend is xla,
// or auto, which takes a GPU where it pays.
func (o *backendFlags) sweeper(p *ot.Problem, method ot.Method) (*gpuSweeper, error) {
	m, n := p.Cost.Dims()
	switch {
	case o.name != "xla" && o.name != "auto", o.name == "auto" && !engine.SweeperPays(m, n, p.Cost.Dim()):
		return nil, nil
	case p.Cost.Metric() == ot.Given, method != ot.MethodExact && method != ot.MethodPartial:
		return nil, nil
	}
	opts := engineOptions()
	opts.FullFloat32 = true
	b, err := engine.Open(o.name, opts)
	if err != nil {
		return nil, err
	}
	if b.Kind != "xla" { // auto found no GPU
		b.Close()
		return nil, nil
	}
	return &gpuSweeper{engine.NewSweeper(b, nil), b}, nil
}

// option is g as the options of package ot want it.
func (g *gpuSweeper) option() ot.Sweeper {
	if g == nil {
		return nil
	}
	return g
}

// device describes where g runs; "" for none.
func (g *gpuSweeper) device() string {
	if g == nil {
		return ""
	}
	return g.backend.String()
}

func (g *gpuSweeper) close() {
	if g != nil {
		g.Close()
		g.backend.Close()
	}
}
