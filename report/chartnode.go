package report

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// A chartNode takes the place of a paragraph that is a picture and nothing
// else.
type chartNode struct {
	ast.BaseBlock
	chart *Chart
	still *ast.Image // whose destination holds all of it
	alt   string
}

var chartKind = ast.NewNodeKind("Chart")

// Kind implements ast.Node.
func (n *chartNode) Kind() ast.NodeKind { return chartKind }

// Dump implements ast.Node.
func (n *chartNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// placeCharts puts charts in the place of their pictures. A chart that the
// text does not name, or only in the middle of a paragraph, is an error.
func placeCharts(doc ast.Node, source []byte, charts map[string]*Chart) error {
	placed := map[string]bool{}
	for n := doc.FirstChild(); n != nil; {
		next := n.NextSibling()
		image, ok := n.FirstChild().(*ast.Image)
		if _, paragraph := n.(*ast.Paragraph); ok && paragraph && n.ChildCount() == 1 {
			name := string(image.Destination)
			if c := charts[name]; c != nil {
				if err := c.check(); err != nil {
					return fmt.Errorf("chart %s: %w", name, err)
				}
				doc.ReplaceChild(doc, n, &chartNode{chart: c, still: image, alt: plainAlt(image, source)})
				placed[name] = true
			}
		}
		n = next
	}
	var missing []string
	for name := range charts {
		if !placed[name] {
			missing = append(missing, name)
		}
	}
	if slices.Sort(missing); missing != nil {
		return fmt.Errorf("chart %s has no paragraph of its own", missing[0])
	}
	return nil
}

// plainAlt is the text that stands for a picture.
func plainAlt(image *ast.Image, source []byte) string {
	var alt []byte
	for c := image.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			alt = append(alt, util.UnescapePunctuations(t.Segment.Value(source))...)
		}
	}
	return string(alt)
}

// chartRenderer writes chartNodes.
type chartRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (chartRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(chartKind, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		n := node.(*chartNode)
		if !entering {
			return ast.WalkContinue, nil
		}
		data, err := json.Marshal(n.chart)
		if err != nil {
			return ast.WalkStop, err
		}
		fmt.Fprintf(w, "<figure class=\"chart\">\n<figcaption><b>%s</b> %s</figcaption>\n<img class=\"still\" src=\"%s\" alt=\"%s\">\n<script type=\"application/json\">%s</script>\n</figure>\n",
			html.EscapeString(n.chart.Title), html.EscapeString(n.chart.Note), n.still.Destination, html.EscapeString(n.alt), data)
		return ast.WalkSkipChildren, nil
	})
}
