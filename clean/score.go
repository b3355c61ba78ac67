package clean

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
)

// A Block is some rows, their ids and, once it is done, the lines about them.
type Block struct {
	First  int       // number of the first row
	N      int       // how many there are
	Values []float64 // of the N rows, one after the other
	IDs    []string  // nil: their numbers
	Rows   []int     // their numbers from First on; nil: one after the other

	lines []byte
	p     []float64
	done  chan struct{}
}

// BlockRows is how many rows a block has at most.
const BlockRows = 2048

// A RowSource gives rows block by block; io.EOF is the end.
type RowSource interface{ Next() (*Block, error) }

// ScoreRows scores rows by a model, several blocks at once, writes them in order
// as CSV (row, id, score and p), and adds their p-values to tally. It returns
// how many there were. There are never more than a few blocks in memory.
func ScoreRows(ctx context.Context, w io.Writer, m *Model, rows RowSource, tally *Tally) (n int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *Block, workers), make(chan *Block, 2*workers)
	var readErr error
	go func() {
		defer close(order)
		defer close(work)
		for ctx.Err() == nil {
			b, err := rows.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					readErr = err
				}
				return
			}
			b.done = make(chan struct{})
			for _, to := range []chan *Block{order, work} {
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
		return 0, err
	}
	for b := range order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return n, ctx.Err()
		}
		if _, err := w.Write(b.lines); err != nil {
			return n, err
		}
		for _, p := range b.p {
			tally.Add(p)
		}
		n += b.N
	}
	if err := ctx.Err(); err != nil {
		return n, err
	}
	return n, readErr
}

func (b *Block) score(m *Model, s *Scorer) {
	b.p = make([]float64, b.N)
	for i := range b.N {
		score := s.Score(b.Values[i*m.Dim : (i+1)*m.Dim])
		b.p[i] = m.P(score)
		row := b.First + i
		if b.Rows != nil {
			row = b.First + b.Rows[i]
		}
		b.lines = strconv.AppendInt(b.lines, int64(row), 10)
		b.lines = append(b.lines, ',')
		if b.IDs != nil {
			b.lines = append(b.lines, csvField(b.IDs[i])...)
		} else {
			b.lines = strconv.AppendInt(b.lines, int64(row), 10)
		}
		b.lines = append(b.lines, ',')
		b.lines = strconv.AppendFloat(b.lines, score, 'g', 6, 64)
		b.lines = append(b.lines, ',')
		b.lines = strconv.AppendFloat(b.lines, b.p[i], 'g', -1, 64)
		b.lines = append(b.lines, '\n')
	}
	b.Values = nil
}

// csvField quotes what CSV has to quote.
func csvField(s string) string {
	if strings.ContainsAny(s, "\",\r\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// ListSuspects reads what ScoreRows wrote and lists the ids of the rows with a
// p-value up to cut, a line each.
func ListSuspects(ctx context.Context, w io.Writer, scores io.Reader, cut float64) error {
	r := csv.NewReader(bufio.NewReaderSize(scores, 1<<20))
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
		case len(line) != 4:
			return fmt.Errorf("clean: line %d of the scores has %d fields, want 4", k+1, len(line))
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
