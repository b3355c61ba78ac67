// Command collect writes NOTICES.txt: the licences of the modules that rot is
// made of on any system, of Go itself and of what pages embed. Run it with
// "go generate ./internal/notices" when dependencies change.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	text, err := collect("../..")
	if err == nil {
		err = os.WriteFile("NOTICES.txt", []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "collect:", err)
		os.Exit(1)
	}
}

// A part is a piece of the program with a licence of its own.
type part struct{ name, version, dir string }

func (p part) String() string { return strings.TrimSpace(p.name + " " + p.version) }

// systems are those that rot is built for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// collect returns the licences of the program in the module at root. Parts
// with the same licence, to the letter, share it.
func collect(root string) (string, error) {
	parts, err := modules(root)
	if err != nil {
		return "", err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	// Without a version: any Go will do, and all have the same licence.
	parts = append(parts, part{name: "Go", dir: strings.TrimSpace(string(goroot))},
		part{name: "uPlot", dir: filepath.Join(root, "report", "uplot")})
	owners := map[string][]string{}
	var order []string
	for _, p := range parts {
		found, err := licences(p)
		if err != nil {
			return "", err
		}
		for _, text := range found {
			if owners[text] == nil {
				order = append(order, text)
			}
			owners[text] = append(owners[text], p.String())
		}
	}
	var b strings.Builder
	b.WriteString("rot contains the work of others, under these licences.\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(owners[text], "\n"), text)
	}
	return b.String(), nil
}

// modules lists the modules of the program on all systems.
func modules(root string) ([]part, error) {
	seen := map[string]part{}
	for _, system := range systems {
		goos, arch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/rot")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
				seen[f[0]] = part{f[0], f[1], f[2]}
			}
		}
	}
	var out []part
	for _, p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// licences are the texts of the licences of a part.
func licences(p part) ([]string, error) {
	var out []string
	for _, dir := range []string{p.dir, filepath.Join(p.dir, "licenses")} {
		entries, err := os.ReadDir(dir)
		if err != nil && !(errors.Is(err, os.ErrNotExist) && dir != p.dir) {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || dir == p.dir && !licenceFile.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
			for k := range lines {
				lines[k] = strings.TrimRight(lines[k], " \t\f")
			}
			out = append(out, strings.Trim(strings.Join(lines, "\n"), "\n"))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there is no licence in %s", p, p.dir)
	}
	return out, nil
}
