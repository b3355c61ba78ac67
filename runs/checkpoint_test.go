package runs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// state is a checkpoint whose content depends on its step.
func state(step int) *Checkpoint {
	return &Checkpoint{
		Step:    step,
		Meta:    map[string]string{"backend": "go", "rng": fmt.Sprint(step * 7)},
		Tensors: append(samples(), Tensor{"now", "I64", []int{1}, little([]int64{int64(step)})}),
	}
}

// saved is a run with checkpoints of the given steps.
func saved(t testing.TB, steps ...int) *Run {
	t.Helper()
	r := newRun(t)
	for _, s := range steps {
		if err := r.Save(state(s)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func wantSteps(t *testing.T, r *Run, want ...int) {
	t.Helper()
	if got, err := r.List(); err != nil || !slices.Equal(got, want) {
		t.Errorf("checkpoints %v, %v, want %v", got, err, want)
	}
}

func wantLatest(t *testing.T, r *Run, step, warnings int) {
	t.Helper()
	c, err := r.Latest()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, state(step)) {
		t.Errorf("checkpoint of step %d is %+v", step, c)
	}
	if len(r.Warnings()) != warnings {
		t.Errorf("warnings %v, want %d", r.Warnings(), warnings)
	}
	for _, w := range r.Warnings() {
		if !errors.Is(w, ErrBroken) {
			t.Errorf("warning %v", w)
		}
	}
}

func TestSaveAndLatest(t *testing.T) {
	r := saved(t)
	if _, err := r.Latest(); !errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("no checkpoint: error %v", err)
	}
	for k, want := range [][]int{{0}, {0, 100}, {100, 99999999}, {99999999, 123456789}} {
		step := want[len(want)-1]
		if err := r.Save(state(step)); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, r, want...)
		wantLatest(t, r, step, 0)
		if _, err := os.Stat(filepath.Join(r.Path(), "checkpoints", "step-00000100.safetensors")); (k == 1 || k == 2) != (err == nil) {
			t.Errorf("after step %d: %v", step, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(r.Path(), checkpointsDir)); err != nil {
		t.Fatal(err)
	}
	wantSteps(t, r)
	if err := r.Save(state(5)); err != nil { // makes the folder again
		t.Fatal(err)
	}
	wantLatest(t, r, 5, 0)
}

func TestSaveErrors(t *testing.T) {
	r := saved(t, 1)
	for _, c := range []*Checkpoint{
		{Step: -1}, {Step: 2, Meta: map[string]string{"step": "3"}}, {Step: 2, Meta: map[string]string{hashKey: ""}},
		{Step: 2, Meta: map[string]string{"format": ""}}, {Step: 2, Tensors: []Tensor{{"a", "F32", []int{1}, nil}}},
	} {
		if err := r.Save(c); !errors.Is(err, ErrCheckpoint) || !strings.HasPrefix(err.Error(), "runs: ") {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	wantFiles(t, r, "step-00000001.safetensors")
	wantLatest(t, r, 1, 0)
}

func wantFiles(t *testing.T, r *Run, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(r.Path(), checkpointsDir))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

// TestBrokenCheckpoint damages the newest file in every way and at every
// place: the one before it is used, and the run goes on from there.
func TestBrokenCheckpoint(t *testing.T) {
	r := saved(t, 10, 20)
	path := r.checkpointPath(20)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		wantLatest(t, r, 10, 1)
		if t.Failed() {
			t.Fatalf("with %s", name)
		}
	}
	for n := range good {
		damage(fmt.Sprintf("%d bytes of %d", n, len(good)), good[:n])
	}
	for n := range good {
		flipped := slices.Clone(good)
		flipped[n] ^= 1
		damage(fmt.Sprintf("a bit of byte %d flipped", n), flipped)
	}
	for _, n := range []int{1, 8, 4096} {
		damage("bytes added", append(slices.Clone(good), make([]byte, n)...))
		damage("zeros at the end", append(slices.Clone(good[:max(0, len(good)-n)]), make([]byte, min(n, len(good)))...))
	}
	other, err := os.ReadFile(r.checkpointPath(10))
	if err != nil {
		t.Fatal(err)
	}
	damage("another step", other)
	python, err := os.ReadFile("testdata/python.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	damage("a file of others", python)

	if err := r.Save(state(15)); err != nil { // from 10 on; 20 is of no use
		t.Fatal(err)
	}
	wantSteps(t, r, 10, 15)
	wantLatest(t, r, 15, 0)
}

func TestAllCheckpointsBroken(t *testing.T) {
	r := saved(t, 10, 20)
	for _, step := range []int{10, 20} {
		if err := os.Truncate(r.checkpointPath(step), 100); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.Latest()
	if !errors.Is(err, ErrAllDamaged) || !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "step-00000010") {
		t.Errorf("error %v", err)
	}
	if len(r.Warnings()) != 2 || !strings.Contains(r.Warnings()[0].Error(), "step-00000020") {
		t.Errorf("warnings %v", r.Warnings())
	}
}

// TestDamagedIsSetAside: with the newest checkpoint damaged, the good one before
// it survives the next save, and the damaged one does not count.
func TestDamagedIsSetAside(t *testing.T) {
	r := saved(t, 10, 20)
	damaged := r.checkpointPath(20)
	if err := os.Truncate(damaged, 100); err != nil {
		t.Fatal(err)
	}
	wantLatest(t, r, 10, 1) // somebody who only looks
	wantSteps(t, r, 10, 20)
	unlock, err := r.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	wantLatest(t, r, 10, 1)
	wantSteps(t, r, 10)
	if _, err := os.Stat(damaged + damagedSuffix); err != nil {
		t.Error(err)
	}
	wantLatest(t, r, 10, 0)
	if err := r.Save(state(30)); err != nil {
		t.Fatal(err)
	}
	wantSteps(t, r, 10, 30)
	for _, step := range []int{10, 30} {
		if err := os.Truncate(r.checkpointPath(step), 100); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time all have been set aside before
		if _, err := r.Latest(); !errors.Is(err, ErrAllDamaged) || errors.Is(err, ErrNoCheckpoint) {
			t.Errorf("error %v", err)
		}
	}
	r.StartOver()
	if _, err := r.Latest(); !errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("error %v", err)
	}
}

// TestStaleTemporaries: the next start removes what a killed one left.
func TestStaleTemporaries(t *testing.T) {
	r := saved(t, 10)
	stale := []string{".weights.csv.1.tmp", "checkpoints/.step-00000020.safetensors.2.tmp", "samples/.a.png.3.tmp"}
	for _, name := range stale {
		if err := os.WriteFile(filepath.Join(r.path, name), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := r.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for _, name := range stale {
		if _, err := os.Stat(filepath.Join(r.path, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	wantLatest(t, r, 10, 0)
}

// TestUnreadableCheckpoint: one that may be good must not be passed over.
func TestUnreadableCheckpoint(t *testing.T) {
	r := saved(t, 10, 20)
	if err := os.Remove(r.checkpointPath(20)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(r.checkpointPath(20), r.checkpointPath(20)); err != nil { // a loop; root reads all else
		t.Skip(err)
	}
	if c, err := r.Latest(); err == nil || errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestCrashes leaves what a kill leaves between the steps of Save.
func TestCrashes(t *testing.T) {
	const tmp = ".step-00000030.safetensors.123456.tmp"
	t.Run("while writing", func(t *testing.T) {
		r := saved(t, 10, 20)
		if err := os.WriteFile(filepath.Join(r.Path(), checkpointsDir, tmp), make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, r, 10, 20)
		wantLatest(t, r, 20, 0)
		if err := r.Save(state(30)); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, r, "step-00000020.safetensors", "step-00000030.safetensors")
	})
	t.Run("before the rename", func(t *testing.T) {
		r := saved(t, 10, 20, 30)
		if err := os.Rename(r.checkpointPath(30), filepath.Join(r.Path(), checkpointsDir, tmp)); err != nil {
			t.Fatal(err)
		}
		wantLatest(t, r, 20, 0)
	})
	t.Run("between rename and deletion", func(t *testing.T) {
		r, older := saved(t, 20, 30), saved(t, 10)
		if err := os.Rename(older.checkpointPath(10), r.checkpointPath(10)); err != nil {
			t.Fatal(err)
		}
		wantLatest(t, r, 30, 0)
		if err := r.Save(state(40)); err != nil {
			t.Fatal(err)
		}
		wantSteps(t, r, 30, 40)
	})
	t.Run("files of others", func(t *testing.T) {
		r := saved(t, 10)
		for _, name := range []string{"step-5.safetensors", "step-000000011.safetensors", "step-00000012.safetensors.bak", "notes.txt"} {
			if err := os.WriteFile(filepath.Join(r.Path(), checkpointsDir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		wantSteps(t, r, 10)
		wantLatest(t, r, 10, 0)
	})
}

// TestCheckpointIsSafetensors reads a checkpoint as any program would.
func TestCheckpointIsSafetensors(t *testing.T) {
	r := saved(t, 3)
	tensors, meta, err := ReadSafetensors(r.checkpointPath(3))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(tensors, state(3).Tensors) {
		t.Errorf("tensors %v", tensors)
	}
	if meta["step"] != "3" || meta["format"] != "rot-1" || meta["backend"] != "go" || len(meta["sha256"]) != 64 {
		t.Errorf("metadata %v", meta)
	}
}

func BenchmarkSave(b *testing.B) {
	const size = 64 << 20
	r := newRun(b)
	c := &Checkpoint{Tensors: []Tensor{{"w", "F32", []int{size / 4}, make([]byte, size)}}}
	binary.LittleEndian.PutUint64(c.Tensors[0].Data, 42)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		c.Step++
		if err := r.Save(c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLatest(b *testing.B) {
	const size = 64 << 20
	r := newRun(b)
	if err := r.Save(&Checkpoint{Tensors: []Tensor{{"w", "F32", []int{size / 4}, make([]byte, size)}}}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Latest(); err != nil {
			b.Fatal(err)
		}
	}
}
