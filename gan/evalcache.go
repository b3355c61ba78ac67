package gan

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"rot.example/rot/internal/openfile"
	"rot.example/rot/metrics"
	"rot.example/rot/runs"
)

// The file of the statistics of a reference: a mark, the SHA-256 of the rest,
// and as little-endian numbers the count of all vectors, their dimension, how
// many are kept, mean, covariance, and those vectors as float32.
const statisticsMark = "rot statistics 1\n"

// statisticsHead are the numbers that say how long the rest is.
type statisticsHead struct{ N, Dim, Rows uint64 }

// cachePath is the file for what key tells apart.
func cachePath(dir, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(dir, "reference-"+hex.EncodeToString(sum[:8])+".bin")
}

// write puts s into the cache.
func (s *statistics) write(path string) error {
	cov, err := s.moments.Covariance()
	if err != nil {
		return err
	}
	dim := s.moments.Dim()
	full := make([]float64, 0, dim*dim)
	for i := range dim {
		for j := range dim {
			full = append(full, cov.At(i, j))
		}
	}
	var body bytes.Buffer
	for _, part := range []any{
		statisticsHead{uint64(s.moments.Len()), uint64(dim), uint64(s.vectors.Len())}, s.moments.Mean(), full, s.vectors.Values,
	} {
		if err := binary.Write(&body, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	sum := sha256.Sum256(body.Bytes())
	return runs.WriteFile(path, func(w io.Writer) error {
		for _, part := range [][]byte{[]byte(statisticsMark), sum[:], body.Bytes()} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// readStatistics reads what write wrote, nil where there is nothing or it is
// damaged.
func readStatistics(path string, dim int) *statistics {
	file, err := openfile.Read(path, 1<<30)
	if err != nil {
		return nil
	}
	rest, ok := bytes.CutPrefix(file, []byte(statisticsMark))
	if !ok || len(rest) < sha256.Size {
		return nil
	}
	body := rest[sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(rest) {
		return nil
	}
	in := bytes.NewReader(body)
	var head statisticsHead
	if binary.Read(in, binary.LittleEndian, &head) != nil || head.Dim != uint64(dim) || head.Rows > head.N {
		return nil
	}
	// No more memory than the file has bytes.
	if head.Rows > uint64(len(body)) || in.Len() != 8*dim*(1+dim)+4*int(head.Rows)*dim {
		return nil
	}
	mean, cov, vectors := make([]float64, dim), make([]float64, dim*dim), make([]float32, int(head.Rows)*dim)
	for _, part := range []any{mean, cov, vectors} {
		if binary.Read(in, binary.LittleEndian, part) != nil {
			return nil
		}
	}
	m, err := metrics.NewMoments(int(head.N), mean, mat.NewSymDense(dim, cov))
	if err != nil {
		return nil
	}
	return &statistics{moments: *m, vectors: metrics.Vectors{Dim: dim, Values: vectors}}
}
