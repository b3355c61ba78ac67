package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rot.example/rot/internal/text"
)

func TestCleanInterrupted(t *testing.T) {
	for _, data := range []string{"synth:gauss,n=2000", "synth:digits,n=50"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		dir, stdout, stderr, code := runIn(ctx, t, "clean", data, "--against", data+",seed=3", "--out", "deep/out")
		if code != ExitFailed || stderr != "rot: interrupted\n" || stdout != "" {
			t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left behind (%v)", left, err)
		}
	}
}

// TestCleanFolder has photographs of several sizes and colours in two classes,
// and finds the one that is not like the others.
func TestCleanFolder(t *testing.T) {
	dir := t.TempDir()
	for k := range 24 {
		class := "a"
		if k%2 == 1 {
			class = "b"
		}
		if err := os.MkdirAll(filepath.Join(dir, class), 0o777); err != nil {
			t.Fatal(err)
		}
		im := image.NewRGBA(image.Rect(0, 0, 20+k, 30))
		for y := range 30 {
			for x := range 20 + k {
				shade := uint8(8*y + k)
				im.Set(x, y, color.RGBA{shade, shade / 2, 20, 255})
				if k == 13 && (x/3+y/3)%2 == 0 {
					im.Set(x, y, color.RGBA{20, 40, 250, 255})
				}
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, im); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, class, strconv.Itoa(k)+".png"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, stderr, code := runIn(t.Context(), t, "clean", dir, "--gamma", "0.05", "--json")
	var got text.CleanJSON
	if err := json.Unmarshal([]byte(stdout), &got); code != ExitOK || err != nil {
		t.Fatalf("exit code %d, %v, stderr %q", code, err, stderr)
	}
	worst := got.Worst[0]
	if got.N != 24 || got.Dropped != 1 || !strings.HasSuffix(worst.ID, "13.png") || worst.Label == nil || *worst.Label != "b" || len(worst.Causes) != 0 {
		t.Errorf("the worst of %d is %+v", got.N, worst)
	}
	if !strings.Contains(stderr, "resized to 64×64") {
		t.Errorf("stderr %q does not say that images were resized", stderr)
	}
	list, err := os.ReadFile(filepath.Join("clean", "dropped.txt"))
	if err != nil || string(list) != worst.ID+"\n" {
		t.Errorf("dropped.txt %q, %v", list, err)
	}
}

// TestCleanPage: the page holds its pictures, the worst rows and the classes,
// and text from the data cannot become markup.
func TestCleanPage(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("a,b,c,kind\n")
	for i := range 60 {
		fmt.Fprintf(&rows, "%d,%d,%d,<b>x|y</b>\n", i%7, i%5, i%3)
	}
	rows.WriteString("90,-80,70,odd\n")
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(path, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, stdout, stderr, code := runIn(t.Context(), t, "clean", path, "--label-column", "kind", "--gamma", "0.02", "--out", filepath.Join(dir, "out"))
	if code != 0 {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"<td>odd</td>", "data:image/png;base64,", "&lt;b&gt;x|y&lt;/b&gt;", "How certain it is", "c = 70", "By class"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<b>x") {
		t.Error("a label became markup")
	}
}
