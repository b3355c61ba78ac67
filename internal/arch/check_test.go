package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "rot.example/rot"

// A rule says what the files of a package may import besides the standard
// library. Test files are free.
type rule struct {
	dir  string   // from the root; a trailing /... takes in the folders below
	may  []string // import paths, and everything below them
	lib  bool     // neither prints, nor exits, nor reads the environment
	pure bool     // does not even touch files
}

var libraries = []string{
	"rot.example/rot/chisq", "rot.example/rot/clean", "rot.example/rot/dataset", "rot.example/rot/drift", "rot.example/rot/engine", "rot.example/rot/figure", "rot.example/rot/gan", "rot.example/rot/metrics", "rot.example/rot/nn", "rot.example/rot/ot", "rot.example/rot/runs", "rot.example/rot/summary", "rot.example/rot/table",
	"rot.example/rot/da", "rot.example/rot/dashboard", "rot.example/rot/demo", "rot.example/rot/experiments", "rot.example/rot/features", "rot.example/rot/fetch", "rot.example/rot/page", "rot.example/rot/report", "rot.example/rot/train", "rot.example/rot/worker",
}

// ground is what any package may stand on; files are those of it that touch
// files, and are for packages that may.
var (
	ground = append([]string{"rot.example/rot/internal/median", "rot.example/rot/internal/notices", "rot.example/rot/internal/parallel", "rot.example/rot/internal/plain"}, files...)
	files  = []string{"rot.example/rot/internal/atomicfile", "rot.example/rot/internal/budget", "rot.example/rot/internal/filelock", "rot.example/rot/internal/openfile"}
)

// gomlx builds and runs graphs; only engine talks to a particular backend.
var gomlx = []string{"github.com/gomlx/gomlx", "github.com/gomlx/compute"}

