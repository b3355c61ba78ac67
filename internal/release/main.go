// Command release builds all that is published of rot, into one folder: programs
// for each system in archives and packages, with their manual and completions,
// the licences of all dependencies, a bill of materials and checksums. Two runs
// on the same sources write the same bytes.
//
//	go run ./internal/release --out dist --version 0.1.0 --revision $(git rev-parse HEAD) --date 2026-11-16
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"rot.example/rot/internal/notices/parts"
)

// A target is a system to build for.
type target struct {
	os, arch string
	wheel    []string // platform tags of its wheel
}

func (t target) String() string { return t.os + "_" + t.arch }

func (t target) program() string {
	if t.os == "windows" {
		return "rot.exe"
	}
	return "rot"
}

// targets is all systems. The program is static, so that a wheel for glibc suits
// musl as well.
var targets = []target{
	{"linux", "amd64", []string{"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"}},
	{"linux", "arm64", []string{"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"}},
	{"darwin", "amd64", []string{"macosx_12_0_x86_64"}},
	{"darwin", "arm64", []string{"macosx_12_0_arm64"}},
	{"windows", "amd64", []string{"win_amd64"}},
	{"windows", "arm64", []string{"win_arm64"}},
}

// A release is what all steps share.
type release struct {
	ctx                    context.Context
	out, version, revision string
	date                   time.Time
	python                 string // with hatchling; empty: no wheels
	only                   string // a part, if not all
	targets                []target
	parts                  []*parts.Part
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := &release{ctx: ctx}
	var date, systems string
	flag.StringVar(&r.out, "out", "dist", "folder to write, which is emptied first")
	flag.StringVar(&r.version, "version", "", "version, such as 0.1.0")
	flag.StringVar(&r.revision, "revision", "", "revision of the sources")
	flag.StringVar(&date, "date", "", "date of the revision, YYYY-MM-DD")
	flag.StringVar(&r.python, "python", "", "Python program that has hatchling, for the wheels; empty leaves them out")
	flag.StringVar(&r.only, "only", "", "a part: wheels, here (the wheel of this system), docs (manual, completions and notices, below OUT/build)")
	flag.StringVar(&systems, "targets", "", "systems such as linux_amd64,darwin_arm64; empty means all")
	flag.Parse()
	for _, t := range targets {
		if systems == "" || slices.Contains(strings.Split(systems, ","), t.String()) {
			r.targets = append(r.targets, t)
		}
	}
	err := r.run(date)
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) run(date string) error {
	var err error
	if r.date, err = time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("date: %w", err)
	}
	if r.version == "" || r.revision == "" {
		return fmt.Errorf("version and revision are missing")
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	switch r.only {
	case "":
	case "docs":
		if err := r.manual(); err != nil {
			return err
		}
		return r.licenses()
	case "wheels", "here":
		return r.onlyWheels()
	default:
		return fmt.Errorf("there is no part %q", r.only)
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"programs", r.programs},
		{"manual and completions", r.manual},
		{"licences", r.licenses},
		{"archives", r.archives},
		{"packages", r.packages},
		{"wheels", r.wheels},
		{"container file", r.containerFile},
		{"bill of materials", r.materials},
		{"checksums", r.checksums},
	}
	for _, s := range steps {
		fmt.Println("==", s.name)
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return os.RemoveAll(r.path("build"))
}

func (r *release) path(parts ...string) string {
	return filepath.Join(append([]string{r.out}, parts...)...)
}

// command runs a program with the environment of the process and some more.
func (r *release) command(env []string, name string, args ...string) error {
	return r.commandIn(".", env, name, args...)
}

func (r *release) commandIn(dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(r.ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix())), env...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

func (r *release) programs() error {
	for _, t := range r.targets {
		if err := r.program(t); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) program(t target) error {
	const in = "rot.example/rot/internal/cli."
	stamp := fmt.Sprintf("-s -w -buildid= -X %sstampedVersion=%s -X %sstampedRevision=%s -X %sstampedDate=%s", in, r.version, in, r.revision, in, r.date.Format(time.DateOnly))
	return r.command([]string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0"}, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", stamp, "-o", r.path("build", t.String(), t.program()), "./cmd/rot")
}

func (r *release) onlyWheels() error {
	for _, t := range r.targets {
		if r.only == "here" && (t.os != runtime.GOOS || t.arch != runtime.GOARCH) {
			continue
		}
		if err := r.program(t); err != nil {
			return err
		}
		if err := r.wheel(t); err != nil {
			return err
		}
	}
	return os.RemoveAll(r.path("build"))
}

func (r *release) wheels() error {
	if r.python == "" {
		fmt.Println("no Python given: left out")
		return nil
	}
	for _, t := range r.targets {
		if err := r.wheel(t); err != nil {
			return err
		}
	}
	return nil
}

// wheel has the program of a system inside the Python package.
func (r *release) wheel(t target) error {
	env := []string{"ROT_BUILD_BINARY=" + r.path("build", t.String(), t.program()), "ROT_BUILD_PLATFORM=" + strings.Join(t.wheel, ".")}
	return r.commandIn("python", env, r.python, "-m", "hatchling", "build", "-t", "wheel", "-d", r.out)
}

// containerFile is for `docker build`, beside the archives.
func (r *release) containerFile() error {
	text, err := os.ReadFile("internal/release/Containerfile")
	if err != nil {
		return err
	}
	return os.WriteFile(r.path("Containerfile"), []byte(strings.ReplaceAll(string(text), "VERSION", r.version)), 0o644)
}
