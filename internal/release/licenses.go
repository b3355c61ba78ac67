package main

import (
	"os"
	"os/exec"
	"strings"

	"rot.example/rot/internal/notices"
	"rot.example/rot/internal/notices/parts"
)

// licenses lists what the program of any system is made of, and writes the
// notices that "rot version --notices" prints. A part without a licence stops
// the release.
func (r *release) licenses() error {
	var err error
	if r.parts, err = parts.List("."); err != nil {
		return err
	}
	version, err := exec.CommandContext(r.ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return err
	}
	for _, p := range r.parts {
		if p.Name == "Go" {
			p.Name, p.Version = "std", strings.TrimPrefix(strings.TrimSpace(string(version)), "go")
		}
	}
	if err := os.MkdirAll(r.path("build"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.path("build", "NOTICES.txt"), []byte(notices.Text), 0o644)
}
