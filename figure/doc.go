// Package figure draws what the solvers find: couplings of two point clouds,
// the value of robust transport against its radius, and histograms of sample
// weights; and how training went: scatters of generated points, grids of
// images, and losses over the steps. Pictures are PNG or SVG, and the same
// input gives the same bytes.
//
// # Basics
//
// A figure is a plain struct: fill it, then Save it. The extension picks the
// format, and nil options pick a size that suits the figure.
//
//	fig := &figure.Couplings{Panels: []*figure.Coupling{
//		figure.NewCoupling("(a) clean", x, y, clean),
//		figure.NewCoupling("(b) 5 % outliers, plain OT", dirty, y, plain),
//		figure.NewCoupling("(c) 5 % outliers, robust OT", dirty, y, robust),
//	}}
//	err := figure.Save("couplings.png", fig, nil)
//
// Source points are blue circles, target points are orange triangles: a pair
// that stays apart without colour vision and in grey. A point of low weight is
// hollow. A link is the wider and the more opaque the more mass it carries.
// Where outliers are known they are orange too, whatever the figure.
//
// # Caveats
//
// Points of more than two dimensions are projected on their first two
// principal components (PC), and the axis labels say so, with the part of the
// variance that each one shows; Euclidean lengths in such a picture are lower
// bounds of the true ones. A plan of many entries shows its heaviest
// only, and the line under the title says how many. In an SVG a panel with
// thousands of marks holds them as one embedded image, which keeps the file
// small; its axes and texts stay vectors. An ImageGrid is pixels throughout,
// and its size follows from its images.
//
// Malformed data give errors that wrap ot.ErrShape, ot.ErrValue, ot.ErrWeights
// or ot.ErrOption, and an unknown file type one that wraps ErrFormat.
package figure
