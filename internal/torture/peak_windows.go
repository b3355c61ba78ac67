package main

import (
	"errors"
	"os"
)

func peak(*os.ProcessState) int64 { return 0 }

var moreSignals []os.Signal

func makePipe(string) error { return errors.ErrUnsupported }
