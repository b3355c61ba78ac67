//go:build cgo && linux && amd64

package main

import (
	"math"
	"slices"
	"testing"
)

// message is a field of a protocol buffer that holds other fields.
func message(number int, parts ...[]byte) []byte {
	inner := slices.Concat(parts...)
	return append([]byte{byte(number<<3 | 2), byte(len(inner))}, inner...)
}

// number is a field that holds a small number.
func number(number int, value byte) []byte { return []byte{byte(number << 3), value} }

// space is a trace of one kernel, and of a line that is no stream.
func space() []byte {
	kernel := message(4, number(1, 1), number(2, 10), number(3, 20))
	names := message(4, number(1, 1), message(2, number(1, 1), message(2, []byte("gemm"))))
	gpu := message(1, message(2, []byte("/device:GPU:0")),
		message(3, message(2, []byte("Stream #1")), number(3, 5), kernel),
		message(3, message(2, []byte("Steps")), number(3, 5), kernel), names)
	host := message(1, message(2, []byte("/host:CPU")), message(3, message(2, []byte("Stream")), kernel), names)
	return append(slices.Concat(host, gpu), 0)
}

func TestKernels(t *testing.T) {
	events, err := kernels(space())
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 || events[0].name != "gemm" || math.Abs(events[0].end-events[0].start-20e-12) > 1e-18 {
		t.Errorf("got %v, want one kernel gemm of 20 ps", events)
	}
}

func TestKernelsDamaged(t *testing.T) {
	whole := space()
	damaged := 0
	for n := range len(whole) - 1 {
		if _, err := kernels(whole[:n]); err != nil {
			damaged++
		}
	}
	if damaged < len(whole)/2 {
		t.Errorf("only %d of %d cut traces were an error", damaged, len(whole))
	}
}

func TestKind(t *testing.T) {
	for name, want := range map[string]string{
		"sm90_xmma_fprop_implicit_gemm_bf16": "convolutions",
		"gemm_fusion_dot_70":                 "matrix products",
		"input_reduce_fusion_24":             "reductions",
		"loop_multiply_fusion_16":            "elementwise",
		"input_multiply_transpose_fusion_20": "elementwise",
		"Memset 3":                           "copies",
		"nhwcAddPaddingKernel":               "copies",
	} {
		if got := kind(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
