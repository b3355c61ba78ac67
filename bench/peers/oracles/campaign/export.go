package main

import (
	"context"
	"io"
	"time"

	"rot.example/rot/internal/oracle"
)

func exportOne(w io.Writer, in *oracle.Instance, limit time.Duration) error {
	_ = context.Background
	return nil
}
