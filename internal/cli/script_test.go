package cli

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rot": func() { os.Exit(Main(os.Args[1:], Standard())) },
	})
}

// TestScripts runs the command line as a user does. Besides the commands of
// testscript there are
//
//	fails CODE COMMAND…     the command must exit with this code, print nothing
//	                        on stdout, and report one line on stderr
//	ends CODE COMMAND…      the command must exit with this code
//	keys KEY…               the last stdout is a JSON object with these keys
//	near KEY VALUE TOL      a number in it, KEY may be a path as in points.0.rho
//	nofiles GLOB…           no file matches, temporary files included
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or every command takes a second
			return writeArrays(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails": func(ts *testscript.TestScript, _ bool, args []string) {
				expectExit(ts, args)
				if out := ts.ReadFile("stdout"); out != "" {
					ts.Fatalf("a failure printed on stdout: %q", out)
				}
				report := ts.ReadFile("stderr")
				line, rest, _ := strings.Cut(report, "\n")
				if !strings.HasPrefix(line, "rot: ") || (args[0] == "1" && rest != "") {
					ts.Fatalf("want one line that starts with rot:, got %q", report)
				}
			},
			"ends":    func(ts *testscript.TestScript, _ bool, args []string) { expectExit(ts, args) },
			"keys":    cmdKeys,
			"near":    cmdNear,
			"nofiles": cmdNoFiles,
		},
	})
}

func expectExit(ts *testscript.TestScript, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func cmdKeys(ts *testscript.TestScript, _ bool, args []string) {
	var object map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &object))
	for _, key := range args {
		if _, ok := object[key]; !ok {
			ts.Fatalf("no key %q in %s", key, ts.ReadFile("stdout"))
		}
	}
}

func cmdNear(ts *testscript.TestScript, _ bool, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for part := range strings.SplitSeq(args[0], ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[part]
		case []any:
			k, err := strconv.Atoi(part)
			ts.Check(err)
			v = at[k]
		}
	}
	got, ok := v.(float64)
	want, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	tol, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	if !ok || math.Abs(got-want) > tol {
		ts.Fatalf("%s is %v, want %v ± %v", args[0], v, want, tol)
	}
}

func cmdNoFiles(ts *testscript.TestScript, _ bool, args []string) {
	for _, pattern := range append(args, ".*.tmp") {
		found, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(found) > 0 {
			ts.Fatalf("unexpected files %v", found)
		}
	}
}

// writeArrays puts the binary inputs of the scripts into dir.
func writeArrays(dir string) error {
	cost := npy("<f8", 2, 3, 1, 2, 3, 4, 0.5, 6)
	magic := append([]byte("\x93NUMPX"), cost[6:]...)
	for name, data := range map[string][]byte{
		"cost.npy":    cost,
		"x.npy":       npy("<f8", 2, 2, 0, 0, 1, 0),
		"short.npy":   cost[:len(cost)-8],
		"magic.npy":   magic,
		"nan.npy":     npy("<f8", 2, 2, 0, 0, math.NaN(), 0),
		"complex.npy": npy("<c16", 1, 1, 1, 2),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// npy is a NumPy file of one matrix.
func npy(dtype string, rows, cols int, values ...float64) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", dtype, rows, cols)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	data = append(data, header...)
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}
