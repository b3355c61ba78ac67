package experiments

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/page"
	"rot.example/rot/runs"
)

// write writes a result into its folder: the figures, results.json, results.md
// and the page results.html.
func (r *Result) write(dir string) error {
	for _, s := range r.Sections {
		for _, f := range s.figures {
			if err := figure.Save(filepath.Join(dir, f.name), f.fig, nil); err != nil {
				return err
			}
		}
	}
	r.Markdown = r.markdown()
	numbers, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := writeText(filepath.Join(dir, "results.json"), append(numbers, '\n')); err != nil {
		return err
	}
	if err := writeText(filepath.Join(dir, "results.md"), []byte(r.Markdown)); err != nil {
		return err
	}
	html := page.Experiment(&page.ExperimentResult{
		Title: r.Name + ": " + r.Title, Markdown: r.Markdown, Pictures: os.DirFS(dir),
		Footer: fmt.Sprintf("rot reproduce %s, on %s", r.Name, strings.Join(r.Ran, ", ")),
	})
	return html.WriteFile(filepath.Join(dir, "results.html"))
}

// writeText writes a file, complete or not at all.
func writeText(path string, text []byte) error {
	return runs.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// markdown returns the result as a page of Markdown.
func (r *Result) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s: %s\n\n%s.", r.Name, r.Title, r.Paper)
	// Parts that have seeds of their own say how many, and then all do.
	own := slices.ContainsFunc(r.Sections, func(p *section) bool { return p.Seeds > 0 })
	seeds := ""
	if r.Seeds > 1 && !own {
		seeds = fmt.Sprintf(" with %d seeds", r.Seeds)
	}
	fmt.Fprintf(&s, " Made by `rot reproduce %s`%s on %s.\n", r.Name, seeds, strings.Join(r.Ran, ", "))
	if r.Quick {
		s.WriteString("\nA quick run: too short to judge by.\n")
	}
	for _, p := range r.Sections {
		fmt.Fprintf(&s, "\n## %s\n\n", p.Title)
		if own && p.Markdown != "" {
			fmt.Fprintf(&s, "Seeds: %d.\n\n", cmp.Or(p.Seeds, r.Seeds))
		}
		for _, n := range p.Notes {
			fmt.Fprintf(&s, "%s\n\n", n)
		}
		s.WriteString(p.Markdown)
	}
	return s.String()
}
