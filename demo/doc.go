// Package demo makes small data sets, spoils them, and lets plain and robust
// methods loose on them: a distance, a GAN, and a table to clean. It is what
// "rot demo" shows. The same numbers come out each time.
package demo

import "rot.example/rot/figure"

// A Figure is a picture with the name of its file.
type Figure struct {
	Name   string
	Figure figure.Figure
}
