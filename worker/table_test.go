package worker

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// people is a table of a number, a word and a flag, as the args and arrays of a
// request.
func people(name string, n int, shift float64) (string, []Array) {
	var age, member []float64
	var town []int32
	for i := range n {
		age = append(age, 40+10*math.Sin(float64(7*i))+shift)
		town = append(town, int32(i%3))
		member = append(member, float64(i%2))
	}
	age[3], town[4] = math.NaN(), -1
	said := `{"columns":[{"name":"age","kind":"number"},{"name":"town","kind":"text","levels":["Ulm","Bonn","Kiel"]},{"name":"member","kind":"boolean"}]}`
	return `"` + name + `":` + said, []Array{Floats(name+".0", age), Ints(name+".1", town), Floats(name+".2", member)}
}

// result expects a result and unpacks its args.
func (c *client) result(id uint64, args any) *Message {
	c.t.Helper()
	m := c.receive()
	if m.Op != "result" || m.ID != id {
		c.t.Fatalf("got %d %s %s, want a result of %d", m.ID, m.Op, m.Args, id)
	}
	if err := json.Unmarshal(m.Args, args); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (m *Message) array(t *testing.T, name string) *Array {
	t.Helper()
	for k := range m.Arrays {
		if m.Arrays[k].Name == name {
			return &m.Arrays[k]
		}
	}
	t.Fatalf("there is no array %q in the answer", name)
	return nil
}

func TestServeEncodes(t *testing.T) {
	c := newClient(t)
	said, arrays := people("X", 20, 0)
	c.send(1, "encode", `{"tables":{`+said+`},"missing":"indicator"}`, arrays...)
	var first encodingAnswer
	m := c.result(1, &first)
	if got := strings.Join(first.Components, " "); got != "age age missing member town=Bonn town=Kiel town=Ulm town missing" {
		t.Errorf("components %q", got)
	}
	x := m.array(t, "X")
	if x.Shape[0] != 20 || x.Shape[1] != 7 || x.Floats[3*7+1] != 1 || x.Floats[5*7] != 40+10*math.Sin(35) {
		t.Errorf("shape %v, row 3 %v", x.Shape, x.Floats[3*7:4*7])
	}
	// The next table has the encoding of the first.
	said, arrays = people("X", 8, 100)
	text, err := json.Marshal(first.Encoding)
	if err != nil {
		t.Fatal(err)
	}
	c.send(2, "encode", `{"tables":{`+said+`},"encoding":`+string(text)+`}`, arrays...)
	var second encodingAnswer
	if m := c.result(2, &second); len(m.array(t, "X").Floats) != 8*7 || len(second.Notes) == 0 {
		t.Errorf("shape %v, notes %q", m.array(t, "X").Shape, second.Notes)
	}
}

func TestServeFitsAndScores(t *testing.T) {
	c := newClient(t)
	said, arrays := people("X", 60, 0)
	arrays[0].Floats[17] = 900
	c.send(1, "fit", `{"tables":{`+said+`},"missing":"indicator","fdr":0.1}`, arrays...)
	var args modelAnswer
	m := c.result(1, &args)
	scores := m.array(t, "score").Floats
	if args.Threshold == nil || scores[17] <= float64(*args.Threshold) {
		t.Errorf("row 17 has the score %v, and the threshold is %v", scores[17], args.Threshold)
	}
	c.send(2, "score", `{"tables":{`+said+`}}`, append(arrays, *m.array(t, "model"))...)
	again := c.result(2, &args).array(t, "score").Floats
	for i := range scores {
		if again[i] != scores[i] {
			t.Fatalf("row %d scores %v, and then %v", i, scores[i], again[i])
		}
	}
	c.send(3, "score", `{}`, Bytes("model", []byte("no model")), cloud(1, 5, 2))
	if f := c.fails(3); f.Kind != kindInput {
		t.Errorf("a broken model: %+v", f)
	}
}

func TestServeComparesAndDraws(t *testing.T) {
	c := newClient(t)
	x, xs := people("X", 60, 0)
	y, ys := people("Y", 60, 30)
	tables := `"tables":{` + x + `,` + y + `},"missing":"indicator"`
	arrays := append(xs, ys...)
	c.send(1, "drift", `{`+tables+`,"permutations":39}`, arrays...)
	var args driftAnswer
	m := c.result(1, &args)
	if args.Verdict != "moved" || args.Columns[0].Name != "age" || args.Columns[0].Direction != "up" {
		t.Errorf("got %+v", args)
	}
	pages := map[string][]Array{"drift_page": append(arrays, *m.array(t, "result"))}
	c.send(2, "robust", `{`+tables+`,"rho":0.05,"want":["plan","marginals","potentials"]}`, arrays...)
	var solved solution
	m = c.result(2, &solved)
	solved.Encoded = nil
	kept, err := json.Marshal(solved)
	if err != nil {
		t.Fatal(err)
	}
	pages["page"], pages["curve_page"] = append(arrays, m.Arrays...), arrays
	id := uint64(2)
	for op, arrays := range pages {
		id++
		c.send(id, op, `{`+tables+`,"rho":0.05,"kept":`+string(kept)+`}`, arrays...)
		if html := string(c.result(id, new(any)).array(t, "html").Bytes); !strings.HasPrefix(html, "<!") || !strings.Contains(html, "age") {
			t.Errorf("%s: %.80q", op, html)
		}
	}
	// A result of another problem is refused.
	c.send(9, "page", `{"kept":`+string(kept)+`}`, append(m.Arrays, cloud(1, 9, 2), named("Y", cloud(2, 9, 2)))...)
	if f := c.fails(9); f.Kind != kindInput {
		t.Errorf("a result of another problem: %+v", f)
	}
}

func TestServeRefusesTables(t *testing.T) {
	c := newClient(t)
	x, xs := people("X", 20, 0)
	for k, tt := range []struct {
		args   string
		arrays []Array
		want   string
	}{
		{`{"tables":{` + x + `}}`, xs, "missing"},
		{`{"tables":{` + x + `}}`, xs[:2], `column "member" of X is not usable`},
		{`{"tables":{` + x + `},"ignore":["nobody"]}`, xs, "nobody"},
		{`{"tables":{"X":{"columns":[]}}}`, nil, "no columns"},
		{`{"tables":{` + x + `},"encoding":{"version":99}}`, xs, "encoding"},
	} {
		c.send(uint64(k+1), "encode", tt.args, tt.arrays...)
		if f := c.fails(uint64(k + 1)); f.Kind != kindInput || !strings.Contains(f.Text, tt.want) {
			t.Errorf("%s: got %+v, want %q", tt.args, f, tt.want)
		}
	}
}
