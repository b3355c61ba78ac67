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
	return stageMade(ctx, out, path, func(w io.Writer) error {
		return figure.WriteTo(w, fig, strings.ToLower(filepath.Ext(path))[1:], nil)
	})
}

// stagePage makes the page p for path.
func stagePage(ctx context.Context, out *outputs, path string, p *page.Page) error {
	return stageMade(ctx, out, path, p.Write)
}

// stageMade stages what write makes, which takes a while and cannot be
// cancelled.
func stageMade(ctx context.Context, out *outputs, path string, write func(io.Writer) error) error {
	made, err := await(ctx, func() ([]byte, error) {
		var b bytes.Buffer
		err := write(&b)
		return b.Bytes(), err
	})
	if err != nil {
		return err
	}
	return out.stage(path, func(w io.Writer) error {
		_, err := w.Write(made)
		return err
	})
}
