package train

import "rot.example/rot/ot"

// LargestRho is the largest radius that is chosen automatically. In its ball 29 %
// of the samples can lose their weight; a curve that bends later does so because
// of samples that belong.
const LargestRho = 0.2

// A Radius is a radius that a run chose for itself. As a function of the radius,
// the value of the weight program bends where the samples that do not belong
// have all lost their weight; that is where it is chosen.
type Radius struct {
	Rho       float64 `json:"rho"`           // 0 where none was found
	Elbow     float64 `json:"elbow"`         // where the curve bends most
	Sharpness float64 `json:"sharpness"`     // how much more it does so than elsewhere
	Gap       float64 `json:"gap,omitempty"` // between what it sets aside and the others
	Held      int     `json:"held"`          // samples that it was chosen on
}

// Found reports whether the curve has an elbow at a radius up to LargestRho.
func (r *Radius) Found() bool { return r.Elbow > 0 && r.Elbow <= LargestRho }

// Faint reports whether the curve bends hardly more at the elbow than elsewhere,
// which makes the radius a very rough guess.
func (r *Radius) Faint() bool { return r.Sharpness < ot.FaintElbow }
