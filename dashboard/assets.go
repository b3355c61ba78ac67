package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"rot.example/rot/report"
)

//go:embed assets
var assets embed.FS

// servable are the types of the embedded files; what is not here is for
// readers of the source.
var servable = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func servePage(w http.ResponseWriter, r *http.Request) { serveEmbedded(w, r, "assets/index.html") }

// serveIcon is for what browsers ask for by themselves, also from a page,
// whose origin is another one.
func serveIcon(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	serveEmbedded(w, r, "assets/icon.svg")
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	serveEmbedded(w, r, strings.TrimPrefix(r.URL.Path, "/"))
}

// readAsset reads an embedded file. The chart library is that of pages.
func readAsset(name string) ([]byte, error) {
	if library, ok := strings.CutPrefix(name, "assets/uplot/"); ok {
		return fs.ReadFile(report.UPlot(), library)
	}
	return assets.ReadFile(name)
}

func serveEmbedded(w http.ResponseWriter, r *http.Request, name string) {
	text, err := readAsset(name)
	kind := servable[path.Ext(name)]
	if name == "assets/uplot/LICENSE" {
		kind = "text/plain; charset=utf-8"
	}
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(text)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`) // embedded files have no time
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
