package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// nfpm makes packages for Linux without the programs of each distribution.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0"

// packages writes a .deb and a .rpm for each Linux.
func (r *release) packages() error {
	tool := r.path("build", "nfpm")
	if err := r.command([]string{"GOBIN=" + filepath.Dir(tool)}, "go", "install", nfpm); err != nil {
		return err
	}
	for _, t := range r.targets {
		if t.os != "linux" {
			continue
		}
		config := r.path("build", t.String()+".yaml")
		if err := os.WriteFile(config, []byte(r.nfpmConfig(t)), 0o644); err != nil {
			return err
		}
		for _, kind := range []string{"deb", "rpm"} {
			if err := r.command(nil, tool, "package", "--config", config, "--packager", kind, "--target", r.path(fmt.Sprintf("rot_%s_%s.%s", r.version, t, kind))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) nfpmConfig(t target) string {
	stamp := r.date.Format(time.RFC3339)
	var b strings.Builder
	fmt.Fprintf(&b, `name: rot
arch: %s
version: %s
section: science
maintainer: The authors of rot <rot@rot.example>
description: |
  Optimal transport that ignores outliers.
  Distances, drift, suspects, GANs and domain adaptation for dirty data.
license: Apache-2.0
homepage: https://rot.example
mtime: %s
rpm:
  buildhost: localhost
contents:
`, t.arch, r.version, stamp)
	add := func(src, dst string) {
		fmt.Fprintf(&b, "  - {src: %q, dst: %q, file_info: {mtime: %s}}\n", src, dst, stamp)
	}
	add(r.path("build", t.String(), "rot"), "/usr/bin/rot")
	add("README.md", "/usr/share/doc/rot/README.md")
	add("LICENSE", "/usr/share/doc/rot/copyright")
	add(r.path("build", "NOTICES.txt"), "/usr/share/doc/rot/NOTICES.txt")
	add(r.path("build", "man", "*.1"), "/usr/share/man/man1/")
	add(r.path("build", "completions", "rot.bash"), "/usr/share/bash-completion/completions/rot")
	add(r.path("build", "completions", "_rot"), "/usr/share/zsh/vendor-completions/_rot")
	add(r.path("build", "completions", "rot.fish"), "/usr/share/fish/vendor_completions.d/rot.fish")
	return b.String()
}
