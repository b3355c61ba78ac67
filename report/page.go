package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Page is the text, the pictures and the charts of one HTML file.
type Page struct {
	Title  string // of the window; the Markdown has its own heading
	Body   string // Markdown with GitHub's tables; HTML in it is left out
	Files  fs.FS  // where the pictures that Body names are; may be nil without any
	Footer string // a line of plain text at the end

	// Charts are drawn in the place of the pictures of these names, each of
	// which is a paragraph of Body. The pictures are there for a reader without
	// JavaScript, and for paper.
	Charts map[string]*Chart
}

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed chart.js
	chartScript string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// Write writes p as one HTML file. A picture that is not there is an error.
func Write(w io.Writer, p *Page) error {
	body, err := p.render()
	if err != nil {
		return fmt.Errorf("report: %s: %w", p.Title, err)
	}
	style, script := pageStyle, pageScript
	if len(p.Charts) > 0 {
		library, err := fs.ReadFile(uplot, "uplot/uPlot.iife.min.js")
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		looks, err := fs.ReadFile(uplot, "uplot/uPlot.min.css")
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		licence, err := fs.ReadFile(uplot, "uplot/LICENSE")
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		// Its licence goes with every copy.
		note := "/*! uPlot\n\n" + strings.TrimSpace(string(licence)) + "\n*/\n"
		style = string(looks) + "\n" + style
		script += note + string(library) + "\n" + chartScript
	}
	return pageTemplate.Execute(w, map[string]any{
		"Title": p.Title, "Footer": p.Footer,
		"Body":   template.HTML(body), // goldmark's own, which passes no HTML on, and charts
		"Style":  template.CSS(style),
		"Script": template.JS(script),
	})
}

// render is the body as HTML, with its pictures inside.
func (p *Page) render() ([]byte, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(chartRenderer{}, 500))))
	source := []byte(p.Body)
	doc := md.Parser().Parse(text.NewReader(source))
	if err := placeCharts(doc, source, p.Charts); err != nil {
		return nil, err
	}
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		image, ok := n.(*ast.Image)
		if c, chart := n.(*chartNode); chart {
			image, ok = c.still, true
		}
		if !ok {
			return ast.WalkContinue, nil
		}
		inside, err := embedded(p.Files, string(image.Destination))
		image.Destination = inside
		return ast.WalkContinue, err
	})
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err = md.Renderer().Render(&body, source, doc)
	return body.Bytes(), err
}

// Pictures are files in memory, by name.
type Pictures map[string][]byte

// ReadFile implements fs.ReadFileFS.
func (p Pictures) ReadFile(name string) ([]byte, error) {
	data, ok := p[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return data, nil
}

// Open implements fs.FS. It always fails: ReadFile reads pictures whole.
func (p Pictures) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// embedded is the address of a picture that holds all of it.
func embedded(files fs.FS, name string) ([]byte, error) {
	kind := mime.TypeByExtension(strings.ToLower(path.Ext(name)))
	if files == nil || !strings.HasPrefix(kind, "image/") || !fs.ValidPath(name) {
		return nil, fmt.Errorf("picture %q is not a picture beside the page", name)
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	return []byte("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)), nil
}
