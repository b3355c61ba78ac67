package cli

import "rot.example/rot/internal/words"

// The formats of package words, under short names.
var (
	digits    = words.Digits
	percent   = words.Percent
	seconds   = words.Seconds
	count     = words.Count
	plural    = words.Plural
	shellWord = words.ShellWord
)
