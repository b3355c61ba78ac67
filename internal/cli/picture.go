package cli

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"

	"rot.example/rot/figure"
	"rot.example/rot/page"
)

// stageFigure draws fig for path, in the format that its name ends in.
func stageFigure(ctx context.Context, out *outputs, path string, fig figure.Figure) error {
	picture, err := await(ctx, func() ([]byte, error) {
		var b bytes.Buffer
		err := figure.WriteTo(&b, fig, strings.ToLower(filepath.Ext(path))[1:], nil)
		return b.Bytes(), err
	})
	if err != nil {
		return err
	}
	return out.stage(path, func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}

// stagePage makes the page p for path.
func stagePage(ctx context.Context, out *outputs, path string, p *page.Page) error {
	text, err := await(ctx, func() ([]byte, error) {
		var b bytes.Buffer
		err := p.Write(&b)
		return b.Bytes(), err
	})
	if err != nil {
		return err
	}
	return out.stage(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
