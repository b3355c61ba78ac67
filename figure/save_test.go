package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rot.example/rot/ot"
)

// gallery is one of every kind of figure, with texts that SVG must escape.
func gallery() map[string]Figure {
	x, y := gaussian(50, 16, 0, 1), gaussian(60, 16, 1, 2)
	line, tiny := gaussian(20, 1, 0, 1), gaussian(3, 2, 0, 1)
	return map[string]Figure{
		"panels":     figureOne(100),
		"projection": NewCoupling("a < b & \"c\" \x00 ρ", x, y, greedy(x, y, nil)),
		"line":       NewCoupling("on a line", line, line, greedy(line, line, dropLast(20, 2))),
		"tiny":       NewCoupling("tiny", tiny, tiny, greedy(tiny, tiny, nil)),
		"alone":      &Coupling{X: x, Y: y},
		"curve":      elbowCurve(),
		"scatter":    ganScatter(200),
		"losses":     ganCurves(100),
		"images":     patterns(12, 4, 4, 3),
		"histogram":  &Histogram{Weights: gaussianWeights(200), Outlier: append(make([]bool, 150), make([]bool, 50)...)},
	}
}

func TestWriteToPNG(t *testing.T) {
	for _, tt := range []struct {
		name          string
		fig           Figure
		opts          *Options
		width, height int // 0: in proportion
	}{
		{"three panels", figureOne(40), nil, 1600, 0},
		{"curve", elbowCurve(), nil, 1067, 711},
		{"both sides", elbowCurve(), &Options{Width: 801, Height: 601}, 801, 601},
		{"one side", elbowCurve(), &Options{Width: 600, DPI: 100}, 600, 400},
		{"other side", elbowCurve(), &Options{Height: 400, DPI: 100}, 600, 400},
		{"resolution", elbowCurve(), &Options{DPI: 72}, 480, 320},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var buf bytes.Buffer
			if err := WriteTo(&buf, tt.fig, "png", tt.opts); err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(&buf)
			if err != nil {
				t.Fatal(err)
			}
			size := img.Bounds().Size()
			if size.X != tt.width || tt.height != 0 && size.Y != tt.height {
				t.Errorf("%d×%d pixels, want %d×%d", size.X, size.Y, tt.width, tt.height)
			}
			for _, corner := range [][2]int{{0, 0}, {size.X - 1, 0}, {0, size.Y - 1}, {size.X - 1, size.Y - 1}} {
				if r, g, b, a := img.At(corner[0], corner[1]).RGBA(); r&g&b&a != 0xFFFF {
					t.Errorf("corner %v is not white", corner)
				}
			}
		})
	}
}

func TestWriteToSVG(t *testing.T) {
	for name, fig := range gallery() {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			if err := WriteTo(&buf, fig, "svg", nil); err != nil {
				t.Fatal(err)
			}
			if buf.Len() > 200_000 {
				t.Errorf("%d bytes", buf.Len())
			}
			if text := parseSVG(t, buf.Bytes()); name == "projection" && !strings.Contains(text, `a < b & "c" ρ`) {
				t.Errorf("title is missing from %q", text)
			}
		})
	}
}

