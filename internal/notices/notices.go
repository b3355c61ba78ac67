// Package notices holds the licences of all that the program is made of.
package notices

import _ "embed"

// Text is the notices: for each licence the parts that come under it, and then
// the licence.
//
//go:embed NOTICES.txt
var Text string

//go:generate go run ./collect
