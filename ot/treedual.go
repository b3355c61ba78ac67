package ot

import "math"

// treeDual is the dual of the two-sided problem restricted to the arcs of the
// current forest, a concave function of the multipliers alone: each tree acts
// as a single arc of cost c between masses a and b (docs/math.md §6).
type treeDual struct {
	trees            []treeArc
	alone1, alone2   float64 // mass of sources and targets without arcs
	spread1, spread2 float64 // Σ a (u − mean of its tree)², the same for targets
}

type treeArc struct{ a, b, c float64 }

func (s *twoSided) forestDual() *treeDual {
	d := &treeDual{}
	in, u := s.in, s.f.u
	for _, order := range s.f.order {
		var t treeArc
		var p, q float64
		for _, v := range order {
			if int(v) < in.m {
				t.a += in.a[v]
				p += in.a[v] * u[v]
			} else {
				b := in.b[int(v)-in.m]
				t.b += b
				q += b * u[v]
			}
		}
		if t.a == 0 || t.b == 0 {
			d.alone1 += t.a
			d.alone2 += t.b
			continue
		}
		p /= t.a
		q /= t.b
		t.c = q - p
		for _, v := range order {
			if int(v) < in.m {
				d.spread1 += in.a[v] * (u[v] - p) * (u[v] - p)
			} else {
				d.spread2 += in.b[int(v)-in.m] * (u[v] - q) * (u[v] - q)
			}
		}
		d.trees = append(d.trees, t)
	}
	return d
}

// slope is the gradient: by how much each ball is overfull, and the mass short of one.
func (d *treeDual) slope(x multipliers, rho1, rho2 float64) multipliers {
	g, _ := d.curvature(x, rho1, rho2, false)
	return g
}

// curvature adds the Hessian, rows in the order λ1, λ2, ν.
func (d *treeDual) curvature(x multipliers, rho1, rho2 float64, second bool) (g multipliers, h [3][3]float64) {
	var mass, q1, q2 sum
	for _, t := range d.trees {
		r := x.l1/t.a + x.l2/t.b
		m := (x.l1 + x.l2 + x.nu - t.c) / r
		mass.add(m)
		q1.add((m - t.a) * (m - t.a) / t.a)
		q2.add((m - t.b) * (m - t.b) / t.b)
		if second {
			z := [3]float64{1 - m/t.a, 1 - m/t.b, 1}
			for i := range z {
				for j := range z {
					h[i][j] -= z[i] * z[j] / r
				}
			}
		}
	}
	q1.add(d.alone1 + d.spread1/(x.l1*x.l1))
	q2.add(d.alone2 + d.spread2/(x.l2*x.l2))
	if second {
		h[0][0] -= d.spread1 / (x.l1 * x.l1 * x.l1)
		h[1][1] -= d.spread2 / (x.l2 * x.l2 * x.l2)
	}
	return multipliers{q1.total()/2 - rho1, q2.total()/2 - rho2, 1 - mass.total()}, h
}

// balance is the ν that gives mass one: the masses are linear in it.
func (d *treeDual) balance(l1, l2 float64) float64 {
	var p, q sum
	for _, t := range d.trees {
		r := l1/t.a + l2/t.b
		p.add((l1 + l2 - t.c) / r)
		q.add(1 / r)
	}
	return (1 - p.total()) / q.total()
}

// peak maximizes over λ1, λ2 within a factor of box of x, with ν eliminated,
// by a damped Newton method in relative steps.
func (d *treeDual) peak(x multipliers, rho1, rho2, box float64) multipliers {
	if len(d.trees) == 0 {
		return x
	}
	lo, hi := [2]float64{x.l1 / box, x.l2 / box}, [2]float64{x.l1 * box, x.l2 * box}
	x.nu = d.balance(x.l1, x.l2)
	for range 80 {
		g, h3 := d.curvature(x, rho1, rho2, true)
		if math.Abs(g.l1) < 1e-15*rho1 && math.Abs(g.l2) < 1e-15*rho2 && math.Abs(g.nu) < 1e-16 {
			break
		}
		at := [2]float64{x.l1, x.l2}
		slope := [2]float64{g.l1, g.l2}
		var h [2][2]float64
		var b, dx [2]float64
		for i := range 2 {
			b[i] = slope[i] * at[i]
			for j := range 2 {
				h[i][j] = -(h3[i][j] - h3[i][2]*h3[2][j]/h3[2][2]) * at[i] * at[j]
			}
		}
		ridge := 1e-14*math.Max(h[0][0], h[1][1]) + 1e-300
		for i := range 2 {
			h[i][i] += ridge
		}
		for i := range 2 {
			if at[i] <= lo[i] && slope[i] < 0 || at[i] >= hi[i] && slope[i] > 0 {
				h[0][1], h[1][0], h[i][i], b[i] = 0, 0, 1, 0
			}
		}
		if det := h[0][0]*h[1][1] - h[0][1]*h[1][0]; det > 1e-13*h[0][0]*h[1][1] {
			dx = [2]float64{(b[0]*h[1][1] - b[1]*h[0][1]) / det, (b[1]*h[0][0] - b[0]*h[1][0]) / det}
		} else {
			dx = [2]float64{b[0] / h[0][0], b[1] / h[1][1]}
		}
		step := 1.0
		for i := range 2 {
			if math.IsNaN(dx[i]) || math.IsInf(dx[i], 0) {
				dx[i] = math.Max(-1, math.Min(box, b[i]*math.Inf(1)))
				if b[i] == 0 {
					dx[i] = 0
				}
			}
			if dx[i] < -0.7 {
				step = math.Min(step, -0.7/dx[i])
			}
			if dx[i] > 3 {
				step = math.Min(step, 3/dx[i])
			}
		}
		climb := b[0]*dx[0] + b[1]*dx[1]
		var y multipliers
		for range 40 {
			y.l1 = math.Min(math.Max(x.l1+step*dx[0]*at[0], lo[0]), hi[0])
			y.l2 = math.Min(math.Max(x.l2+step*dx[1]*at[1], lo[1]), hi[1])
			y.nu = d.balance(y.l1, y.l2)
			s := d.slope(y, rho1, rho2)
			if (s.l1*(y.l1-x.l1)+s.l2*(y.l2-x.l2))/step >= -0.7*climb {
				break
			}
			step /= 2
		}
		moved := math.Max(math.Abs(y.l1-x.l1)/at[0], math.Abs(y.l2-x.l2)/at[1])
		x = y
		if moved < 1e-16 {
			break
		}
	}
	return x
}
