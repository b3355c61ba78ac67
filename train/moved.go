package train

// A MovedError is about data that are not where a run found them.
type MovedError struct{ Err error }

func (e *MovedError) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong with them.
func (e *MovedError) Unwrap() error { return e.Err }
