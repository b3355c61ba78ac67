package cpu

// withoutSIMD turns the assembly off until what it returns is called.
func withoutSIMD() func() {
	old := avx2
	avx2 = false
	return func() { avx2 = old }
}