// rules is the picture of the house, from the ground up.
var rules = []rule{
	{dir: "chisq", lib: true, pure: true},
	{dir: "ot", lib: true, pure: true, may: []string{"gonum.org/v1/gonum", "golang.org/x/sys/cpu", "rot.example/rot/chisq"}},
	{dir: "summary", lib: true, pure: true},
	{dir: "dataset", lib: true, may: []string{"rot.example/rot/table", "gonum.org/v1/gonum", "golang.org/x/image", "rot.example/rot/internal/words", "rot.example/rot/ot"}},
	{dir: "table", lib: true, may: []string{"github.com/parquet-go/parquet-go/format", "github.com/parquet-go/parquet-go/encoding/thrift", "github.com/parquet-go/parquet-go/deprecated", "github.com/klauspost/compress", "github.com/pierrec/lz4/v4", "github.com/andybalholm/brotli"}},
	{dir: "metrics", lib: true, pure: true, may: []string{"gonum.org/v1/gonum"}},
	{dir: "clean", lib: true, pure: true, may: []string{"golang.org/x/sys/cpu", "gonum.org/v1/gonum", "rot.example/rot/internal/words", "rot.example/rot/chisq", "rot.example/rot/internal/standout", "rot.example/rot/ot", "rot.example/rot/table"}},
	{dir: "drift", lib: true, pure: true, may: []string{"gonum.org/v1/gonum", "rot.example/rot/clean", "rot.example/rot/internal/parallel", "rot.example/rot/ot", "rot.example/rot/table"}},
	{dir: "runs", lib: true, may: []string{"golang.org/x/sys"}},
	{dir: "engine", may: append([]string{"github.com/gomlx/go-xla", "rot.example/rot/engine/cpu", "rot.example/rot/ot"}, gomlx...)},
	{dir: "engine/cpu", lib: true, may: []string{"github.com/gomlx/compute", "golang.org/x/sys/cpu"}},
	{dir: "nn", lib: true, may: append([]string{"rot.example/rot/engine"}, gomlx...)},
	{dir: "train", lib: true, may: append([]string{"rot.example/rot/chisq", "rot.example/rot/dataset", "rot.example/rot/metrics", "rot.example/rot/nn", "rot.example/rot/internal/standout", "rot.example/rot/ot", "rot.example/rot/runs"}, gomlx...)},
	{dir: "gan", lib: true, may: append([]string{"rot.example/rot/chisq", "rot.example/rot/clean", "rot.example/rot/internal/standout", "rot.example/rot/ot", "rot.example/rot/dataset", "rot.example/rot/table", "rot.example/rot/engine", "rot.example/rot/features", "rot.example/rot/metrics", "rot.example/rot/nn", "rot.example/rot/runs", "rot.example/rot/train", "gonum.org/v1/gonum"}, gomlx...)},
	{dir: "da", lib: true, may: append([]string{"rot.example/rot/chisq", "rot.example/rot/dataset", "rot.example/rot/table", "rot.example/rot/engine", "rot.example/rot/nn", "rot.example/rot/internal/standout", "rot.example/rot/ot", "rot.example/rot/runs", "rot.example/rot/train", "gonum.org/v1/gonum"}, gomlx...)},
	{dir: "features", lib: true, may: append([]string{"rot.example/rot/dataset", "rot.example/rot/engine", "rot.example/rot/nn", "rot.example/rot/ot", "rot.example/rot/runs", "rot.example/rot/train"}, gomlx...)},
	{dir: "figure", lib: true, may: []string{"gonum.org/v1/gonum", "gonum.org/v1/plot", "golang.org/x/image", "rot.example/rot/chisq", "rot.example/rot/dataset", "rot.example/rot/ot"}},
	{dir: "fetch", lib: true},
	{dir: "report", lib: true, pure: true, may: []string{"github.com/yuin/goldmark"}},
	{dir: "dashboard", lib: true, may: []string{"rot.example/rot/report", "rot.example/rot/runs"}},
	{dir: "page", lib: true, may: []string{"rot.example/rot/chisq", "rot.example/rot/clean", "rot.example/rot/drift", "rot.example/rot/da", "rot.example/rot/dataset", "rot.example/rot/table", "rot.example/rot/engine", "rot.example/rot/figure", "rot.example/rot/gan", "rot.example/rot/internal/words", "rot.example/rot/ot", "rot.example/rot/report", "rot.example/rot/runs", "rot.example/rot/train"}},
	{dir: "experiments", lib: true, may: []string{"rot.example/rot/page", "rot.example/rot/chisq", "rot.example/rot/da", "rot.example/rot/dataset", "rot.example/rot/engine", "rot.example/rot/features", "rot.example/rot/figure", "rot.example/rot/gan", "rot.example/rot/metrics", "rot.example/rot/ot", "rot.example/rot/runs", "rot.example/rot/train"}},
	{dir: "demo", lib: true, may: []string{"rot.example/rot/chisq", "rot.example/rot/clean", "rot.example/rot/da", "rot.example/rot/dataset", "rot.example/rot/engine", "rot.example/rot/experiments", "rot.example/rot/figure", "rot.example/rot/gan", "rot.example/rot/internal/words", "rot.example/rot/metrics", "rot.example/rot/ot", "rot.example/rot/page", "rot.example/rot/runs", "rot.example/rot/train"}},
	{dir: "worker", lib: true, pure: true, may: []string{"rot.example/rot/chisq", "rot.example/rot/clean", "rot.example/rot/drift", "rot.example/rot/ot", "rot.example/rot/page", "rot.example/rot/table"}},
	{dir: "internal/cli", may: append([]string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term", "rot.example/rot/internal/terminal", "rot.example/rot/internal/text", "rot.example/rot/internal/words"}, libraries...)},
	{dir: "cmd/rot", may: []string{"rot.example/rot/internal/cli"}},
	{dir: "internal/release", may: []string{"github.com/spf13/cobra", "rot.example/rot/internal/cli", "rot.example/rot/internal/notices"}},
	{dir: "examples/...", may: libraries},
	{dir: "bench/...", may: append([]string{"golang.org/x/image", "rot.example/rot/internal/oracle"}, libraries...)},
	{dir: "internal/words", lib: true, pure: true},
	{dir: "internal/text", lib: true, pure: true, may: []string{"rot.example/rot/demo", "rot.example/rot/internal/terminal", "rot.example/rot/table", "rot.example/rot/chisq", "rot.example/rot/clean", "rot.example/rot/da", "rot.example/rot/dataset", "rot.example/rot/drift", "rot.example/rot/engine", "rot.example/rot/fetch", "rot.example/rot/gan", "rot.example/rot/internal/words", "rot.example/rot/ot", "rot.example/rot/page", "rot.example/rot/runs", "rot.example/rot/train"}},
	{dir: "internal/terminal", lib: true, pure: true, may: []string{"rot.example/rot/internal/words", "rot.example/rot/ot"}},
	{dir: "docs"},
	{dir: "internal/arch"},
	{dir: "internal/atomicfile", lib: true},
	{dir: "internal/median", lib: true, pure: true},
	{dir: "internal/parallel", lib: true, pure: true},
	{dir: "internal/standout", lib: true, pure: true, may: []string{"rot.example/rot/chisq", "rot.example/rot/ot"}},
	{dir: "internal/oracle", lib: true, pure: true, may: []string{"rot.example/rot/chisq", "rot.example/rot/ot"}},
	{dir: "internal/budget", lib: true},
	{dir: "internal/filelock", lib: true, may: []string{"golang.org/x/sys"}},
	{dir: "internal/notices", lib: true, pure: true},
	{dir: "internal/notices/collect", may: []string{"rot.example/rot/internal/notices/parts"}},
	{dir: "internal/notices/parts"},
	{dir: "internal/openfile", lib: true},
	{dir: "internal/plain", lib: true, pure: true},
	{dir: "internal/torture", may: []string{"golang.org/x/sys", "rot.example/rot/runs"}},
}

// vague names say nothing about what is inside.
var vague = []string{"common", "helper", "helpers", "types", "util", "utils"}

// loud is what a library must not use; what it returns is for its caller to
// print. The built-in functions have no package.
var loud = map[string][]string{
	"":    {"print", "println"},
	"fmt": {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"os":  {"Args", "Environ", "Exit", "ExpandEnv", "Getenv", "LookupEnv", "Stderr", "Stdin", "Stdout"},
}

// flagless are the packages whose texts must not name a flag of the command
// line: programs use them too. Package experiments still does.
var flagless = []string{
	"chisq", "ot", "dataset", "metrics", "clean", "runs", "engine/cpu", "nn", "train", "gan", "da", "features", "figure", "fetch", "report", "dashboard",
}

// namesFlag matches a text that names a flag, such as --rho.
var namesFlag = regexp.MustCompile(`(^|[\s("\x60/,])--[a-z]`)

const mainLines = 20

// check returns what is wrong in a tree, one line each, as file:line: message
// where there is a line to name. Its error is a tree that cannot be read.
func check(tree fs.FS) (violations []string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(tree, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		v, err := checkFile(name, text)
		violations = append(violations, v...)
		return err
	})
	return violations, err
}

// enter skips what the go command skips, and other modules.
func enter(tree fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func checkFile(name string, text []byte) (violations []string, err error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	report := func(at token.Pos, format string, args ...any) {
		violations = append(violations, fmt.Sprintf("%s:%d: %s", name, files.Position(at).Line, fmt.Sprintf(format, args...)))
	}
	dir := path.Dir(name)
	for _, s := range slices.Compact([]string{path.Base(dir), strings.TrimSuffix(f.Name.Name, "_test")}) {
		if slices.Contains(vague, s) {
			report(f.Name.Pos(), "a package called %s says nothing about what is in it", s)
		}
	}
	if name == "cmd/rot/main.go" {
		if n := bytes.Count(text, []byte("\n")); n > mainLines {
			report(f.Name.Pos(), "main has %d lines, more than %d: what it does belongs in internal/cli", n, mainLines)
		}
	}
	k := slices.IndexFunc(rules, func(r rule) bool { return r.covers(dir) })
	if k < 0 {
		report(f.Name.Pos(), "%s has no import rule: add it to internal/arch/check_test.go", dir)
		return violations, nil
	}
	if strings.HasSuffix(name, "_test.go") {
		return violations, nil
	}
	names := map[string]string{} // of the imported packages that loud knows
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if !rules[k].allows(p) {
			report(spec.Pos(), "%s must not import %s", dir, p)
		}
		if loud[p] == nil {
			continue
		}
		local := p
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "." && rules[k].lib {
			report(spec.Pos(), "%s must not dot-import %s", dir, p)
		}
		names[local] = p
	}
	if rules[k].lib {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if !ok {
					break
				}
				if p := names[x.Name]; p != "" && slices.Contains(loud[p], n.Sel.Name) {
					report(n.Pos(), "%s must not use %s.%s", dir, p, n.Sel.Name)
				}
			case *ast.BasicLit:
				if slices.Contains(flagless, dir) && n.Kind == token.STRING && namesFlag.MatchString(n.Value) {
					report(n.Pos(), "%s must not name a flag: %s", dir, n.Value)
				}
			case *ast.CallExpr:
				if x, ok := n.Fun.(*ast.Ident); ok && slices.Contains(loud[""], x.Name) {
					report(n.Pos(), "%s must not use %s", dir, x.Name)
				}
			}
			return true
		})
	}
	return violations, nil
}

func (r rule) covers(dir string) bool {
	if top, ok := strings.CutSuffix(r.dir, "/..."); ok {
		return below(dir, top)
	}
	return dir == r.dir
}

func (r rule) allows(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	if !strings.Contains(first, ".") && first != module { // the standard library
		return !(r.pure && below(p, "os") || r.lib && below(p, "log"))
	}
	if slices.Contains(ground, p) {
		return !(r.pure && slices.Contains(files, p))
	}
	return slices.ContainsFunc(r.may, func(top string) bool { return below(p, top) })
}

// below says that p is top or a path under it.
func below(p, top string) bool { return p == top || strings.HasPrefix(p, top+"/") }
