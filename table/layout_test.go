package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// randomCSV writes a table with quotes, newlines within them, blank lines and
// cells of all kinds.
func randomCSV(rng *rand.Rand, rows int) string {
	var b strings.Builder
	end := "\n"
	if rng.IntN(3) == 0 {
		end = "\r\n"
	}
	b.WriteString("a,name,b" + end)
	for i := range rows {
		word := fmt.Sprintf("w%d", rng.IntN(5))
		switch rng.IntN(6) {
		case 0:
			word = fmt.Sprintf("\"x,%d\nnext \"\"line\"\"\n\n\"", rng.IntN(3))
		case 1:
			word = `5" wide`
		case 2:
			word = `  "q"  `
		}
		number := fmt.Sprint(float64(rng.IntN(1000)) / 8)
		if rng.IntN(8) == 0 {
			number = `"` + number + `"`
		}
		fmt.Fprintf(&b, "%d,%s,%s", i, word, number)
		if i+1 < rows || rng.IntN(2) == 0 {
			b.WriteString(end)
		}
		if rng.IntN(10) == 0 && i+1 < rows {
			b.WriteString("  " + end)
		}
	}
	return b.String()
}

// ranges cuts text at newlines near every step bytes and settles where the
// records of each part are, as a job does.
func ranges(c Cutter, text []byte, step int) (parts [][2]int, rows, lines []int64) {
	open := false
	var row, line int64
	for at := 0; at < len(text); {
		end := min(at+step, len(text))
		if k := bytes.IndexByte(text[end:], '\n'); k >= 0 {
			end += k + 1
		} else {
			end = len(text)
		}
		n := c.Scan(text[at:end], open)
		if n.Records > 0 {
			if k := len(parts); k > 0 {
				parts[k-1][1] = at + int(n.First)
			}
			parts = append(parts, [2]int{at + int(n.First), len(text)})
			rows, lines = append(rows, row), append(lines, line+n.Before)
		}
		row, line, open, at = row+n.Records, line+n.Lines, n.Open, end
	}
	return parts, rows, lines
}

// TestLayoutParts reads tables in parts of any size: the rows are those of Open.
func TestLayoutParts(t *testing.T) {
	for trial := range 150 {
		rng := rand.New(rand.NewPCG(uint64(trial), 3))
		text := []byte(randomCSV(rng, 1+rng.IntN(60)))
		path := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		l, err := FindLayout(path, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		parts, rows, lines := ranges(l.Cutter(), text[l.Skip:], 1+rng.IntN(200))
		got := 0
		for k, p := range parts {
			if int64(got) != rows[k] {
				t.Fatalf("trial %d: part %d begins with row %d, counted %d", trial, k, got, rows[k])
			}
			if want, have := l.Lines+bytes.Count(text[l.Skip:int(l.Skip)+p[0]], newline), l.Lines+int(lines[k]); want != have {
				t.Fatalf("trial %d: part %d begins in line %d, counted %d", trial, k, want, have)
			}
			body := text[l.Skip:][p[0]:p[1]]
			pieces := l.Cutter().Pieces(body, 1+rng.IntN(100))
			if !bytes.Equal(bytes.Join(pieces, nil), body) {
				t.Fatalf("trial %d: pieces lose bytes", trial)
			}
			for _, piece := range pieces {
				part, err := l.Parse(path, piece, 1)
				if err != nil {
					t.Fatalf("trial %d: %v", trial, err)
				}
				for i := range part.Rows {
					for j := range part.Columns {
						if a, b := part.Columns[j].Text(i), want.Columns[j].Text(got); a != b {
							t.Fatalf("trial %d: row %d column %d is %q, want %q", trial, got, j, a, b)
						}
					}
					got++
				}
			}
		}
		if got != want.Rows {
			t.Fatalf("trial %d: %d rows, want %d\n%s", trial, got, want.Rows, text)
		}
	}
}

func TestLayoutJSON(t *testing.T) {
	text := []byte("{\"x\": 1, \"w\": \"a \\\"b\"}\n\n{\"x\": 2.5}\n{\"w\": \"c\", \"x\": null}")
	l, err := FindLayout("t.jsonl", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := l.Cutter().Scan(text, false); n.Records != 3 || n.Lines != 3 || n.Open {
		t.Errorf("got %+v, want 3 records", n)
	}
	part, err := l.Parse("t.jsonl", text[bytes.IndexByte(text, '\n')+2:], 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := part.Columns[0].Texts(); !reflect.DeepEqual(got, []string{"2.5", ""}) {
		t.Errorf("got %q", got)
	}
	if _, err := l.Parse("t.jsonl", []byte("{\"x\": 1}\n{\"x\": }\n"), 17); err == nil || !strings.Contains(err.Error(), "t.jsonl:18") {
		t.Errorf("error %v, want one about line 18", err)
	}
}

func TestLayoutDiffers(t *testing.T) {
	first, err := FindLayout("a.csv", []byte("x,y\n1,2\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"x,y\n3,4\n":     "",
		"x,y\na,b\n":     "",
		"y,x\n3,4\n":     `has "y" as column 1, not "x"`,
		"x,y,z\n3,4,5\n": "has 3 columns, not 2",
		"3,4\n":          "has no header",
		"x;y\n3;4\n":     "separates cells by ';', not by ','",
	} {
		l, err := FindLayout("b.csv", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := first.Differs(l); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if _, err := FindLayout("c.csv", []byte("\xFF\xFEx\x00"), nil); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16: error %v", err)
	}
}

// TestParquetGroups reads a file group by group, and some columns of it.
func TestParquetGroups(t *testing.T) {
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatalf("no Parquet files to test with: %v", err)
	}
	for _, path := range files {
		want, err := Read(path, nil)
		if err != nil {
			continue // damaged ones are tested elsewhere
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at, size := bytes.NewReader(data), int64(len(data))
		rows, columns, err := ParquetGroups(path, at, size, nil)
		if err != nil {
			t.Fatal(err)
		}
		one := columns[len(columns)-1].Name
		row := 0
		for g := range rows {
			r, err := OpenGroups(path, at, size, g, g+1, func(name string) bool { return name == one }, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := int64(0)
			for {
				part, err := r.Next()
				if err != nil {
					break
				}
				if len(part.Columns) != 1 {
					t.Fatalf("%s: %d columns, want 1", path, len(part.Columns))
				}
				c := want.Columns[want.Find(one)]
				for i := range part.Rows {
					if a, b := part.Columns[0].Text(i), c.Text(row); a != b && c.Kind != Other {
						t.Fatalf("%s: row %d of %s is %q, want %q", path, row, one, a, b)
					}
					row++
				}
				got += int64(part.Rows)
			}
			if got != rows[g] {
				t.Fatalf("%s: group %d has %d rows, want %d", path, g, got, rows[g])
			}
		}
		if row != want.Rows {
			t.Fatalf("%s: %d rows in groups, want %d", path, row, want.Rows)
		}
	}
}
