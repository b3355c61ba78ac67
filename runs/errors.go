package runs

import "errors"

// Errors to test for with errors.Is. A run that is already there is an
// fs.ErrExist, a missing one an fs.ErrNotExist.
var (
	ErrName         = errors.New("not a name for a run")
	ErrNotRun       = errors.New("not a run")
	ErrConfig       = errors.New("configuration is not usable")
	ErrLocked       = errors.New("another process is training this run")
	ErrMetrics      = errors.New("metrics are not usable")
	ErrNoCheckpoint = errors.New("no checkpoint")
	ErrAllDamaged   = errors.New("all checkpoints are damaged")
	ErrCheckpoint   = errors.New("checkpoint cannot be written")
	ErrBroken       = errors.New("file is damaged or not a safetensors file")
	ErrWeights      = errors.New("weights are not usable")
)
