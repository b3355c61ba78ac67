// Package runs keeps training runs on disk, one folder each, in a way that
// survives a kill or a power cut at any moment.
//
//	runs/gan-20261115-061203/
//		config.json      all that determines the run
//		metrics.jsonl    one JSON object a line, each with its "step"
//		checkpoints/     step-00001500.safetensors, the last two
//		samples/         pictures; the trainer names them
//		weights.csv      one weight per training sample, mean 1
//		lock             held by the process that trains
//
// # Basics
//
// A trainer starts, and starts again after a kill, like this:
//
//	run, err := runs.Create("runs", "", "gan", config) // or runs.Open(path)
//	unlock, err := run.Lock()
//	defer unlock()
//	last, err := run.Latest() // runs.ErrNoCheckpoint: start at step 0
//	log, err := run.OpenMetrics(last.Step)
//	defer log.Close()
//	for step := last.Step + 1; step <= steps; step++ {
//		// …one step…
//		err = log.Append(record)
//		if step%every == 0 {
//			err = run.Save(checkpoint) // after all records of that step
//		}
//	}
//
// OpenMetrics cuts the log back to the checkpoint, and Save makes sure that
// the log is on disk before the checkpoint is. So the log of a run that was
// killed and resumed is that of an unbroken one, given that records hold
// nothing, such as times, that differs from one execution to the next.
//
// # Checkpoints
//
// A checkpoint is a safetensors file, which Python and others read. Its
// __metadata__ holds the step, "format": "rot-1", the entries of
// Checkpoint.Meta, and "sha256": the hash of the whole file with the 64
// characters of the hash itself set to '0'. It is written under another name,
// brought to disk and renamed, so a broken one means a damaged disk; Latest
// then goes back to the one before and Warnings says so.
//
// # Caveats
//
// The methods of a Run are for one goroutine. Other processes may read a run
// that is being trained.
package runs
