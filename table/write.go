package table

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A NumberColumn is a column to write: whole numbers or others.
type NumberColumn struct {
	Name   string
	Ints   []int64   // one of the two is nil
	Floats []float64 // finite
}

func (c *NumberColumn) len() int { return max(len(c.Ints), len(c.Floats)) }

// Writable lists the endings of names that WriteNumbers takes.
const Writable = ".csv, .npy, .npz, .parquet or .json"

// CanWrite reports whether WriteNumbers knows the ending of a name; none means
// CSV.
func CanWrite(path string) bool {
	switch extension(path) {
	case ".csv", ".npy", ".npz", ".parquet", ".json":
		return true
	}
	return false
}

// IsVector reports whether the format of path suits one column best: .npy.
func IsVector(path string) bool { return extension(path) == ".npy" }

// IsRagged reports whether the format of path takes columns of different
// lengths: .npz and .json.
func IsRagged(path string) bool { return extension(path) == ".npz" || extension(path) == ".json" }

func extension(path string) string {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	if k := strings.LastIndexByte(name, '.'); k > 0 {
		return strings.ToLower(name[k:])
	}
	return ".csv"
}

// WriteNumbers writes columns of equal length in the format that the ending of
// path asks for: .csv with a header; .npy, one column as a vector and several
// as a structured array; .npz, an array for each; .parquet; .json, an object
// with a list for each.
func WriteNumbers(w io.Writer, path string, columns []NumberColumn) error {
	for _, c := range columns {
		if c.len() != columns[0].len() && !IsRagged(path) {
			return fmt.Errorf("table: columns of %d and %d rows do not go into one %s file", columns[0].len(), c.len(), extension(path))
		}
	}
	switch extension(path) {
	case ".csv":
		return writeCSV(w, columns)
	case ".npy":
		return writeNPY(w, columns)
	case ".npz":
		return writeNPZ(w, columns)
	case ".parquet":
		return writeParquet(w, columns)
	case ".json":
		return writeJSON(w, columns)
	}
	return fmt.Errorf("table: %s: the name must end in %s", path, Writable)
}

func writeCSV(w io.Writer, columns []NumberColumn) error {
	b := bufio.NewWriter(w)
	var line []byte
	for j, c := range columns {
		if j > 0 {
			line = append(line, ',')
		}
		line = append(line, c.Name...)
	}
	line = append(line, '\n')
	for i := range columns[0].len() {
		for j := range columns {
			if j > 0 {
				line = append(line, ',')
			}
			line = columns[j].append(line, i)
		}
		line = append(line, '\n')
		if _, err := b.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	b.Write(line) // A header without rows; an error stays until Flush.
	return b.Flush()
}

func (c *NumberColumn) append(line []byte, i int) []byte {
	if c.Ints != nil {
		return strconv.AppendInt(line, c.Ints[i], 10)
	}
	return strconv.AppendFloat(line, c.Floats[i], 'g', -1, 64)
}

// bytes appends value i, little endian.
func (c *NumberColumn) bytes(b []byte, i int) []byte {
	if c.Ints != nil {
		return binary.LittleEndian.AppendUint64(b, uint64(c.Ints[i]))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(c.Floats[i]))
}

func (c *NumberColumn) descr() string {
	if c.Ints != nil {
		return "'<i8'"
	}
	return "'<f8'"
}

func writeNPY(w io.Writer, columns []NumberColumn) error {
	descr := columns[0].descr()
	if len(columns) > 1 {
		var parts []string
		for _, c := range columns {
			parts = append(parts, fmt.Sprintf("('%s', %s)", c.Name, c.descr()))
		}
		descr = "[" + strings.Join(parts, ", ") + "]"
	}
	b := bufio.NewWriter(w)
	if err := writeNPYHeader(b, descr, shapeText([]int{columns[0].len()})); err != nil {
		return err
	}
	var row []byte
	for i := range columns[0].len() {
		row = row[:0]
		for j := range columns {
			row = columns[j].bytes(row, i)
		}
		if _, err := b.Write(row); err != nil {
			return err
		}
	}
	return b.Flush()
}

// An Array is an array of floats or of bytes to write.
type Array struct {
	Name   string
	Shape  []int
	Floats []float64 // one of the two is nil
	Bytes  []uint8
}

// WriteArrays writes a NumPy archive.
func WriteArrays(w io.Writer, arrays []Array) error {
	z := zip.NewWriter(w)
	for _, a := range arrays {
		f, err := z.Create(a.Name + ".npy")
		if err != nil {
			return err
		}
		descr := "'<f8'"
		if a.Bytes != nil {
			descr = "'|u1'"
		}
		if err := writeNPYHeader(f, descr, shapeText(a.Shape)); err != nil {
			return err
		}
		if _, err := f.Write(a.Bytes); err != nil {
			return err
		}
		if err := binary.Write(f, binary.LittleEndian, a.Floats); err != nil {
			return err
		}
	}
	return z.Close()
}

func writeNPYHeader(w io.Writer, descr, shape string) error {
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape)
	// The data begin at a multiple of 64 bytes, and a newline ends the header.
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	text := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	_, err := w.Write(append(text, header...))
	return err
}

func writeNPZ(w io.Writer, columns []NumberColumn) error {
	z := zip.NewWriter(w)
	for j := range columns {
		f, err := z.Create(columns[j].Name + ".npy")
		if err != nil {
			return err
		}
		if err := writeNPY(f, columns[j:j+1]); err != nil {
			return err
		}
	}
	return z.Close()
}

func writeJSON(w io.Writer, columns []NumberColumn) error {
	var b bytes.Buffer
	b.WriteByte('{')
	for j, c := range columns {
		if j > 0 {
			b.WriteByte(',')
		}
		var list any = c.Floats
		if c.Ints != nil {
			list = c.Ints
		}
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%q:%s", c.Name, text)
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}
