package clean

import "rot.example/rot/table"

// Groups returns the components of each category of an encoding, as
// Options.Groups takes them; nil for a nil encoding.
func Groups(e *table.Encoding) []Group {
	var groups []Group
	for _, g := range e.Categories() {
		groups = append(groups, Group{First: g.First, Width: g.Width})
	}
	return groups
}
