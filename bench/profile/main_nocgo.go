//go:build !cgo || !linux || !amd64

package main

import "log"

func main() {
	log.SetFlags(0)
	log.Fatal("profile needs cgo on Linux, amd64: CGO_ENABLED=1 go run ./bench/profile")
}
