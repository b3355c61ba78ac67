package engine

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gomlx/compute"
)

// A host is where XLA is looked for: the files and the environment of a
// machine, and what can be done with them. Tests make up their own.
type host struct {
	files  fs.FS // from the root folder
	getenv func(key string) string
	setenv func(key, value string) error
	python func(file string) ([]string, error)     // sys.path of a Python interpreter
	load   func(p plugin) (compute.Backend, error) // opens a plugin
	noXLA  string                                  // why plugins cannot be loaded at all; "" when they can
}

// thisHost is the only place at which engine touches the process environment.
// In a build with cgo os.Setenv also sets the variable for C, so that a plugin
// loaded later finds it with getenv.
func thisHost() *host {
	return &host{files: os.DirFS("/"), getenv: os.Getenv, setenv: os.Setenv, python: sysPath, load: loadPlugin, noXLA: noXLA()}
}

// A plugin is a PJRT plugin that was found.
type plugin struct {
	file string // absolute path
	cuda bool   // for NVIDIA GPUs; otherwise for the CPU
	tf32 bool   // to be opened with products of TF32 numbers

	programs *programStore // of compiled programs; nil for none
}

const noGPU = "there is no NVIDIA GPU (no /dev/nvidia0)"

// hasGPU reports whether there is a GPU that CUDA could use. A driver without
// such a file is one whose GPUs were not given to this container. WSL has none
// of these files, and shows its GPU as /dev/dxg.
func (h *host) hasGPU() bool {
	for _, pattern := range []string{"dev/nvidia[0-9]*", "dev/dxg"} {
		if m, err := fs.Glob(h.files, pattern); err == nil && len(m) > 0 {
			return true
		}
	}
	return false
}

var modelLine = regexp.MustCompile(`(?m)^Model:\s*(.*\S)\s*$`)

// gpuModel is the model of the GPUs as the driver tells it, such as "NVIDIA
// H200". It is empty where the driver does not tell, or names several models:
// which of them CUDA counts as its first is not known then.
func (h *host) gpuModel() string {
	var models []string
	files, err := fs.Glob(h.files, "proc/driver/nvidia/gpus/*/information")
	if err != nil {
		return ""
	}
	for _, f := range files {
		text, err := fs.ReadFile(h.files, f)
		if err != nil {
			return ""
		}
		if m := modelLine.FindSubmatch(text); m != nil {
			models = append(models, string(m[1]))
		}
	}
	if models = slices.Compact(models); len(models) != 1 {
		return ""
	}
	return models[0]
}

// plugins searches for PJRT plugins: where PJRT_PLUGIN_LIBRARY_PATH says, then
// where go-xla installs them, then in Python environments, the preferred one
// first. It also tells where it looked. With ask set it runs Python when
// nothing for CUDA was found otherwise, to hear where its packages are.
func (h *host) plugins(ask bool) (found []plugin, looked []string) {
	add := func(folder string) {
		for _, p := range h.pluginsIn(folder) {
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}

	const variable = "PJRT_PLUGIN_LIBRARY_PATH"
	given := h.getenv(variable)
	if given == "" {
		looked = append(looked, variable+" (not set)")
	} else {
		looked = append(looked, variable+" ("+given+")")
	}
	for _, folder := range strings.Split(given, ":") {
		add(folder)
	}

	for _, folder := range goXLAFolders(h.getenv("HOME")) {
		looked = append(looked, folder)
		add(folder)
		add(folder + "/nvidia")
	}

	interpreter := h.interpreter()
	found = append(found, h.jaxPlugins(h.sites(interpreter))...)
	if ask && interpreter != "" && !slices.ContainsFunc(found, plugin.isCUDA) {
		if sites, err := h.python(interpreter); err == nil {
			found = append(found, h.jaxPlugins(sites)...)
		}
	}
	if interpreter == "" {
		looked = append(looked, "Python (no python3 on PATH)")
	} else {
		looked = append(looked, "the packages of "+interpreter)
	}
	return found, looked
}

func (p plugin) isCUDA() bool { return p.cuda }

// goXLAFolders returns the folders where go-xla's installer puts plugins; those
// for CUDA go to the folder nvidia below.
func goXLAFolders(home string) []string {
	folders := []string{"/usr/local/lib/go-xla"}
	if home != "" {
		folders = append([]string{path.Join(home, ".local/lib/go-xla")}, folders...)
	}
	return folders
}

// pluginName matches the file names that go-xla and JAX give to plugins; its
// group is the platform that the plugin is for.
var pluginName = regexp.MustCompile(`^(?:pjrt_c_api_(.+)_plugin|pjrt[-_]plugin[-_](.+)|xla_(cuda)\d*_plugin)\.so$`)

// pluginsIn returns the plugins in a folder, at most one of each kind: several
// names of the same file are common. A path to a plugin itself is taken too.
func (h *host) pluginsIn(folder string) []plugin {
	if !path.IsAbs(folder) {
		return nil
	}
	files := []string{folder}
	if entries, err := fs.ReadDir(h.files, inFS(folder)); err == nil {
		files = files[:0]
		for _, e := range entries {
			files = append(files, path.Join(folder, e.Name()))
		}
	}
	var found []plugin
	for _, f := range files {
		m := pluginName.FindStringSubmatch(path.Base(f))
		if m == nil {
			continue
		}
		platform := m[1] + m[2] + m[3]
		p := plugin{file: path.Clean(f), cuda: strings.HasPrefix(platform, "cuda")}
		if !p.cuda && !strings.HasPrefix(platform, "cpu") {
			continue // for a device that rot was never tried on
		}
		same := func(q plugin) bool { return q.cuda == p.cuda }
		if h.isFile(p.file) && !slices.ContainsFunc(found, same) {
			found = append(found, p)
		}
	}
	return found
}

func (h *host) isFile(name string) bool {
	info, err := fs.Stat(h.files, inFS(name))
	return err == nil && info.Mode().IsRegular()
}

// inFS turns an absolute path into a name for an fs.FS.
func inFS(name string) string {
	if name = strings.TrimPrefix(path.Clean(name), "/"); name == "" {
		return "."
	}
	return name
}
