// Command rot computes optimal transport that ignores outliers.
package main

import (
	"os"

	"rot.example/rot/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], cli.Standard())) }
