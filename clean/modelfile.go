package clean

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// A model file is a safetensors file: eight bytes with the length of a JSON
// header, lowest byte first, the header, and the numbers, all of them F64 with
// the lowest byte first. The header names each array with its shape and the
// bytes that it takes; under __metadata__ it has
//
//	format    rot-clean-model
//	version   1
//	sha256    of the numbers, in hexadecimal
//	model     dim, rows, core, unscaled and seed, as JSON
//	encoding  what made rows of the data; of no meaning here
//
// and the arrays are
//
//	unit, centre, scale   of each column: a value v becomes (v/unit − centre)/scale,
//	                      and beyond ±20 it goes on like 20·(1 + log(v/20));
//	                      scale 0 is a column that says nothing
//	usual                 of each column: median and deviation, for causes
//	rounds                of each set of points: 0 coarse or 1 fine, how many of the
//	                      nearest count, middle and unit of the mean distance
//	ranges                middle and unit of the coarse mean, of the fine one, and of
//	                      half of the one plus half of the other: that is the score
//	held                  scores of rows held back, ascending
//	points0, points1, …   the sets of points, in columns whose scale is not 0
const (
	modelFormat  = "rot-clean-model"
	modelVersion = 1
)

// ErrModel is wrapped by what is wrong with a model file.
var ErrModel = errors.New("bad model file")

type modelInfo struct {
	Dim      int    `json:"dim"`
	Rows     int    `json:"rows"`
	Core     int    `json:"core"`
	Unscaled bool   `json:"unscaled"`
	Seed     uint64 `json:"seed"`
}

type tensor struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// Write writes m with an encoding, which may be nil and is returned by ReadModel
// as it is.
func (m *Model) Write(w io.Writer, encoding []byte) error {
	header := make(map[string]any)
	var data bytes.Buffer
	add := func(name string, shape []int, values []float64) {
		start := data.Len()
		var b [8]byte
		for _, v := range values {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			data.Write(b[:])
		}
		header[name] = tensor{"F64", shape, [2]int{start, data.Len()}}
	}
	d := m.Dim
	add("unit", []int{d}, m.scaler.unit)
	add("centre", []int{d}, m.scaler.centre)
	add("scale", []int{d}, m.scaler.scale)
	var usual, rounds []float64
	for _, c := range m.usual {
		usual = append(usual, c.median, c.deviation)
	}
	add("usual", []int{d, 2}, usual)
	for k, r := range m.rounds {
		rounds = append(rounds, float64(r.part), float64(r.near), r.unit.middle, r.unit.unit)
		add("points"+strconv.Itoa(k), []int{r.points.n, r.points.d}, r.points.v)
	}
	add("rounds", []int{len(m.rounds), 4}, rounds)
	add("ranges", []int{3, 2}, []float64{m.ranges[0].middle, m.ranges[0].unit, m.ranges[1].middle, m.ranges[1].unit, m.total.middle, m.total.unit})
	add("held", []int{len(m.held)}, m.held)
	info, err := json.Marshal(modelInfo{m.Dim, m.Rows, m.Core, m.Unscaled, m.Seed})
	if err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	sum := sha256.Sum256(data.Bytes())
	header["__metadata__"] = map[string]string{
		"format": modelFormat, "version": strconv.Itoa(modelVersion), "sha256": hex.EncodeToString(sum[:]), "model": string(info), "encoding": string(encoding),
	}
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("clean: %w", err)
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	for _, part := range [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data.Bytes()} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("clean: %w", err)
		}
	}
	return nil
}

// maxModel is the largest file that ReadModel takes, in bytes.
const maxModel = 1 << 30

