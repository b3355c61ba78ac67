package engine

import (
	"context"
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"
)

// interpreter is the python3 that a shell would run, "" when there is none.
func (h *host) interpreter() string {
	for _, folder := range strings.Split(h.getenv("PATH"), ":") {
		if file := path.Join(folder, "python3"); path.IsAbs(file) && h.isFile(file) {
			return file
		}
	}
	return ""
}

// sites returns the folders in which the packages of Python environments are
// found: of the active environment and of the given interpreter.
//
// The interpreter of a virtual environment is a link to the one it was made
// from, which may be a link again, and each may have packages of its own: the
// environment /opt/jax has bin/python3 → /usr/bin/python3 → python3.12.
func (h *host) sites(interpreter string) []string {
	prefixes := []string{h.getenv("VIRTUAL_ENV"), h.getenv("CONDA_PREFIX")}
	const maxLinks = 40 // Linux gives up there too
	for file, n := interpreter, 0; file != "" && n < maxLinks; n++ {
		prefixes = append(prefixes, path.Dir(path.Dir(file)))
		target, err := fs.ReadLink(h.files, inFS(file))
		if err != nil {
			break // not a link: the end of the chain
		}
		if !path.IsAbs(target) {
			target = path.Join(path.Dir(file), target)
		}
		file = target
	}
	if home := h.getenv("HOME"); home != "" {
		prefixes = append(prefixes, path.Join(home, ".local")) // pip install --user
	}
	var sites []string
	for _, prefix := range prefixes {
		if !path.IsAbs(prefix) {
			continue
		}
		// Debian keeps the packages of its own Python in dist-packages, and
		// those that pip installs for everybody in /usr/local.
		for _, lib := range []string{"lib", "lib64", "local/lib"} {
			lib = path.Join(prefix, lib)
			versions, err := fs.ReadDir(h.files, inFS(lib))
			if err != nil {
				continue
			}
			for _, v := range versions {
				if strings.HasPrefix(v.Name(), "python3") {
					sites = append(sites, path.Join(lib, v.Name(), "site-packages"), path.Join(lib, v.Name(), "dist-packages"))
				}
			}
		}
	}
	return sites
}

// jaxPlugins returns the CUDA plugins that JAX installed into folders of
// packages, newer versions of CUDA first.
func (h *host) jaxPlugins(sites []string) []plugin {
	var found []plugin
	for _, site := range sites {
		folder := path.Join(site, "jax_plugins")
		if !path.IsAbs(folder) {
			continue
		}
		entries, err := fs.ReadDir(h.files, inFS(folder))
		if err != nil {
			continue
		}
		slices.Reverse(entries) // ReadDir sorts by name
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "xla_cuda") {
				continue
			}
			for _, p := range h.pluginsIn(path.Join(folder, e.Name())) {
				if !slices.Contains(found, p) {
					found = append(found, p)
				}
			}
		}
	}
	return found
}

// sysPath asks a Python interpreter where it looks for packages.
func sysPath(file string) ([]string, error) {
	// An interpreter starts in a fraction of a second, or something is wrong.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "-c", `import sys; print("\n".join(sys.path))`)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}
