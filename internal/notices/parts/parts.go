// Package parts lists what the program is made of, with the licences of each
// part: the one list that the notices, the bill of materials and the archives of
// a release are made from.
package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Part is a piece of the program with a licence of its own.
type Part struct {
	Name, Version string
	Sum           string   // as in go.sum; "" for what is no module
	Licences      []string // by their names in SPDX's list
	Texts         []string // of the licences
	Credit        string   // what a licence wants to have said; "" for nothing

	dir string
}

// String returns the name with the version.
func (p *Part) String() string { return strings.TrimSpace(p.Name + " " + p.Version) }

// Systems are those that the program is built for.
var Systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// credits is what licences want to have said beside their text.
var credits = map[string]string{
	"github.com/ajstarks/svgo": "SVGo by Anthony Starks, https://github.com/ajstarks/svgo, unchanged",
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// List returns the parts of the program in the module at root: its modules on
// all systems by their names, then Go and what pages embed. A part without a
// licence that is known is an error.
func List(root string) ([]*Part, error) {
	out, err := modules(root)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	// Without a version: any Go will do, and all have the same licence.
	out = append(out, &Part{Name: "Go", dir: strings.TrimSpace(string(goroot))},
		&Part{Name: "uPlot", dir: filepath.Join(root, "report", "uplot")})
	for _, p := range out {
		if err := p.read(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// modules lists the modules of the program on all systems.
func modules(root string) ([]*Part, error) {
	seen := map[string]*Part{}
	for _, system := range Systems {
		goos, arch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/rot")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch)
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for d := json.NewDecoder(bytes.NewReader(text)); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir, Sum string
					Main                    bool
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if m := p.Module; m != nil && !m.Main {
				seen[m.Path] = &Part{Name: m.Path, Version: m.Version, Sum: m.Sum, Credit: credits[m.Path], dir: m.Dir}
			}
		}
	}
	var out []*Part
	for _, p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *Part) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// read reads the licences of a part.
func (p *Part) read() error {
	for _, dir := range []string{p.dir, filepath.Join(p.dir, "licenses")} {
		entries, err := os.ReadDir(dir)
		if err != nil && !(errors.Is(err, os.ErrNotExist) && dir != p.dir) {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || dir == p.dir && !licenceFile.MatchString(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
			for k := range lines {
				lines[k] = strings.TrimRight(lines[k], " \t\f")
			}
			p.Texts = append(p.Texts, strings.Trim(strings.Join(lines, "\n"), "\n"))
			for _, id := range recognize(string(text)) {
				if !slices.Contains(p.Licences, id) {
					p.Licences = append(p.Licences, id)
				}
			}
		}
	}
	if len(p.Licences) == 0 {
		return fmt.Errorf("%s: no licence that is known among %d files in %s", p, len(p.Texts), p.dir)
	}
	return nil
}

// recognize returns the SPDX names of the licences that a text holds, none where
// they are not among the usual ones.
func recognize(text string) (found []string) {
	flat := strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(part string) bool { return strings.Contains(flat, part) }
	add := func(id string, is bool) {
		if is {
			found = append(found, id)
		}
	}
	font := has("sil open font license") // whose grant begins as that of MIT does
	bsd, named := has("redistribution and use in source and binary forms"), has("neither the name") || has("names of its contributors")
	add("Apache-2.0", has("apache license") && has("version 2.0"))
	add("MPL-2.0", has("mozilla public license") && has("2.0"))
	add("BSD-3-Clause", bsd && named)
	add("BSD-2-Clause", bsd && !named)
	add("MIT", has("permission is hereby granted, free of charge") && !font)
	add("ISC", has("permission to use, copy, modify, and/or distribute") || has("permission to use, copy, modify, and distribute this software for any purpose"))
	add("FTL", has("freetype license") || has("the freetype project license"))
	add("OFL-1.1", font)
	add("CC-BY-4.0", has("creative commons attribution 4.0 international"))
	add("Unlicense", has("this is free and unencumbered software"))
	return found
}
