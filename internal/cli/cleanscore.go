package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rot.example/rot/clean"
	"rot.example/rot/dataset"
	tab "rot.example/rot/table"
)

type scoreOptions struct {
	data, model, out, suspects string
	idColumn                   string
	fdr                        float64
	json                       bool
}

func newCleanScore(std IO) *cobra.Command {
	o := scoreOptions{out: "scores.csv"}
	cmd := &cobra.Command{
		Use:   "score NEW --model FILE",
		Short: "Score rows by a model, one by one",
		Long: `score gives every row of NEW a score by a model of rot clean fit, and a p-value:
how likely a row of the kind that the model was made from would score as high. A
row's score depends on the row and the model alone. Tables and standard input
stream by, so that their size does not matter; columns are found by name, and
become numbers as they did for the model.

--out has the columns row,id,score,p. --suspects lists the ids of rows whose
p-values stand out at a false discovery rate of --fdr among all rows of NEW.

With --json: n, suspects, fdr, p (the largest of a suspect), out, seconds,
rows_per_second.`,
		Example: `  rot clean score today.csv --model good.model --out scores.csv --suspects suspects.txt
  zcat huge.csv.gz | rot clean score - --model good.model --json`,
		Args: exactArgs("NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.data = args[0]
			switch {
			case o.model == "" || o.model == "-":
				return usagef("score needs --model FILE")
			case o.out == "" || o.out == "-":
				return usagef("--out needs a file, got %q", o.out)
			}
			return runCleanScore(cmd.Context(), std, o)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&o.model, "model", "", "`file` of rot clean fit")
	fs.StringVar(&o.out, "out", o.out, "CSV `file` for the scores")
	fs.StringVar(&o.suspects, "suspects", "", "`file` for the ids of the suspects")
	fs.Var(numberFlag{&o.fdr, ruleTol}, "fdr", fmt.Sprintf("part of the suspects that may be good rows (default %g)", clean.DefaultFDR))
	fs.StringVar(&o.idColumn, "id-column", "", "`column` that names the rows")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// A scoreJSON is what score --json prints; scripts rely on the names.
type scoreJSON struct {
	N        int     `json:"n"`
	Suspects int     `json:"suspects"`
	FDR      float64 `json:"fdr"`
	P        float64 `json:"p"`
	Out      string  `json:"out"`
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"rows_per_second"`
}

func runCleanScore(ctx context.Context, std IO, o scoreOptions) error {
	if o.fdr == 0 {
		o.fdr = clean.DefaultFDR
	}
	m, encoding, err := readModel(o.model)
	if err != nil {
		return err
	}
	var out outputs
	defer out.discard()
	inputs := append(dataset.SpecFiles(o.data), o.model)
	if err := errors.Join(out.add("--out", o.out, inputs), out.add("--suspects", o.suspects, inputs)); err != nil {
		return err
	}
	rows, err := openRows(ctx, std, &o, encoding)
	if err != nil {
		return err
	}
	defer rows.close()
	start := time.Now()
	var tally clean.Tally
	var read error // the file to write is not to blame for
	n := 0
	if err := out.stage(o.out, func(w io.Writer) error {
		n, read, err = scoreRows(ctx, w, m, rows, &tally)
		return errors.Join(read, err)
	}); read != nil {
		return errors.New(strings.ReplaceAll(read.Error(), tab.EncodingName, "the model "+o.model))
	} else if err != nil {
		return err
	}
	for _, note := range rows.notes() {
		fmt.Fprintf(std.Err, "rot: %s: %s\n", o.data, note)
	}
	p, suspects := tally.Cut(o.fdr)
	if o.suspects != "" {
		if err := out.stage(o.suspects, func(w io.Writer) error { return listSuspects(ctx, w, out.staged(o.out), p, suspects) }); err != nil {
			return err
		}
	}
	if err := out.commit(ctx); err != nil {
		return err
	}
	taken := time.Since(start).Seconds()
	if o.json {
		return std.printJSON(&scoreJSON{n, suspects, o.fdr, p, o.out, taken, float64(n) / taken})
	}
	text := fmt.Sprintf("%s: %s scored in %s. Suspects: %d at a false discovery rate of %s.\nWrote %s.\n", o.data, plural(n, "row"), seconds(taken), suspects, percent(o.fdr), o.out)
	return std.print([]byte(text))
}

// staged is where the finished file for path lies before it is put in place.
func (o *outputs) staged(path string) string {
	for _, f := range o.files {
		if f.path == path {
			return f.staged
		}
	}
	return ""
}

// A rowBlock is some rows, their ids and, once it is done, the lines about them.
type rowBlock struct {
	first  int
	values []float64
	ids    []string // nil: their numbers
	rows   []int    // their numbers from first on; nil: one after the other
	n      int
	lines  []byte
	p      []float64
	done   chan struct{}
}

const blockRows = 2048

// scoreRows scores blocks of rows, several at once, and writes them in order.
// There are never more than a few blocks in memory. read is what went wrong with
// the rows, and err anything else.
func scoreRows(ctx context.Context, w io.Writer, m *clean.Model, rows rowSource, tally *clean.Tally) (n int, read, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *rowBlock, workers), make(chan *rowBlock, 2*workers)
	var readErr error
	go func() {
		defer close(order)
		defer close(work)
		for ctx.Err() == nil {
			b, err := rows.next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					readErr = err
				}
				return
			}
			b.done = make(chan struct{})
			for _, to := range []chan *rowBlock{order, work} {
				select {
				case to <- b:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	for range workers {
		go func() {
			s := m.NewScorer()
			for b := range work {
				b.score(m, s)
				close(b.done)
			}
		}()
	}
	if _, err := io.WriteString(w, "row,id,score,p\n"); err != nil {
		return 0, nil, err
	}
	for b := range order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return n, nil, ctx.Err()
		}
		if _, err := w.Write(b.lines); err != nil {
			return n, nil, err
		}
		for _, p := range b.p {
			tally.Add(p)
		}
		n += b.n
	}
	if err := ctx.Err(); err != nil {
		return n, nil, err
	}
	return n, readErr, nil
}

func (b *rowBlock) score(m *clean.Model, s *clean.Scorer) {
	b.p = make([]float64, b.n)
	for i := range b.n {
		score := s.Score(b.values[i*m.Dim : (i+1)*m.Dim])
		b.p[i] = m.P(score)
		row := b.first + i
		if b.rows != nil {
			row = b.first + b.rows[i]
		}
		b.lines = strconv.AppendInt(b.lines, int64(row), 10)
		b.lines = append(b.lines, ',')
		if b.ids != nil {
			b.lines = append(b.lines, csvField(b.ids[i])...)
		} else {
			b.lines = strconv.AppendInt(b.lines, int64(row), 10)
		}
		b.lines = append(b.lines, ',')
		b.lines = strconv.AppendFloat(b.lines, score, 'g', 6, 64)
		b.lines = append(b.lines, ',')
		b.lines = strconv.AppendFloat(b.lines, b.p[i], 'g', -1, 64)
		b.lines = append(b.lines, '\n')
	}
	b.values = nil
}

// csvField quotes what CSV has to quote.
func csvField(s string) string {
	if strings.ContainsAny(s, "\",\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// listSuspects reads the scores again and lists the ids up to the cut.
func listSuspects(ctx context.Context, w io.Writer, scores string, cut float64, suspects int) error {
	if suspects == 0 {
		return nil
	}
	f, err := os.Open(scores)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	r.ReuseRecord = true
	for k := 0; ; k++ {
		line, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case k == 0:
			continue
		case k&0xffff == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
		p, err := strconv.ParseFloat(line[3], 64)
		if err != nil {
			return err
		}
		if p <= cut {
			if _, err := io.WriteString(w, csvField(line[1])+"\n"); err != nil {
				return err
			}
		}
	}
}
