package features

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"

	"rot.example/rot/dataset"
	"rot.example/rot/engine"
	"rot.example/rot/nn"
	"rot.example/rot/runs"
)

// classifierInfo is the metadata in the file of a Classifier.
type classifierInfo struct {
	Size     int      `json:"size"` // side of the images that it sees
	Classes  []string `json:"classes"`
	Accuracy float64  `json:"accuracy"`
	Sum      string   `json:"sha256"` // of the tensors: a damaged file would be a worse network
}

// infoKey is where the metadata of the file have it.
const infoKey = "rot_classifier"

// Save writes the network as a safetensors file that Open and OpenClassifier
// read. The file appears complete or not at all.
func (c *Classifier) Save(path string) error {
	err := runs.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(c.file)
		return err
	})
	if err != nil {
		return fmt.Errorf("features: %w", err)
	}
	return nil
}

// OpenClassifier reads a Classifier that was saved, to run on b. Where its
// accuracy does not matter, Open does the same.
func OpenClassifier(b *engine.Backend, path string) (*Classifier, error) {
	n, err := Open(b, path)
	if err != nil {
		return nil, err
	}
	if n.Name() != classifierName {
		return nil, fmt.Errorf("features: %s: is %s, not a classifier that was trained here", path, n.Name())
	}
	_, meta, err := runs.ReadSafetensors(path)
	if err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	c := &Classifier{Net: n}
	if err := json.Unmarshal([]byte(meta[infoKey]), &c.about); err != nil {
		return nil, fmt.Errorf("features: %s: %w", path, err)
	}
	if c.file, err = os.ReadFile(path); err != nil {
		return nil, fmt.Errorf("features: %w", err)
	}
	if hashBytes(c.file) != n.hash {
		return nil, fmt.Errorf("features: %s: has changed while it was read", path)
	}
	return c, nil
}

// isClassifier tells by the names of tensors.
func isClassifier(has map[string]bool) bool {
	return has[classifierPart+".conv0.weight"] && has[classifierPart+".fc.weight"]
}

// openedClassifier is the kind of the classifier in a file.
func openedClassifier(file []runs.Tensor, meta map[string]string) (*kind, error) {
	var about classifierInfo
	if err := json.Unmarshal([]byte(meta[infoKey]), &about); err != nil {
		return nil, fmt.Errorf("looks like a classifier, and its metadata do not say of what: %w", err)
	}
	if about.Size < minSide || about.Size > maxSide || len(about.Classes) < 2 {
		return nil, fmt.Errorf("is a classifier of images of %d pixels in %d classes", about.Size, len(about.Classes))
	}
	h := sha256.New()
	for _, t := range slices.SortedFunc(slices.Values(file), func(a, b runs.Tensor) int { return strings.Compare(a.Name, b.Name) }) {
		h.Write(t.Data)
	}
	if hex.EncodeToString(h.Sum(nil)) != about.Sum {
		return nil, errors.New("is a classifier whose weights are not those that were saved")
	}
	return about.kind(), nil
}

// encode is the safetensors file of the given tensors.
func (about *classifierInfo) encode(given map[string]nn.TorchTensor) ([]byte, error) {
	data := &bytes.Buffer{}
	type place struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		t, from := given[name], data.Len()
		if err := binary.Write(data, binary.LittleEndian, t.Values); err != nil {
			return nil, err
		}
		header[name] = place{"F32", t.Shape, [2]int{from, data.Len()}}
	}
	sum := sha256.Sum256(data.Bytes())
	about.Sum = hex.EncodeToString(sum[:])
	text, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	header["__metadata__"] = map[string]string{infoKey: string(text)}
	head, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	for len(head)%8 != 0 { // so that numbers lie at multiples of their size
		head = append(head, ' ')
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, data.Bytes()), nil
}

// torchTensors are the arrays of a network under PyTorch's names and in its
// order, [O,I,K,K] for [K,K,I,O]: what nn.LoadTorch takes.
func torchTensors(state *nn.State) map[string]nn.TorchTensor {
	names := map[string]string{"w": "weight", "b": "bias", "scale": "weight", "offset": "bias", "mean": "running_mean", "var": "running_var"}
	out := map[string]nn.TorchTensor{}
	for name, value := range state.All() {
		rest, ok := strings.CutPrefix(name, "net/")
		if !ok {
			continue // the optimizer's
		}
		parts := strings.Split(rest, "/")
		parts[len(parts)-1] = names[parts[len(parts)-1]]
		out[strings.Join(parts, ".")] = toTorch(tensors.MustCopyFlatData[float32](value), value.Shape().Dimensions)
	}
	return out
}

func toTorch(values []float32, dims []int) nn.TorchTensor {
	if len(dims) < 2 {
		return nn.TorchTensor{Shape: dims, Values: values}
	}
	kernel, in, out := dims[:len(dims)-2], dims[len(dims)-2], dims[len(dims)-1]
	t := nn.TorchTensor{Shape: append([]int{out, in}, kernel...), Values: make([]float32, len(values))}
	pixels := len(values) / (in * out)
	for p := range pixels {
		for i := range in {
			for o := range out {
				t.Values[(o*in+i)*pixels+p] = values[(p*in+i)*out+o]
			}
		}
	}
	return t
}

// classNames are the names of the classes of im; their numbers where they have
// none.
func classNames(im *dataset.Images) []string {
	names := slices.Clone(im.ClassNames)
	for k := len(names); k < im.Classes; k++ {
		names = append(names, strconv.Itoa(k))
	}
	return names
}

// hashBytes is the beginning of the SHA-256, as hashFile's.
func hashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:12]
}