// parseSVG returns the texts of a well-formed SVG without NaN.
func parseSVG(t *testing.T, data []byte) string {
	t.Helper()
	var text strings.Builder
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.CharData:
			text.Write(tok)
		case xml.StartElement:
			for _, a := range tok.Attr {
				if strings.Contains(a.Value, "NaN") && a.Name.Local != "href" { // A picture may spell it by chance.
					t.Fatalf("<%s %s=%q>", tok.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// largeCoupling has n points on each side, a twentieth of them left out.
func largeCoupling(n int32) *Coupling {
	out := int(n / 20)
	x, y := fourGaussians(int(n), out, 0, 1), fourGaussians(int(n), 0, 0.6, 2)
	plan := &ot.Plan{}
	for i := range n {
		plan.I, plan.J, plan.Mass = append(plan.I, i), append(plan.J, (i+4)%n), append(plan.Mass, 1/float64(n))
	}
	return &Coupling{X: x, Y: y, Plan: plan, A: dropLast(int(n), out)}
}

func TestLargeCoupling(t *testing.T) {
	fig := largeCoupling(20000)
	for _, format := range []string{"png", "svg"} {
		var buf bytes.Buffer
		if err := WriteTo(&buf, fig, format, nil); err != nil {
			t.Fatal(err)
		}
		if buf.Len() > 2_000_000 {
			t.Errorf("%s has %d bytes", format, buf.Len())
		}
		if format == "svg" {
			parseSVG(t, buf.Bytes())
			if !bytes.Contains(buf.Bytes(), []byte(`"data:image/png;base64,`)) {
				t.Error("svg keeps tens of thousands of marks as vectors")
			}
		}
	}
}

func TestDeterministic(t *testing.T) {
	for name, fig := range gallery() {
		for _, format := range []string{"png", "svg"} {
			var a, b bytes.Buffer
			if err := errors.Join(WriteTo(&a, fig, format, nil), WriteTo(&b, fig, format, nil)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s: two %s of one figure differ", name, format)
			}
		}
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "curve.PNG")
	for range 2 { // the second time over the first
		if err := Save(path, elbowCurve(), nil); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v", info.Mode())
	}
	onlyEntry(t, dir, "curve.PNG")
}

func TestSaveFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.svg")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Save(old, &Curve{}, nil); !errors.Is(err, ot.ErrShape) {
		t.Errorf("bad figure: error %v", err)
	}
	if data, err := os.ReadFile(old); err != nil || string(data) != "old" {
		t.Errorf("old file is now %q, %v", data, err)
	}
	onlyEntry(t, dir, "old.svg")

	dir = t.TempDir()
	folder := filepath.Join(dir, "folder.png") // the rename fails
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Save(folder, elbowCurve(), nil); err == nil || !strings.HasPrefix(err.Error(), "figure: save ") {
		t.Errorf("path of a folder: error %v", err)
	}
	onlyEntry(t, dir, "folder.png")

	if err := Save(filepath.Join(dir, "missing", "a.png"), elbowCurve(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: error %v", err)
	}
	for _, name := range []string{"a.jpg", "a", "png"} {
		if err := Save(filepath.Join(dir, name), elbowCurve(), nil); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	onlyEntry(t, dir, "folder.png")
}

func onlyEntry(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("folder has %v, want only %s", entries, name)
	}
}

func TestWriteToErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fig    Figure
		format string
		opts   *Options
		err    error
		text   string
	}{
		{"format", elbowCurve(), "pdf", nil, ErrFormat, `"pdf"`},
		{"nothing", nil, "png", nil, ot.ErrShape, "no figure"},
		{"negative", elbowCurve(), "png", &Options{Width: -1}, ot.ErrOption, "negative size"},
		{"resolution", elbowCurve(), "png", &Options{DPI: -1}, ot.ErrOption, "negative size"},
		{"too large", elbowCurve(), "png", &Options{Width: 1 << 40}, ot.ErrOption, "larger than 20000"},
		{"too small", figureOne(20), "svg", &Options{Width: 300, Height: 300}, ot.ErrOption, "too small"},
		{"size of an image grid", patterns(2, 3, 3, 1), "png", &Options{Width: 500}, ot.ErrOption, "one size"},
		{"too small losses", ganCurves(10), "png", &Options{Width: 400, Height: 300}, ot.ErrOption, "too small"},
		{"too small curve", elbowCurve(), "png", &Options{Width: 1, Height: 1}, ot.ErrOption, "too small"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := WriteTo(io.Discard, tt.fig, tt.format, tt.opts)
			if !errors.Is(err, tt.err) || !strings.HasPrefix(err.Error(), "figure: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one with %q", err, tt.text)
			}
		})
	}
	for _, format := range []string{"png", "svg"} {
		for _, fig := range []Figure{elbowCurve(), patterns(2, 3, 3, 1)} {
			if err := WriteTo(brokenPipe{}, fig, format, nil); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%T as %s to a broken pipe: error %v", fig, format, err)
			}
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func BenchmarkLargeCoupling(b *testing.B) {
	fig := largeCoupling(20000)
	for _, format := range []string{"png", "svg"} {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				if err := WriteTo(io.Discard, fig, format, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
