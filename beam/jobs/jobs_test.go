package jobs

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/parquet-go/parquet-go"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/shards"
	"rot.example/rot/internal/cli"
	"rot.example/rot/table"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.LogLevel = "error"
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil && !testing.Verbose() {
		os.Stderr = null // Beam tells every failure that a test provokes, at length
	}
	beam.Init()
	os.Exit(m.Run())
}

// rot runs a command of rot.
func rot(t *testing.T, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(args, cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("rot %s: %d: %s", strings.Join(args, " "), code, errs.String())
	}
}

// A record is a row of the tables in these tests.
type record struct {
	ID     string  `parquet:"id" json:"id"`
	A      float64 `parquet:"a" json:"a"`
	B      float64 `parquet:"b" json:"b"`
	Colour string  `parquet:"colour" json:"colour"`
}

func records(seed uint64, n int, dirt float64) []record {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]record, n)
	for i := range out {
		r := record{fmt.Sprintf("r%d", i), math.Round(1e4*rng.NormFloat64()) / 1e4, math.Round(1e4*rng.NormFloat64()) / 1e4, []string{"red", "green", "blue"}[rng.IntN(3)]}
		if rng.Float64() < dirt {
			r.A += 30
		}
		if rng.IntN(50) == 0 {
			r.ID = fmt.Sprintf("a \"b\", %d\nand more", i)
		}
		out[i] = r
	}
	return out
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func csvText(rows []record, blanks bool) string {
	var b strings.Builder
	b.WriteString("id,a,b,colour\n")
	for i, r := range rows {
		id := r.ID
		if strings.ContainsAny(id, "\",\n") {
			id = quoted(id)
		}
		fmt.Fprintf(&b, "%s,%v,%v,%s\n", id, r.A, r.B, r.Colour)
		if blanks && i%17 == 3 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func jsonText(rows []record) string {
	var b strings.Builder
	for _, r := range rows {
		line, _ := json.Marshal(r)
		b.Write(append(line, '\n'))
	}
	return b.String()
}

func write(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func parquetBytes(t *testing.T, rows []record, group int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[record](&b)
	for len(rows) > 0 {
		n := min(group, len(rows))
		if _, err := w.Write(rows[:n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		rows = rows[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shardFiles writes rows in shards of a format and returns their pattern, and
// the file that they would be in one piece.
func shardFiles(t *testing.T, dir, format string, rows []record) (pattern, whole string) {
	t.Helper()
	cuts := []int{0, len(rows) / 5, len(rows)/5 + 1, len(rows) / 2, len(rows)}
	all := ""
	for k := range 4 {
		part := rows[cuts[k]:cuts[k+1]]
		name := filepath.Join(dir, fmt.Sprintf("part-%d-of-4.%s", k+1, format))
		switch format {
		case "csv", "csv.gz":
			text := csvText(part, k == 3)
			if k == 0 {
				all = text
			} else {
				all += strings.TrimPrefix(text, "id,a,b,colour\n")
			}
			if format == "csv" {
				write(t, name, []byte(text))
			} else {
				write(t, name, packed(t, text))
			}
			whole = filepath.Join(dir, "whole.csv")
		case "jsonl":
			all += jsonText(part)
			write(t, name, []byte(jsonText(part)))
			whole = filepath.Join(dir, "whole.jsonl")
		case "parquet":
			write(t, name, parquetBytes(t, part, 100))
			whole = filepath.Join(dir, "whole.parquet")
		}
	}
	if format == "parquet" {
		all = string(parquetBytes(t, rows, 1000))
	}
	return filepath.Join(dir, "part-*."+format), write(t, whole, []byte(all))
}

// joined is the lines of all parts without their headers.
func joined(t *testing.T, pattern string, header bool) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if header {
			_, rest, _ := strings.Cut(string(text), "\n")
			text = []byte(rest)
		}
		b.Write(text)
	}
	return b.String()
}

// TestCleanIsRot fits and scores shards of every format, cut into blocks of any
// size, on Prism and in goroutines: model, scores and suspects are, byte for
// byte, those of rot on the whole file.
func TestCleanIsRot(t *testing.T) {
	good, fresh := records(1, 600, 0), records(2, 900, 0.02)
	for _, format := range []string{"csv", "csv.gz", "jsonl", "parquet"} {
		t.Run(format, func(t *testing.T) {
			dir := t.TempDir()
			goodShards, goodWhole := shardFiles(t, filepath.Join(dir, "good"), format, good)
			freshShards, freshWhole := shardFiles(t, filepath.Join(dir, "new"), format, fresh)
			model := filepath.Join(dir, "rot.model")
			rot(t, "clean", "fit", goodWhole, "--model", model)
			rot(t, "clean", "score", freshWhole, "--model", model, "--out", filepath.Join(dir, "scores.csv"), "--suspects", filepath.Join(dir, "suspects.txt"))
			wantScores, wantSuspects := joined(t, filepath.Join(dir, "scores.csv"), true), joined(t, filepath.Join(dir, "suspects.txt"), false)
			if wantSuspects == "" {
				t.Fatal("the test has no suspects")
			}
			var manifest []byte
			for k, size := range []int64{700, 5000, 1 << 20} {
				job := &engine.Job{Runner: []string{"", engine.Plain}[k%2], Temp: t.TempDir()}
				opts := shards.Options{Block: size}
				own := filepath.Join(dir, fmt.Sprint("own.model", size))
				if _, err := Fit(t.Context(), job, []string{goodShards}, &FitOptions{Model: own, Shards: opts, Table: TableOptions{Missing: table.MissingIndicator}}); err != nil {
					t.Fatal(err)
				}
				if a, b := joined(t, model, false), joined(t, own, false); a != b {
					t.Errorf("blocks of %d bytes: another model", size)
				}
				out := filepath.Join(dir, fmt.Sprint("out", size))
				r, err := Score(t.Context(), job, []string{freshShards}, &ScoreOptions{Model: own, Out: out, Shards: opts})
				if err != nil {
					t.Fatal(err)
				}
				if got := joined(t, out+"/scores/*.csv", true); got != wantScores {
					t.Errorf("blocks of %d bytes: other scores", size)
				}
				if got := joined(t, out+"/suspects/*.txt", false); got != wantSuspects {
					t.Errorf("blocks of %d bytes: other suspects", size)
				}
				if len(r.Top) != topRows || len(r.Top[0].Causes) == 0 || r.Top[0].Causes[0].Column != "a" {
					t.Errorf("the first suspect is %+v", r.Top[0])
				}
				page, err := os.ReadFile(filepath.Join(out, "report.html"))
				if err != nil || !bytes.Contains(page, []byte("deviations above the median")) {
					t.Errorf("the page gives no reasons: %v", err)
				}
				// All but the list of files is the same for any cut.
				r.Scores, r.Lists = nil, nil
				text, _ := json.Marshal(r)
				if manifest == nil {
					manifest = text
				} else if !bytes.Equal(manifest, text) {
					t.Errorf("blocks of %d bytes: another summary", size)
				}
			}
		})
	}
}

// TestGoesOn stops a job half-way and starts it again: blocks that are done are
// not done again, and the bytes are those of a job that was not stopped.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	pattern, _ := shardFiles(t, filepath.Join(dir, "in"), "csv", records(3, 3000, 0.02))
	model := filepath.Join(dir, "m")
	rot(t, "clean", "fit", write(t, filepath.Join(dir, "good.csv"), []byte(csvText(records(1, 600, 0), false))), "--model", model)
	job := &engine.Job{Runner: engine.Plain, Temp: t.TempDir()}
	o := &ScoreOptions{Model: model, Out: filepath.Join(dir, "once"), Shards: shards.Options{Block: 1000}}
	if _, err := Score(t.Context(), job, []string{pattern}, o); err != nil {
		t.Fatal(err)
	}
	o.Out = filepath.Join(dir, "twice")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if marks, _ := filepath.Glob(filepath.Join(o.Out, "work/scores/*")); len(marks) >= 5 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := Score(ctx, job, []string{pattern}, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that it was cancelled", err)
	}
	done, _ := filepath.Glob(filepath.Join(o.Out, "scores/*.csv"))
	marks, _ := filepath.Glob(filepath.Join(o.Out, "work/scores/*"))
	if len(marks) < 5 {
		t.Fatalf("%d blocks done", len(marks))
	}
	before, err := os.Stat(done[0])
	if err != nil {
		t.Fatal(err)
	}
	other := *o
	other.FDR = 0.3
	if _, err := Score(t.Context(), job, []string{pattern}, &other); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("another job in the folder: error %v", err)
	}
	if _, err := Score(t.Context(), job, []string{pattern}, o); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(done[0]); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Error("a block that was done was done again")
	}
	for _, sub := range []string{"scores/*.csv", "suspects/*.txt", "manifest.json", "report.html"} {
		if a, b := joined(t, filepath.Join(dir, "once", sub), false), joined(t, filepath.Join(dir, "twice", sub), false); a != b || a == "" {
			t.Errorf("%s differs", sub)
		}
	}
	if _, err := Score(t.Context(), job, []string{pattern}, o); err == nil || !strings.Contains(err.Error(), "finished result") {
		t.Errorf("a finished folder: error %v", err)
	}
}

// TestBadInput breaks shards in every way: the error says where, and nothing is
// left behind.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	rows := records(4, 400, 0)
	for i := range rows {
		rows[i].ID = fmt.Sprint(i)
	}
	model := filepath.Join(dir, "m")
	rot(t, "clean", "fit", write(t, filepath.Join(dir, "good.csv"), []byte(csvText(rows, false))), "--model", model, "--missing", "error")
	text := csvText(rows[:100], false)
	lines := strings.SplitAfter(text, "\n")
	edit := func(line int, with string) string {
		l := append([]string(nil), lines...)
		l[line-1] = with + "\n"
		return strings.Join(l, "")
	}
	for _, tt := range []struct {
		name, second, want string
		file               string
	}{
		{name: "ragged", second: edit(57, "1,2"), want: "b.csv:57: the line has 2 fields"},
		{name: "cell", second: edit(57, "1,oops,3,red"), want: `b.csv: column "a" holds numbers, but one cell is not: "oops" in line 57`},
		{name: "quote", second: edit(57, `1,"2,3,red`), want: "b.csv:57: a quote opens here and is never closed"},
		{name: "other columns", second: "id,a,c,colour\n1,2,3,red\n", want: `b.csv: has "c" as column 3, not "b"`},
		{name: "order", second: "id,b,a,colour\n1,2,3,red\n", want: `has "b" as column 2, not "a"`},
		{name: "empty", second: "", want: "b.csv: the shard is empty"},
		{name: "no rows", second: "id,a,b,colour\n", want: "b.csv: the shard has no rows"},
		{name: "binary", second: "\x00\x01\x02\x03", want: "b.csv: is not text"},
		{name: "format", second: "{}", file: "b.jsonl", want: "b.jsonl: is jsonl by its name, and"},
		{name: "missing shard", second: text, file: "b-00001-of-00003.csv", want: "shards are missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			first := "a.csv"
			file := tt.file
			if file == "" {
				file = "b.csv"
			}
			if tt.name == "missing shard" {
				first = "b-00000-of-00003.csv"
			}
			write(t, filepath.Join(dir, "in", first), []byte(text))
			write(t, filepath.Join(dir, "in", file), []byte(tt.second))
			for _, runner := range []string{"", engine.Plain} {
				out := filepath.Join(dir, "out")
				_, err := Score(t.Context(), &engine.Job{Runner: runner, Temp: t.TempDir()}, []string{filepath.Join(dir, "in", "*")}, &ScoreOptions{Model: model, Out: out, Shards: shards.Options{Block: 1000}})
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("runner %q: error %v, want %q", runner, err, tt.want)
				}
				if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("runner %q: the folder was left behind", runner)
				}
			}
		})
	}
	t.Run("renamed key", func(t *testing.T) {
		in := t.TempDir()
		write(t, filepath.Join(in, "a.jsonl"), []byte(jsonText(rows[:50])))
		write(t, filepath.Join(in, "b.jsonl"), []byte(strings.ReplaceAll(jsonText(rows[50:]), `"b":`, `"c":`)))
		_, err := Score(t.Context(), &engine.Job{Runner: engine.Plain}, []string{filepath.Join(in, "*")}, &ScoreOptions{Model: model, Out: filepath.Join(dir, "o")})
		if err == nil || !strings.Contains(err.Error(), `b.jsonl: has no column "b", and has a column "c", unlike`) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("parquet without rows", func(t *testing.T) {
		in := t.TempDir()
		write(t, filepath.Join(in, "a.parquet"), parquetBytes(t, rows[:50], 50))
		write(t, filepath.Join(in, "b.parquet"), parquetBytes(t, nil, 50))
		_, err := Score(t.Context(), &engine.Job{Runner: engine.Plain}, []string{filepath.Join(in, "*")}, &ScoreOptions{Model: model, Out: filepath.Join(dir, "o")})
		if err == nil || !strings.Contains(err.Error(), "b.parquet: the Parquet file has no rows") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("folder in use", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		write(t, filepath.Join(out, "mine.txt"), []byte("x"))
		_, err := Score(t.Context(), &engine.Job{Runner: engine.Plain}, []string{filepath.Join(dir, "good.csv")}, &ScoreOptions{Model: model, Out: out})
		if err == nil || !strings.Contains(err.Error(), "in use: it holds mine.txt") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no such file", func(t *testing.T) {
		_, err := Score(t.Context(), &engine.Job{Runner: engine.Plain}, []string{filepath.Join(dir, "none*.csv")}, &ScoreOptions{Model: model, Out: filepath.Join(dir, "o")})
		if err == nil || !strings.Contains(err.Error(), "there is no such file") {
			t.Errorf("error %v", err)
		}
	})
}

// TestSkipBad leaves out bad rows, up to a number, and keeps the others' numbers.
func TestSkipBad(t *testing.T) {
	dir := t.TempDir()
	rows := records(5, 300, 0)
	for i := range rows {
		rows[i].ID = fmt.Sprint("n", i)
	}
	text := csvText(rows, false)
	whole := write(t, filepath.Join(dir, "whole.csv"), []byte(text))
	model := filepath.Join(dir, "m")
	rot(t, "clean", "fit", whole, "--model", model, "--missing", "error")
	rot(t, "clean", "score", whole, "--model", model, "--out", filepath.Join(dir, "scores.csv"))
	lines := strings.SplitAfter(text, "\n")
	lines[100] = "n99,1\n"
	lines[200] = "n199,x,2,red\n"
	pattern := write(t, filepath.Join(dir, "bad.csv"), []byte(strings.Join(lines, "")))
	var want strings.Builder
	for _, l := range strings.SplitAfter(joined(t, filepath.Join(dir, "scores.csv"), true), "\n") {
		if !strings.HasPrefix(l, "99,") && !strings.HasPrefix(l, "199,") {
			want.WriteString(l)
		}
	}
	for _, size := range []int64{500, 1 << 20} {
		out := filepath.Join(dir, fmt.Sprint("out", size))
		o := &ScoreOptions{Model: model, Out: out, SkipBad: 2, Shards: shards.Options{Block: size}}
		r, err := Score(t.Context(), &engine.Job{Temp: t.TempDir()}, []string{pattern}, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := joined(t, out+"/scores/*.csv", true); got != want.String() || r.Bad != 2 || r.Rows != 298 {
			t.Errorf("blocks of %d bytes: %d bad, %d rows, or other scores", size, r.Bad, r.Rows)
		}
		bad := joined(t, out+"/bad/*.csv", true)
		if !strings.Contains(bad, `bad.csv,101,99,`) || !strings.Contains(bad, `"n199,x,2,red"`) {
			t.Errorf("bad rows: %s", bad)
		}
		o.SkipBad, o.Out = 1, out+"less"
		if _, err := Score(t.Context(), &engine.Job{Temp: t.TempDir()}, []string{pattern}, o); err == nil || !strings.Contains(err.Error(), "bad rows") {
			t.Errorf("one bad row too many: error %v", err)
		}
		if _, err := os.Stat(o.Out); !errors.Is(err, os.ErrNotExist) {
			t.Error("the folder was left behind")
		}
	}
}

// TestFitSample fits more rows than are drawn: the model is the same for any cut
// and knows all rows.
func TestFitSample(t *testing.T) {
	dir := t.TempDir()
	pattern, _ := shardFiles(t, filepath.Join(dir, "in"), "csv", records(6, 2000, 0.01))
	var first string
	for _, size := range []int64{800, 30000} {
		model := filepath.Join(dir, fmt.Sprint("m", size))
		r, err := Fit(t.Context(), &engine.Job{Runner: engine.Plain}, []string{pattern}, &FitOptions{Model: model, Sample: 500, Shards: shards.Options{Block: size}, Table: TableOptions{Missing: table.MissingIndicator, Scale: table.ScaleRobust}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Drawn != 500 || r.Rows != 2000 {
			t.Errorf("%d drawn of %d", r.Drawn, r.Rows)
		}
		text := joined(t, model, false)
		if first == "" {
			first = text
		} else if text != first {
			t.Error("another cut gives another model")
		}
	}
}