// ReadModel reads what Write wrote. What is wrong with the file is an error that
// wraps ErrModel.
func ReadModel(r io.Reader) (m *Model, encoding []byte, err error) {
	bad := func(format string, args ...any) (*Model, []byte, error) {
		return nil, nil, fmt.Errorf("clean: %s: %w", fmt.Sprintf(format, args...), ErrModel)
	}
	all, err := io.ReadAll(io.LimitReader(r, maxModel+1))
	if err != nil {
		return nil, nil, fmt.Errorf("clean: %w", err)
	}
	if len(all) < 8 || len(all) > maxModel {
		return bad("%d bytes", len(all))
	}
	length := binary.LittleEndian.Uint64(all)
	if length > uint64(len(all)-8) {
		return bad("a header of %d bytes in a file of %d", length, len(all))
	}
	text, data := all[8:8+length], all[8+length:]
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return bad("the header is not JSON")
	}
	var meta map[string]string
	if err := json.Unmarshal(parts["__metadata__"], &meta); err != nil || meta["format"] != modelFormat {
		return bad("it is not a model of rows")
	}
	if meta["version"] != strconv.Itoa(modelVersion) {
		return bad("version %q, want %d", meta["version"], modelVersion)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != meta["sha256"] {
		return bad("the checksum does not fit: the file is damaged")
	}
	var info modelInfo
	if err := json.Unmarshal([]byte(meta["model"]), &info); err != nil || info.Dim < 1 {
		return bad("no description of the model")
	}
	m = &Model{Dim: info.Dim, Rows: info.Rows, Core: info.Core, Unscaled: info.Unscaled, Seed: info.Seed}
	if err := m.fill(parts, data); err != nil {
		return bad("%v", err)
	}
	return m, []byte(meta["encoding"]), nil
}

// fill reads the arrays.
func (m *Model) fill(parts map[string]json.RawMessage, data []byte) error {
	get := func(name string, columns int) ([]float64, error) {
		var t tensor
		if err := json.Unmarshal(parts[name], &t); err != nil {
			return nil, fmt.Errorf("no array %s", name)
		}
		size := 8
		for _, n := range t.Shape {
			if n < 0 || n > len(data) || size > len(data) {
				return nil, fmt.Errorf("array %s has the shape %v", name, t.Shape)
			}
			size *= n
		}
		lo, hi := t.Offsets[0], t.Offsets[1]
		if t.DType != "F64" || lo < 0 || hi > len(data) || hi-lo != size || columns > 0 && (len(t.Shape) != 2 || t.Shape[1] != columns) {
			return nil, fmt.Errorf("array %s has the shape %v", name, t.Shape)
		}
		out := make([]float64, size/8)
		for k := range out {
			out[k] = math.Float64frombits(binary.LittleEndian.Uint64(data[lo+8*k:]))
			if math.IsNaN(out[k]) || math.IsInf(out[k], 0) {
				return nil, fmt.Errorf("array %s holds %v", name, out[k])
			}
		}
		return out, nil
	}
	m.scaler = &scaler{}
	for _, a := range []struct {
		name string
		to   *[]float64
	}{{"unit", &m.scaler.unit}, {"centre", &m.scaler.centre}, {"scale", &m.scaler.scale}} {
		v, err := get(a.name, 0)
		if err != nil {
			return err
		}
		if len(v) != m.Dim {
			return fmt.Errorf("array %s has %d numbers for %d columns", a.name, len(v), m.Dim)
		}
		*a.to = v
	}
	m.columns = m.scaler.kept()
	usual, err := get("usual", 2)
	if err != nil || len(usual) != 2*m.Dim {
		return errors.Join(err, errors.New("array usual"))
	}
	for j := range m.Dim {
		m.usual = append(m.usual, column{usual[2*j], usual[2*j+1]})
	}
	rounds, err := get("rounds", 4)
	if err != nil {
		return err
	}
	for k := 0; 4*k < len(rounds); k++ {
		r := modelRound{part: int(rounds[4*k]), near: int(rounds[4*k+1]), unit: standardized{rounds[4*k+2], rounds[4*k+3]}}
		v, err := get("points"+strconv.Itoa(k), len(m.columns))
		if err != nil && len(m.columns) > 0 {
			return err
		}
		r.points = &rows{d: len(m.columns), v: v}
		if r.points.d > 0 {
			r.points.n = len(v) / r.points.d
		}
		if r.part < 0 || r.part > 1 || r.near < 1 || r.near > max(coarseNear, fineNear) || len(m.columns) > 0 && r.near > r.points.n {
			return fmt.Errorf("round %d is impossible", k)
		}
		m.rounds = append(m.rounds, r)
	}
	ranges, err := get("ranges", 2)
	if err != nil || len(ranges) != 6 {
		return errors.Join(err, errors.New("array ranges"))
	}
	m.ranges = [2]standardized{{ranges[0], ranges[1]}, {ranges[2], ranges[3]}}
	m.total = standardized{ranges[4], ranges[5]}
	if m.held, err = get("held", 0); err != nil {
		return err
	}
	if !slices.IsSorted(m.held) {
		return errors.New("array held is not in order")
	}
	m.setTail()
	return nil
}
