package engine

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The flags of XLA that rot sets. XLA aborts the process at one that it does
// not know, so every flag needs a reason to be sure of it: dataDirFlag is as
// old as XLA's GPU backend, and autotuneFlag is looked for in the plugin.
const (
	// autotuneFlag names a folder for the results of trying out kernels. The
	// folder has to exist, and keeping versions of XLA apart is up to us.
	//
	// XLA has a second cache, xla_gpu_kernel_cache_file, for compiled kernels.
	// It is left alone: it needs modules to be compiled in parts and linked,
	// which fails in JAX's own releases from time to time (jax-ml/jax#28247).
	// Whole programs are kept in a programStore instead.
	autotuneFlag = "xla_gpu_per_fusion_autotune_cache_dir"

	// dataDirFlag names the folder with bin/ptxas and nvvm/libdevice.
	dataDirFlag = "xla_gpu_cuda_data_dir"
)

// An xlaFlag is a setting in XLA_FLAGS.
type xlaFlag struct{ name, value string }

// prepare sets the environment that a CUDA plugin reads when it is loaded. It
// returns the folder of the autotuning results, "" for none: a cache that
// cannot be used is no reason to fail.
func (h *host) prepare(p plugin, cacheDir, userFlags string) (cache string, err error) {
	var flags []xlaFlag
	if dir := h.cudaDataDir(p); dir != "" {
		flags = append(flags, xlaFlag{dataDirFlag, dir})
	}
	if cacheDir != "" {
		if dir, err := h.autotuneCache(p, cacheDir); err == nil {
			flags = append(flags, xlaFlag{autotuneFlag, dir})
			cache = dir
		}
	}
	merged := mergeFlags(userFlags, flags)
	if !strings.Contains(merged, quote(cache)) {
		cache = "" // the user has another, or none
	}
	if merged != h.getenv("XLA_FLAGS") {
		if err := h.setenv("XLA_FLAGS", merged); err != nil {
			return "", err
		}
	}
	// Otherwise go-xla warns that the CUDA libraries are not in the folder that
	// its own installer would have used.
	const checks = "GOPJRT_CUDA_CHECKS"
	if h.getenv(checks) == "" {
		if err := h.setenv(checks, "0"); err != nil {
			return "", err
		}
	}
	return cache, nil
}

// cudaDataDir is the part of the CUDA toolkit that was installed with a plugin,
// "" when XLA has to find one by itself.
func (h *host) cudaDataDir(p plugin) string {
	folder := path.Dir(p.file)
	packages := path.Join(folder, "../..", "nvidia") // from jax_plugins/xla_cuda13
	for _, dir := range []string{
		folder,                           // go-xla's installer
		path.Join(packages, "cu13"),      // pip, CUDA 13
		path.Join(packages, "cuda_nvcc"), // pip, CUDA 12
	} {
		if h.isFile(path.Join(dir, "bin/ptxas")) {
			return dir
		}
	}
	return ""
}

// autotuneCache returns the folder below dir for a plugin, which it makes if
// the plugin knows autotuneFlag. The folder is thus a sign that it does: a
// plugin of hundreds of megabytes is searched once.
func (h *host) autotuneCache(p plugin, dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := fs.Stat(h.files, inFS(p.file))
	if err != nil {
		return "", err
	}
	version := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", p.file, info.Size(), info.ModTime().UnixNano()))
	cache := filepath.Join(dir, fmt.Sprintf("autotune-%x", version[:8]))
	if _, err := os.Stat(cache); err == nil {
		return cache, nil
	}
	f, err := h.files.Open(inFS(p.file))
	if err != nil {
		return "", err
	}
	defer f.Close()
	known, err := mentions(f, autotuneFlag)
	if err != nil {
		return "", err
	}
	if !known {
		return "", errors.New("the plugin has no autotuning cache")
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	return cache, nil
}

// mentions reports whether text occurs in what r reads.
func mentions(r io.Reader, text string) (bool, error) {
	buf := make([]byte, 1<<20)
	kept := 0 // bytes of an occurrence that may go on in the next block
	for {
		n, err := io.ReadFull(r, buf[kept:])
		block := buf[:kept+n]
		if bytes.Contains(block, []byte(text)) {
			return true, nil
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return false, nil
		case err != nil:
			return false, err
		}
		kept = copy(buf, block[len(block)-len(text)+1:])
	}
}

// mergeFlags adds to the user's XLA_FLAGS those flags that it does not set. One
// that does not begin with a dash is the name of a file of flags, which is the
// user's alone.
func mergeFlags(user string, flags []xlaFlag) string {
	if s := strings.TrimSpace(user); s != "" && s[0] != '-' {
		return user
	}
	set := map[string]bool{}
	for _, f := range strings.Fields(user) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		set[name] = true
	}
	merged := user
	for _, f := range flags {
		if set[f.name] {
			continue
		}
		if merged != "" {
			merged += " "
		}
		merged += "--" + f.name + "=" + quote(f.value)
	}
	return merged
}

// quote writes a value so that XLA reads it back: it splits flags at white
// space outside quotes, and takes backslashes for escapes inside.
func quote(value string) string {
	if !strings.ContainsAny(value, " \t\r\n\"'") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
