package da

import (
	"bytes"
	"math"
	"testing"

	"rot.example/rot/train"
)

func TestOpenSet(t *testing.T) {
	e := &Evaluation{Predict: []int32{0, 1, 0, 1, 0, 1}, Sure: make([]float64, 6)}
	w := []float64{1.5, 1.2, 0.2, 0, 0.5, 1}
	for _, tt := range []struct {
		name    string
		foreign []bool
		known   []int32
		want    OpenSet
	}{
		// Two of four right, one of these called unknown; one of two foreign ones found.
		{"open", []bool{false, false, false, true, false, true}, []int32{0, 0, 0, -1, 0, -1}, OpenSet{2, 0.5, 0.5, 0.5}},
		{"closed", nil, []int32{0, 1, 0, 1, 0, 1}, OpenSet{2, 4. / 6, -1, -1}},
		{"no labels", nil, nil, OpenSet{2, -1, -1, -1}},
		{"nothing right", []bool{true, false, false, false, false, false}, []int32{-1, 0, 0, 1, 1, 0}, OpenSet{2, 0, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := e.OpenSet(w, tt.foreign, tt.known)
			if got.Unknown != tt.want.Unknown || math.Abs(got.Right-tt.want.Right) > 1e-12 || got.Found != tt.want.Found || math.Abs(got.H-tt.want.H) > 1e-12 {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestWritePredictions: the weights of the target, where there are any, say which
// samples are unknown.
func TestWritePredictions(t *testing.T) {
	e := &Evaluation{Predict: []int32{1, 0}, Sure: []float64{0.75, 0.5}}
	d := &train.Data{N: 2, IDs: []string{"a", "b"}}
	for _, tt := range []struct {
		w    []float64
		want string
	}{
		{nil, "id,index,class,probability\na,0,dog,0.75\nb,1,cat,0.5\n"},
		{[]float64{1.25, 0.25}, "id,index,class,probability,weight,unknown\na,0,dog,0.75,1.25,false\nb,1,cat,0.5,0.25,true\n"},
	} {
		var b bytes.Buffer
		if err := WritePredictions(&b, []string{"cat", "dog"}, d, e, tt.w); err != nil || b.String() != tt.want {
			t.Errorf("got %q, %v, want %q", b.String(), err, tt.want)
		}
	}
}
