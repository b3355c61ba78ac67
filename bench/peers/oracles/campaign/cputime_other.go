//go:build !unix

package main

import "time"

// processorTime is the time since the start, where there is nothing better.
func processorTime() time.Duration { return time.Since(started) }
