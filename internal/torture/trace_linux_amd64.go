package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

const canTrace = true

// touching are the system calls that change files. Kills and errors hit these.
var touching = map[uint64]bool{
	unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_OPENAT: true, unix.SYS_CLOSE: true, unix.SYS_RENAME: true, unix.SYS_RENAMEAT: true, unix.SYS_RENAMEAT2: true,
	unix.SYS_FSYNC: true, unix.SYS_FTRUNCATE: true, unix.SYS_UNLINK: true, unix.SYS_UNLINKAT: true, unix.SYS_MKDIR: true, unix.SYS_MKDIRAT: true, unix.SYS_FCHMOD: true, unix.SYS_FCHMODAT: true,
}

// failing are those that a disk makes fail.
var failing = map[uint64]bool{
	unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_RENAME: true, unix.SYS_RENAMEAT: true, unix.SYS_RENAMEAT2: true,
	unix.SYS_FSYNC: true, unix.SYS_FTRUNCATE: true, unix.SYS_MKDIRAT: true,
}

// traceMain runs a command and kills it at one of its system calls, or lets one
// of them fail. It is a process of its own, since it waits for all children. It
// ends with 0 when it did, 3 when the command ended before, 2 when it cannot.
func traceMain(args []string) int {
	f := flag.NewFlagSet(traceVerb, flag.ExitOnError)
	at := f.Int("at", 0, "number of the system call among those that count")
	errno := f.Int("errno", 0, "error to return; 0 kills")
	_ = f.Parse(args)
	runtime.LockOSThread() // only the thread that started it may trace
	cmd := exec.Command(f.Arg(0), f.Args()[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		return 2
	}
	t := &tracer{pid: cmd.Process.Pid, at: *at, errno: *errno, entering: map[int]bool{}}
	code, err := t.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		_ = cmd.Process.Kill()
		return 2
	}
	return code
}

type tracer struct {
	pid      int
	at       int
	errno    int
	seen     int
	done     bool
	entering map[int]bool // threads inside a system call
	failed   map[int]bool
}

// run follows all threads until the command has ended.
func (t *tracer) run() (int, error) {
	var status unix.WaitStatus
	if _, err := unix.Wait4(t.pid, &status, 0, nil); err != nil {
		return 0, err
	}
	options := unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(t.pid, options); err != nil {
		return 0, err
	}
	if err := unix.PtraceSyscall(t.pid, 0); err != nil {
		return 0, err
	}
	t.failed = map[int]bool{}
	for {
		thread, err := unix.Wait4(-1, &status, unix.WALL, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, err
		}
		switch {
		case status.Exited() || status.Signaled():
			if thread != t.pid {
				continue
			}
			switch {
			case !t.done:
				return 3, nil // before its time came
			case t.errno != 0 && status.Exited():
				return 10 + min(status.ExitStatus(), 50), nil
			}
			return 0, nil
		case !status.Stopped():
			continue
		}
		signal := 0
		switch stop := status.StopSignal(); {
		case stop == unix.SIGTRAP|0x80:
			t.call(thread)
		case stop != unix.SIGTRAP && stop != unix.SIGSTOP:
			signal = int(stop)
		}
		_ = unix.PtraceSyscall(thread, signal) // it may be gone by now
	}
}

// call is at the beginning or the end of a system call.
func (t *tracer) call(thread int) {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(thread, &regs) != nil {
		return
	}
	t.entering[thread] = !t.entering[thread]
	if !t.entering[thread] {
		if t.failed[thread] {
			delete(t.failed, thread)
			regs.Rax = uint64(-int64(t.errno))
			_ = unix.PtraceSetRegs(thread, &regs)
		}
		return
	}
	set := touching
	if t.errno != 0 {
		set = failing
	}
	if t.done || !set[regs.Orig_rax] || t.errno != 0 && regs.Rdi <= 2 && regs.Orig_rax == unix.SYS_WRITE {
		return
	}
	if t.seen++; t.seen <= t.at {
		return
	}
	t.done = true
	if t.errno == 0 {
		_ = unix.Kill(t.pid, unix.SIGKILL)
		return
	}
	regs.Orig_rax = ^uint64(0) // no such call
	if unix.PtraceSetRegs(thread, &regs) == nil {
		t.failed[thread] = true
	}
}

// traceable reports whether this system lets us trace.
func traceable(self string) bool {
	err := exec.Command(self, traceVerb, "-at", "1000000", "/bin/true").Run()
	exit, ok := err.(*exec.ExitError)
	return ok && exit.ExitCode() == 3
}

// callNumber picks a system call. Most of a command's lie at its end, where it
// writes most.
func callNumber(rng *rand.Rand) int { return rng.IntN(700) }
