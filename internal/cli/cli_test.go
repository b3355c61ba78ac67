package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rot.example/rot/ot"
)

// runIn runs a command line in a fresh folder.
func runIn(ctx context.Context, t *testing.T, args ...string) (dir, stdout, stderr string, code int) {
	t.Helper()
	dir = t.TempDir()
	t.Chdir(dir)
	var out, err bytes.Buffer
	code = run(ctx, args, IO{In: strings.NewReader(""), Out: &out, Err: &err})
	return dir, out.String(), err.String(), code
}

func TestInterrupted(t *testing.T) {
	for _, args := range []string{
		"dist synth:gauss synth:gauss,seed=1 --gamma 0.1 --weights w.csv --plot p.png",
		"curve synth:gauss synth:gauss,seed=1 --plot p.png",
		"data info synth:gauss",
		"demo --out deep/demo",
	} {
		t.Run(strings.Fields(args)[0], func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			dir, stdout, stderr, code := runIn(ctx, t, strings.Fields(args)...)
			if code != ExitFailed || stderr != "rot: interrupted\n" || stdout != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			if n := entries(t, dir); n != 0 {
				t.Errorf("%d files left behind", n)
			}
		})
	}
}

// TestInterruptedWhileSolving cancels a solve that would take long.
func TestInterruptedWhileSolving(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	dir, stdout, stderr, code := runIn(ctx, t, "dist", "synth:gauss,n=20000,d=8", "synth:gauss,n=20000,d=8,seed=1", "--rho", "0.01", "--plan", "p.csv")
	if entries(t, dir) != 0 {
		t.Errorf("%d files", entries(t, dir))
	}
	switch code {
	case ExitFailed: // before there was anything to bound
		if stderr != "rot: interrupted\n" || stdout != "" {
			t.Errorf("stdout %q, stderr %q", stdout, stderr)
		}
	case ExitNotConverged:
		if !strings.Contains(stdout, "the optimum lies between ") || !strings.HasPrefix(stderr, "rot: interrupted; the bounds") {
			t.Errorf("stdout %q, stderr %q", stdout, stderr)
		}
	default:
		t.Errorf("exit code %d", code)
	}
}

// TestSignal sends an interrupt to a process that waits for its input.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := &exec.Cmd{Path: self, Args: []string{"rot", "dist", "-", "synth:gauss", "--weights", "w.csv"}, Dir: dir}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: once this is written, the command is reading.
	if _, err := io.WriteString(stdin, strings.Repeat("1,2\n", 1<<17)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ExitFailed {
		t.Errorf("got %v, want exit code %d", err, ExitFailed)
	}
	if stderr.String() != "rot: interrupted\n" || entries(t, dir) != 0 {
		t.Errorf("stderr %q, %d files", stderr.String(), entries(t, dir))
	}
}

func TestConclude(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
		code int
	}{
		{"done", nil, "", ExitOK},
		{"failed", errors.New("ot: source row 3\nis odd"), "rot: source row 3 is odd\n", ExitFailed},
		{"usage", usagef("no"), "rot: no\nRun 'rot dist --help' for usage.\n", ExitUsage},
		{"short", &ot.ConvergenceError{Solver: "exact", Iters: 5, Gap: 0.1, Tol: 1e-9}, "rot: not converged: exact stopped after 5 iterations at relative gap 0.1, short of 1e-09\n", ExitNotConverged},
		{"cancelled by itself", context.Canceled, "rot: context canceled\n", ExitFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if code := conclude(t.Context(), IO{Err: &b}, "rot dist", tt.err); code != tt.code || b.String() != tt.want {
				t.Errorf("got %d and %q, want %d and %q", code, b.String(), tt.code, tt.want)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFullDisk(t *testing.T) {
	var b bytes.Buffer
	code := run(t.Context(), []string{"version"}, IO{Out: fullDisk{}, Err: &b})
	if code != ExitFailed || !strings.Contains(b.String(), "no space left") {
		t.Errorf("exit code %d, stderr %q", code, b.String())
	}
}

// TestHelp demands examples and a long text of every command.
func TestHelp(t *testing.T) {
	root := newRoot(IO{})
	for _, cmd := range append(root.Commands(), root) {
		for _, cmd := range append(cmd.Commands(), cmd) {
			if cmd.Name() == "completion" || cmd.Name() == "help" {
				continue
			}
			if cmd.Short == "" || len(cmd.Long) < 40 || cmd.Example == "" {
				t.Errorf("%s has no full help", cmd.CommandPath())
			}
			for line := range strings.Lines(cmd.Long) {
				if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
					t.Errorf("%s: a line of the help is wider than 80: %q", cmd.CommandPath(), line)
				}
			}
		}
	}
}

func TestMakeFolder(t *testing.T) {
	dir := t.TempDir()
	made, err := makeFolder(filepath.Join(dir, "a", "b"))
	if err != nil || len(made) != 2 || made[0] != filepath.Join(dir, "a", "b") {
		t.Errorf("got %q, %v", made, err)
	}
	if made, err := makeFolder(dir); err != nil || len(made) != 0 {
		t.Errorf("a folder that exists: got %q, %v", made, err)
	}
}

// entries is the number of files in a folder.
func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
