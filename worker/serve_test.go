package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A client talks to a Serve of its own.
type client struct {
	t    *testing.T
	w    *bufio.Writer
	r    *bufio.Reader
	end  func() error // closes the input
	done chan error   // what Serve returned
}

func newClient(t *testing.T) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, w: bufio.NewWriter(toServer), r: bufio.NewReader(fromServer), end: toServer.Close, done: make(chan error, 1)}
	go func() { c.done <- Serve(t.Context(), in, out, &Options{Version: "v1"}) }()
	t.Cleanup(func() { toServer.Close(); fromServer.Close() })
	hello := c.receive()
	if hello.Op != "hello" || !strings.Contains(string(hello.Args), `"protocol":1`) || !strings.Contains(string(hello.Args), `"version":"v1"`) {
		t.Fatalf("first message %s %s", hello.Op, hello.Args)
	}
	return c
}

func (c *client) send(id uint64, op, args string, arrays ...Array) {
	c.t.Helper()
	if err := WriteMessage(c.w, &Message{ID: id, Op: op, Args: json.RawMessage(args), Arrays: arrays}); err != nil {
		c.t.Fatal(err)
	}
	if err := c.w.Flush(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() *Message {
	c.t.Helper()
	m, err := ReadMessage(c.r)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// fails expects an error and returns it.
func (c *client) fails(id uint64) failure {
	c.t.Helper()
	m := c.receive()
	var f failure
	if err := json.Unmarshal(m.Args, &f); err != nil || m.Op != "error" || m.ID != id {
		c.t.Fatalf("got %d %s %s, want an error of %d", m.ID, m.Op, m.Args, id)
	}
	return f
}

// cloud is n random points.
func cloud(seed uint64, n, d int) Array {
	rng := rand.New(rand.NewPCG(seed, 0))
	v := make([]float64, n*d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return Floats("X", v, n, d)
}

func named(name string, a Array) Array {
	a.Name = name
	return a
}

func TestServeSolves(t *testing.T) {
	c := newClient(t)
	matrix := Floats("M", []float64{0, 2, 2, 0}, 2, 2)
	a, b := Floats("a", []float64{3, 1}), Floats("b", []float64{1, 1})
	line := func(name string, v ...float64) Array { return Floats(name, v, len(v), 1) }
	for k, tt := range []struct {
		op, args string
		arrays   []Array
		want     float64
	}{
		{"exact", `{"want":["plan","marginals","potentials"]}`, []Array{matrix, a, b}, 0.5},
		{"robust", `{"rho":0.125}`, []Array{matrix, a, b}, 0.5 - 2*math.Sqrt(0.125*0.75*0.25*2)}, // moves √(2ρ·p(1−p)) of the mass
		{"one_d", ``, []Array{line("X", 0, 1), line("Y", 2, 5)}, 3},
		{"exact", `{"metric":"sqeuclidean"}`, []Array{line("X", 0, 1), line("Y", 2, 5)}, 10},
		{"partial", `{"mass":0.5}`, []Array{line("X", 0, 1), line("Y", 2, 5)}, 0.5},
		{"unbalanced", `{"penalty":1}`, []Array{line("X", 0), line("Y", 1)}, 0.75}, // F = G = ½: 2(½ − ⅛)
	} {
		c.send(uint64(k+1), tt.op, tt.args, tt.arrays...)
		m := c.receive()
		var s solution
		if err := json.Unmarshal(m.Args, &s); err != nil || m.Op != "result" || m.ID != uint64(k+1) {
			t.Fatalf("%s: %s %s: %v", tt.op, m.Op, m.Args, err)
		}
		if math.Abs(float64(s.Value)-tt.want) > 1e-9 || math.Abs(float64(s.Value-s.Lower)) > 1e-9 {
			t.Errorf("%s: value %v, lower %v, want %v", tt.op, s.Value, s.Lower, tt.want)
		}
		if want := map[bool]int{true: 9, false: 0}[k == 0]; len(m.Arrays) != want {
			t.Errorf("%s: %d arrays came, want %d", tt.op, len(m.Arrays), want)
		}
	}
	c.send(50, "entropic", `{"epsilon":0.5,"want":["plan"]}`, line("X", 0, 1), line("Y", 0, 1))
	if m := c.receive(); m.Op != "result" || len(m.Arrays) != 3 {
		t.Errorf("entropic: %s %s, %d arrays", m.Op, m.Args, len(m.Arrays))
	}
	c.send(51, "curve", ``, line("X", 0, 1, 90), line("Y", 0, 1, 2), Floats("rhos", []float64{0, 0.25}))
	if m := c.receive(); m.Op != "result" || len(m.Arrays) != 4 || len(m.Arrays[0].Floats) != 2 || m.Arrays[1].Floats[0] <= m.Arrays[1].Floats[1] {
		t.Errorf("curve: %s %s %v", m.Op, m.Args, m.Arrays)
	}
	c.send(53, "find", `{"gamma":0.1,"seed":3,"progress":true}`, Floats("X", append(cloud(1, 49, 2).Floats, 40, 40), 50, 2))
	m := c.receive()
	for m.Op == "progress" {
		m = c.receive()
	}
	if m.Op != "result" || len(m.Arrays) != 2 || m.Arrays[0].Floats[49] != slices.Max(m.Arrays[0].Floats) || m.Arrays[1].Floats[49] != 0 {
		t.Errorf("find: %s %s %v", m.Op, m.Args, m.Arrays)
	}
	c.send(52, "weights", `{"rho":0.125}`, Floats("scores", []float64{0, 1}))
	if m := c.receive(); m.Op != "result" || math.Abs(m.Arrays[0].Floats[0]-1.5) > 1e-12 {
		t.Errorf("weights: %s %s %v", m.Op, m.Args, m.Arrays)
	}
}

func TestServeErrors(t *testing.T) {
	c := newClient(t)
	for k, tt := range []struct {
		op, args string
		arrays   []Array
		kind     string
		text     string
	}{
		{"guess", ``, nil, kindInput, `there is no operation "guess"`},
		{"exact", `{"tol":"many"}`, nil, kindInput, "args"},
		{"exact", ``, nil, kindInput, `array "X" is missing`},
		{"exact", ``, []Array{cloud(1, 3, 2), named("Y", cloud(1, 3, 4))}, kindInput, ""},
		{"exact", `{"metric":"miles"}`, []Array{cloud(1, 3, 2), named("Y", cloud(1, 3, 2))}, kindInput, "miles"},
		{"robust", `{"rho":-1}`, []Array{cloud(1, 3, 2), named("Y", cloud(1, 3, 2))}, kindInput, "-1"},
		{"exact", ``, []Array{Floats("M", []float64{math.NaN()}, 1, 1)}, kindInput, "NaN"},
		{"exact", ``, []Array{Floats("X", nil, 3, 0), Floats("Y", nil, 3, 0)}, kindInput, "shape [3 0]"},
		{"weights", `{"rho":"nan"}`, []Array{Floats("scores", []float64{1})}, kindInput, ""},
	} {
		c.send(uint64(k+1), tt.op, tt.args, tt.arrays...)
		if f := c.fails(uint64(k + 1)); f.Kind != tt.kind || !strings.Contains(f.Text, tt.text) || strings.HasPrefix(f.Text, "ot: ") {
			t.Errorf("%s: %+v, want %s with %q", tt.op, f, tt.kind, tt.text)
		}
	}
}

func TestServeNotConverged(t *testing.T) {
	c := newClient(t)
	c.send(1, "robust", `{"rho":0.05,"max_iters":1,"want":["plan","marginals"]}`, cloud(1, 60, 2), named("Y", cloud(2, 60, 2)))
	m := c.receive()
	var f failure
	var s struct{ Result solution }
	if err := json.Unmarshal(m.Args, &f); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m.Args, &s); err != nil {
		t.Fatal(err)
	}
	if m.Op != "error" || f.Kind != kindConvergence || f.Solver == "" || f.Gap == nil || *f.Gap <= *f.Tol {
		t.Errorf("got %s %s", m.Op, m.Args)
	}
	if s.Result.Value <= s.Result.Lower || len(m.Arrays) != 7 {
		t.Errorf("the best result did not come along: %+v, %d arrays", s.Result, len(m.Arrays))
	}
}

// TestServeConcurrentAndCancel has a long solve cancelled while short ones are
// answered.
func TestServeConcurrentAndCancel(t *testing.T) {
	c := newClient(t)
	c.send(1, "exact", `{"progress":true}`, cloud(1, 6000, 3), named("Y", cloud(2, 6000, 3)))
	var progress, answered int
	for id := uint64(2); answered < 20; {
		if answered == int(id)-2 {
			c.send(id, "exact", ``, cloud(id, 5, 2), named("Y", cloud(1, 5, 2)))
			id++
		}
		switch m := c.receive(); {
		case m.Op == "progress" && m.ID == 1:
			progress++
		case m.Op == "result" && m.ID > 1:
			answered++
		default:
			t.Fatalf("%d %s %s", m.ID, m.Op, m.Args)
		}
	}
	for progress == 0 {
		if m := c.receive(); m.Op == "progress" {
			progress++
		}
	}
	start := time.Now()
	c.send(1, "cancel", ``)
	m := c.receive()
	for m.Op == "progress" {
		m = c.receive()
	}
	if m.ID != 1 || m.Op != "error" || !strings.Contains(string(m.Args), `"cancelled"`) {
		t.Fatalf("%d %s %s", m.ID, m.Op, m.Args)
	}
	t.Logf("cancelled after %v", time.Since(start))
	c.send(1, "cancel", ``) // Too late, which must not matter.
	c.send(1, "exact", ``, cloud(1, 5, 2), named("Y", cloud(1, 5, 2)))
	if m := c.receive(); m.Op != "result" || m.ID != 1 {
		t.Errorf("an id that is free again: %s %s", m.Op, m.Args)
	}
}

func TestServeEnds(t *testing.T) {
	c := newClient(t)
	c.send(1, "exact", ``, cloud(1, 6000, 3), named("Y", cloud(2, 6000, 3)))
	if err := c.end(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for a solve that nobody waits for")
	}
}

func TestServeRefuses(t *testing.T) {
	c := newClient(t)
	c.send(0, "exact", ``)
	if err := <-c.done; !errors.Is(err, ErrMessage) {
		t.Errorf("id 0: %v, want ErrMessage", err)
	}
	if err := Serve(context.Background(), strings.NewReader("what is this?"), io.Discard, nil); !errors.Is(err, ErrMessage) {
		t.Errorf("text: %v, want ErrMessage", err)
	}
}

// TestPanicIsAnError breaks an operation.
func init() { // before any server reads the table
	operations["break"] = func(context.Context, *request) (answer, error) { panic("broken") }
}

func TestPanicIsAnError(t *testing.T) {
	c := newClient(t)
	c.send(1, "break", ``)
	if f := c.fails(1); f.Kind != kindInternal || !strings.Contains(f.Text, "broken") {
		t.Errorf("%+v", f)
	}
}
