package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// TestLinks follows the links of all documents to files and headings of the
// repository.
func TestLinks(t *testing.T) {
	found := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			found++
			path, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: no %s", page, m[1])
			} else if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s: no heading %s", page, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d links only", found)
	}
}

// documents lists the pages of the repository that people read.
func documents(t *testing.T) []string {
	out, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// anchors returns the names under which GitHub links the headings of a page:
// lower case, a dash for a space, and no marks.
func anchors(t *testing.T, page string) map[string]bool {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return out
}

// TestContents: the guide's list of contents has every page, and README.md
// keeps to its size.
func TestContents(t *testing.T) {
	contents, err := os.ReadFile("guide/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t)[1:] {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(string(contents), "]("+name+")") {
			t.Errorf("guide/README.md does not list %s", name)
		}
	}
	info, err := os.Stat("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 9000 {
		t.Errorf("README.md has %d bytes; what is more than 9000 belongs into the guide", info.Size())
	}
}
