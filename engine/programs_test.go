package engine

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestProgramStore(t *testing.T) {
	s := &programStore{dir: filepath.Join(t.TempDir(), "programs"), salt: "NVIDIA H200\n--flag"}
	code, path := []byte("machine code"), s.path([]byte("module"), []byte("mlir"))
	if got := s.load(path); got != nil {
		t.Fatalf("a store that holds nothing returned %q", got)
	}
	if err := s.save(path, code); err != nil {
		t.Fatal(err)
	}
	if got := s.load(path); !bytes.Equal(got, code) {
		t.Fatalf("load returned %q, want %q", got, code)
	}

	// Whatever the program depends on gives another file.
	other := &programStore{dir: s.dir, salt: "NVIDIA A100\n--flag"}
	for name, p := range map[string]string{
		"another GPU":          other.path([]byte("module"), []byte("mlir")),
		"another program":      s.path([]byte("module2"), []byte("mlir")),
		"a boundary elsewhere": s.path([]byte("modulem"), []byte("lir")),
		"options besides":      s.path([]byte("module"), []byte("mlir"), []byte("options")),
	} {
		if p == path {
			t.Errorf("%s has the same file", name)
		}
	}

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut":     whole[:len(whole)-1],
		"short":   whole[:5],
		"empty":   nil,
		"changed": append(bytes.Clone(whole[:len(whole)-1]), 'X'),
	} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.load(path); got != nil {
			t.Errorf("%s: load returned %q for a damaged file", name, got)
		}
	}
}

// TestProgramStoreRoom checks that the programs used last stay.
func TestProgramStoreRoom(t *testing.T) {
	s := &programStore{dir: t.TempDir()}
	begin := time.Now().Add(-time.Hour)
	name := func(i int) string { return filepath.Join(s.dir, fmt.Sprintf("%03d.xla", i)) }
	for i := range keptPrograms + 2 {
		if err := os.WriteFile(name(i), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := begin.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(name(i), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.save(name(999), []byte("new")); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]bool{0: false, 1: false, 2: false, 3: true, keptPrograms + 1: true, 999: true} {
		if _, err := os.Stat(name(i)); (err == nil) != want {
			t.Errorf("file %d: %v, want it kept: %t", i, err, want)
		}
	}
}

// TestInterface compares the places in pjrt.h with the order of functions in
// the header that go-xla was made for.
func TestInterface(t *testing.T) {
	theirs, err := os.ReadFile(filepath.Join(theirHeaders(t), "pjrt_c_api.h"))
	if err != nil {
		t.Fatal(err)
	}
	place := map[string]int{}
	for i, m := range regexp.MustCompile(`(?m)^  _PJRT_API_STRUCT_FIELD\((\w+)\);`).FindAllSubmatch(theirs, -1) {
		place[string(m[1])] = i
	}
	ours, err := os.ReadFile("pjrt.h")
	if err != nil {
		t.Fatal(err)
	}
	for our, their := range map[string]string{
		"ERROR_DESTROY":           "PJRT_Error_Destroy",
		"CLIENT_PLATFORM_VERSION": "PJRT_Client_PlatformVersion",
		"CLIENT_COMPILE":          "PJRT_Client_Compile",
		"CLIENT_BUFFER_FROM_HOST": "PJRT_Client_BufferFromHostBuffer",
		"EXECUTABLE_DESTROY":      "PJRT_Executable_Destroy",
		"EXECUTABLE_SERIALIZE":    "PJRT_Executable_Serialize",
		"LOADED_GET_EXECUTABLE":   "PJRT_LoadedExecutable_GetExecutable",
		"LOADED_EXECUTE":          "PJRT_LoadedExecutable_Execute",
		"DESERIALIZE_AND_LOAD":    "PJRT_Executable_DeserializeAndLoad",
	} {
		want, there := place[their]
		if !there {
			t.Errorf("go-xla's header has no %s", their)
		}
		if line := fmt.Sprintf("PJRT_%s = %d,", our, want); !bytes.Contains(ours, []byte(line)) {
			t.Errorf("pjrt.h has no %q", line)
		}
	}
}

// theirHeaders returns the folder of the headers that go-xla was made for.
func theirHeaders(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(string(bytes.TrimSpace(dir)), "pjrt")
}

// TestLayout compares the arguments in pjrt.h, whose fields have names of ours,
// with those of go-xla's header.
func TestLayout(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	var checks strings.Builder
	for _, f := range [][2]string{
		{"pjrt_program.format_size", "PJRT_Program.format_size"},
		{"pjrt_compile_args.executable", "PJRT_Client_Compile_Args.executable"},
		{"pjrt_version_args.text_size", "PJRT_Client_PlatformVersion_Args.platform_version_size"},
		{"pjrt_get_executable_args.executable", "PJRT_LoadedExecutable_GetExecutable_Args.executable"},
		{"pjrt_serialize_args.free_owner", "PJRT_Executable_Serialize_Args.serialized_executable_deleter"},
		{"pjrt_load_args.options_size", "PJRT_Executable_DeserializeAndLoad_Args.overridden_serialized_compile_options_size"},
		{"pjrt_from_host_args.dims", "PJRT_Client_BufferFromHostBuffer_Args.dims"},
		{"pjrt_from_host_args.semantics", "PJRT_Client_BufferFromHostBuffer_Args.host_buffer_semantics"},
		{"pjrt_execute_args.complete_events", "PJRT_LoadedExecutable_Execute_Args.device_complete_events"},
	} {
		our, their := strings.Replace(f[0], ".", ", ", 1), strings.Replace(f[1], ".", ", ", 1)
		fmt.Fprintf(&checks, "_Static_assert(offsetof(%s) == offsetof(%s), \"%s\");\n", our, their, f[1])
	}
	checks.WriteString("_Static_assert((int)PJRT_IMMUTABLE_ONLY_DURING_CALL == (int)PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, \"semantics\");\n")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// Both headers name the enumeration's values as they like: ours come second.
	code := "#include <pjrt_c_api.h>\n#include \"pjrt.h\"\n" + checks.String()
	cmd := exec.Command(compiler, "-fsyntax-only", "-I", theirHeaders(t), "-I", here, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(code)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
