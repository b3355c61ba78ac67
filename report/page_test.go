package report

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWrite(t *testing.T) {
	files := fstest.MapFS{"a.png": {Data: []byte("\x89PNG picture")}}
	var b bytes.Buffer
	err := Write(&b, &Page{
		Title:  `rot & <co>`,
		Body:   "# Heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![what it shows](a.png)\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))\n",
		Files:  files,
		Footer: "made <here>",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"<title>rot &amp; &lt;co&gt;</title>", "<h1>Heading</h1>", "<td>2</td>", `alt="what it shows"`,
		`src="data:image/png;base64,iVBORyBwaWN0dXJl"`, "made &lt;here&gt;", "prefers-color-scheme: dark",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	for _, bad := range []string{"alert(1)", "http://", "https://", `src="a.png"`} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestPictures(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, &Page{Body: "![x](a.png)", Files: Pictures{"a.png": []byte("x")}}); err != nil || !strings.Contains(b.String(), "base64,eA==") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if err := Write(&b, &Page{Body: "![x](b.png)", Files: Pictures{"a.png": nil}}); err == nil {
		t.Error("a picture that is not there was taken")
	}
}

// TestWriteErrors: a picture has to be one, beside the page.
func TestWriteErrors(t *testing.T) {
	files := fstest.MapFS{"notes.txt": {Data: []byte("x")}}
	for _, name := range []string{"missing.png", "../secret.png", "/etc/a.png", "notes.txt", "https://example.org/a.png"} {
		if err := Write(&bytes.Buffer{}, &Page{Title: "t", Body: "![x](" + name + ")", Files: files}); err == nil || !strings.Contains(err.Error(), "picture") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Write(&bytes.Buffer{}, &Page{Body: "![x](a.png)"}); err == nil {
		t.Error("a picture without files was taken")
	}
}
