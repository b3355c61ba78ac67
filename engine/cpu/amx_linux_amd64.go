package cpu

import "syscall"

// allowAMX asks Linux for the use of the tile registers, whose contents it then
// keeps for each thread.
func allowAMX() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData          = 18
	)
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
