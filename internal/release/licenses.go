package main

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

	"rot.example/rot/internal/notices"
)

// A module is a dependency of the program.
type module struct {
	Path, Version, Dir string
	Sum                string // as in go.sum
	licenses           []string
	spdx               string // the licence's name in SPDX's list; empty: not recognized
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|authors)([-._].*)?$`)

// licenses finds the modules that the program of any system is made of, and
// copies their licences. A module without one stops the release.
func (r *release) licenses() error {
	seen := map[string]module{}
	for _, t := range r.targets {
		found, err := r.list(t)
		if err != nil {
			return err
		}
		for _, m := range found {
			seen[m.Path] = m
		}
	}
	goroot, err := exec.CommandContext(r.ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return err
	}
	words := strings.Fields(string(goroot))
	seen["std"] = module{Path: "std", Version: strings.TrimPrefix(words[1], "go"), Dir: words[0]}
	for _, m := range seen {
		if err := r.copyLicenses(&m); err != nil {
			return err
		}
		r.modules = append(r.modules, m)
	}
	slices.SortFunc(r.modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	var index bytes.Buffer
	fmt.Fprintf(&index, "rot %s is made of these Go modules, whose licences are in the folders below.\n\n", r.version)
	for _, m := range r.modules {
		fmt.Fprintf(&index, "%s %s: %s\n", m.Path, m.Version, m.spdx)
	}
	// The same as of "rot version --notices", with what is no module: uPlot.
	index.WriteString("\nNOTICES.txt has all of them in one file, and those of what is no module.\n")
	if err := os.WriteFile(r.path("build", "licenses", "NOTICES.txt"), []byte(notices.Text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(r.path("build", "licenses", "README"), index.Bytes(), 0o644)
}

func (r *release) list(t target) ([]module, error) {
	cmd := exec.CommandContext(r.ctx, "go", "list", "-deps", "-json=Module", "./cmd/rot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var out []module
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir, Sum string
				Main                    bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		if m := p.Module; m != nil && !m.Main {
			out = append(out, module{Path: m.Path, Version: m.Version, Dir: m.Dir, Sum: m.Sum})
		}
	}
}

func (r *release) copyLicenses(m *module) error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return err
		}
		dir := r.path("build", "licenses", filepath.FromSlash(m.Path))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), text, 0o644); err != nil {
			return err
		}
		m.licenses = append(m.licenses, e.Name())
		if m.spdx == "" {
			m.spdx = recognize(string(text))
		}
	}
	if m.spdx == "" {
		return fmt.Errorf("%s %s: no licence that is known among %q", m.Path, m.Version, m.licenses)
	}
	return nil
}

// recognize is the SPDX name of a licence's text, empty where it is none of the
// usual ones.
func recognize(text string) string {
	flat := strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(part string) bool { return strings.Contains(flat, part) }
	switch {
	case has("apache license") && has("version 2.0"):
		return "Apache-2.0"
	case has("mozilla public license") && has("2.0"):
		return "MPL-2.0"
	case has("redistribution and use in source and binary forms") && (has("neither the name") || has("names of its contributors")):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("permission is hereby granted, free of charge"):
		return "MIT"
	case has("permission to use, copy, modify, and/or distribute") || has("permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	case has("freetype license") || has("the freetype project license"):
		return "FTL"
	case has("sil open font license"):
		return "OFL-1.1"
	case has("creative commons attribution 4.0 international public license"):
		return "CC-BY-4.0"
	case has("this is free and unencumbered software"):
		return "Unlicense"
	}
	return ""
}
