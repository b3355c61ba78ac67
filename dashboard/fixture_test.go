package dashboard

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rot.example/rot/runs"
)

type config struct {
	Data   string  `json:"data"`
	Preset string  `json:"preset"`
	Rho    float64 `json:"rho"`
	Steps  int     `json:"steps"`
	Seed   int     `json:"seed"`
}

// A made run is one whose log the test goes on writing.
type made struct {
	*runs.Run
	log  *runs.MetricsLog
	step int
}

// makeRun makes a run with records of the given number of steps, ten a record.
func makeRun(t *testing.T, dir, name string, c config, records int) *made {
	t.Helper()
	r, err := runs.Create(dir, name, "", c)
	if err != nil {
		t.Fatal(err)
	}
	log, err := r.OpenMetrics(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	m := &made{Run: r, log: log}
	m.train(t, records)
	return m
}

func (m *made) train(t *testing.T, records int) {
	t.Helper()
	for range records {
		m.step += 10
		x := float64(m.step)
		if err := m.log.Append(map[string]any{
			"step": m.step, "critic_loss": -1 / (1 + x/100), "generator_loss": math.Sin(x / 70), "weight_loss": 0,
			"chi2": 0.2 * (1 - math.Exp(-x/200)), "ess": 50.0, "images_per_second": 4000 + 100*math.Sin(x/30), "seconds": x / 50,
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// paint writes a picture of samples.
func (m *made) paint(t *testing.T, name string, c color.Color) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		if (i/64/8+i%64/8)%2 == 0 {
			img.Set(i%64, i/64, c)
		}
	}
	f, err := os.Create(filepath.Join(m.Path(), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// start serves dir, looking at it often.
func start(t *testing.T, dir string) *httptest.Server {
	t.Helper()
	s, err := New(dir, &Options{Poll: 20 * time.Millisecond, Hosts: []string{"lab.example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections() // event streams
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return web
}

// ask sends a request whose path reaches the server as it is written here.
func ask(t *testing.T, web *httptest.Server, method, target, host string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, web.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	c := web.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}
