package dataset

import (
	"os"
	"strings"
)

// SpecFiles are the files that Load or LoadImages would read for spec, as far
// as they can be told; those of a folder are its images. They are the files
// that a command must not overwrite.
func SpecFiles(spec string) []string {
	if spec == "-" || strings.HasPrefix(spec, "synth:") {
		return nil
	}
	body, _ := cutSelection(spec, isFile)
	if strings.HasPrefix(body, "stack:") {
		files, labels, err := splitStack(body)
		if err != nil {
			return nil
		}
		return appendGiven(files, labels)
	}
	if strings.HasPrefix(body, celebaPrefix) {
		c, err := openCelebA(body)
		if err != nil {
			return nil
		}
		return c.paths()
	}
	path, labels := splitSpec(body)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if files := cifarFiles(path); files != nil {
			return files
		}
		f := &folder{root: path}
		if f.walk("", nil) != nil {
			return nil
		}
		files := make([]string, len(f.files))
		for i := range files {
			files[i] = f.path(i)
		}
		return files
	}
	if formatOf(path) != "idx" {
		return []string{path}
	}
	if labels == "" {
		labels = findIDXLabels(path)
	}
	return appendGiven([]string{path}, labels)
}

func appendGiven(files []string, file string) []string {
	if file == "" {
		return files
	}
	return append(files, file)
}
