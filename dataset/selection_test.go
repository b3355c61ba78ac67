package dataset

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCutSelection(t *testing.T) {
	for _, tt := range []struct {
		spec, body string
		want       selection
	}{
		{"a.csv", "a.csv", nil},
		{"a[1:2]", "a", selection{{span: span{"[1:2]", "1", "2"}}}},
		{"a[:][3:]", "a", selection{{span: span{text: "[:]"}}, {span: span{"[3:]", "3", ""}}}},
		{"a[label=0|1]", "a", selection{{span: span{text: "[label=0|1]"}, name: "label", values: []string{"0", "1"}}}},
		{"a[d!=x y]", "a", selection{{span: span{text: "[d!=x y]"}, name: "d", values: []string{"x y"}, not: true}}},
		{"a[d=]", "a", selection{{span: span{text: "[d=]"}, name: "d", values: []string{""}}}},
		{"a[d==2]", "a", selection{{span: span{text: "[d==2]"}, name: "d", values: []string{"=2"}}}},
		{"a[1:2][d=3,4:5]", "a", selection{{span: span{"[1:2]", "1", "2"}}, {span: span{text: "[d=3,4:5]"}, name: "d", values: []string{"3,4:5"}}}},
		{"a[=1]", "a[=1]", nil},
		{"a[!=1]", "a[!=1]", nil},
		{"a[d>1]", "a[d>1]", nil},
		{"a[1]", "a[1]", nil},
		{"a[-1:]", "a[-1:]", nil},
		{"a[d=1", "a[d=1", nil},
		{"a[d=1].png", "a[d=1].png", nil},
		{"known[1:2]", "known[1:2]", nil},
		{"known[1:2][d=3]", "known[1:2]", selection{{span: span{text: "[d=3]"}, name: "d", values: []string{"3"}}}},
	} {
		body, got := cutSelection(tt.spec, func(s string) bool { return s == "known[1:2]" })
		same := slices.EqualFunc(got, tt.want, func(a, b step) bool {
			return a.span == b.span && a.name == b.name && a.not == b.not && slices.Equal(a.values, b.values)
		})
		if body != tt.body || !same {
			t.Errorf("%s: %q, %+v", tt.spec, body, got)
		}
	}
}

func TestSelectRows(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.csv": []byte("x,kind\n0,a\n1,b\n2,a\n3,c\n4,2.0\n"), "named.csv": []byte("id,x\np,0\nq,1\nr,2\n"),
		"a.npy": npy(npyHeader("<f8", "(3, 1)"), f8(0, 1, 2)...), "odd[label=1].csv": []byte("8\n9\n"),
	})
	kind := &Options{LabelColumn: "kind"}
	for _, tt := range []struct {
		spec   string
		opts   *Options
		coords []float64
		labels string
		ids    string
	}{
		{"a.csv[1:3]", kind, []float64{1, 2}, "b a", "1 2"},
		{"a.csv[label=a]", kind, []float64{0, 2}, "a a", "0 2"},
		{"a.csv[kind=a]", kind, []float64{0, 2}, "a a", "0 2"},
		{"a.csv[label!=a|c]", kind, []float64{1, 4}, "b 2.0", "1 4"},
		{"a.csv[label=2]", kind, []float64{4}, "2.0", "4"},
		{"a.csv[label=a|c][1:]", kind, []float64{2, 3}, "a c", "2 3"},
		{"a.csv[1:][label=a|b][label!=b]", kind, []float64{2}, "a", "2"},
		{"a.csv[:3]", kind, []float64{0, 1, 2}, "a b a", ""},
		{"a.csv[:]", kind, []float64{0, 1, 2, 3, 4}, "a b a c 2.0", ""},
		{"named.csv[1:]", nil, []float64{1, 2}, "", "q r"},
		{"a.npy[2:]", nil, []float64{2}, "", "2"},
		{"odd[label=1].csv[1:]", nil, []float64{9}, "", "1"},
	} {
		spec := filepath.Join(dir, tt.spec)
		got, err := Load(spec, tt.opts)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Equal(got.Points.Coords, tt.coords) || strings.Join(got.Labels, " ") != tt.labels || strings.Join(got.Points.IDs, " ") != tt.ids || got.Name != spec {
			t.Errorf("%s: %+v", tt.spec, got)
		}
		if IsImages(spec) {
			t.Errorf("%s is taken for images", tt.spec)
		}
	}
	eight := mustLoad(t, "synth:eight,n=100,seed=3[label=2|5][:7]")
	if names, _ := eight.Classes(); eight.Points.Len() != 7 || !slices.Equal(names, []string{"2", "5"}) || eight.Points.Dim != 2 {
		t.Errorf("%d rows of %v", eight.Points.Len(), names)
	}
}

func TestSelectErrors(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.csv": []byte("x,kind\n0,a\n1,b\n2,a\n"),
		"a.idx": idx(8, []int{3, 1, 1}, 5, 6, 7), "a.classes": idx(8, []int{3}, 0, 2, 2),
	})
	for _, tt := range []struct{ spec, file, want string }{
		{"a.csv[:4]", "a.csv", "the range [:4] goes beyond the 3 rows that there are"},
		{"a.csv[2:2]", "a.csv", "the range [2:2] has no rows"},
		{"a.csv[label=c]", "a.csv", `no row has the label "c"; there are a, b`},
		{"a.csv[label!=a|c]", "a.csv", `no row has the label "c"; there are a, b`},
		{"a.csv[label=]", "a.csv", `no row has the label ""; there are a, b`},
		{"a.csv[label=b][label=a]", "a.csv", "[label=b][label=a] leaves no rows"},
		{"a.csv[label!=a|b]", "a.csv", "[label!=a|b] leaves no rows"},
		{"a.csv[label=a][2:]", "a.csv", "the range [2:] has no rows"},
		{"a.csv[z=1]", "a.csv", `[z=1]: there is no column "z" to choose by`},
		{"a.csv[label>1]", "a.csv[label>1]", "no such file; " + supported},
		{"a.idx[label=1]", "a.idx", "[label=1]: the images have no labels"},
		{"a.idx,DIR/a.classes[label=3]", "a.idx,DIR/a.classes", `[label=3]: no class is called "3"; there are 0, 1, 2`},
		{"a.idx,DIR/a.classes[label=1]", "a.idx,DIR/a.classes", "[label=1] leaves no images"},
		{"a.idx,DIR/a.classes[domain=1]", "a.idx,DIR/a.classes", "[domain=1]: images are chosen by their label, as in [label=…]"},
		{"a.idx,DIR/a.classes[label=2][:3]", "a.idx,DIR/a.classes", "the range [:3] goes beyond the 2 images that there are"},
	} {
		spec := filepath.Join(dir, strings.ReplaceAll(tt.spec, "DIR", dir))
		var err error
		if strings.HasPrefix(tt.spec, "a.idx") {
			_, err = LoadImages(spec, nil)
		} else {
			_, err = Load(spec, &Options{LabelColumn: "kind"})
		}
		want := filepath.Join(dir, strings.ReplaceAll(tt.file, "DIR", dir)) + ": " + tt.want
		var bad *InputError
		if err == nil || err.Error() != want || !errors.As(err, &bad) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for spec, want := range map[string]string{
		"synth:gauss,n=9[label=1]": "synth:gauss,n=9: [label=1]: there are no labels to choose by (declare a column of them as the label column)",
		"-[:3]":                    "-: standard input is taken as a whole; save it to a file to choose some of its rows",
		"[:3]":                     `"": no file given; ` + supported,
	} {
		if _, err := Load(spec, &Options{Stdin: strings.NewReader("1\n")}); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestSelectedLines names the line of the file where lines can still be told.
func TestSelectedLines(t *testing.T) {
	file := filepath.Join(write(t, map[string][]byte{"a.csv": []byte("x,y\n1,0\n2,1\n3,no\n4,0\n")}), "a.csv")
	for spec, want := range map[string]string{
		file + "[1:]":             file + `[1:]:4: label "no" is not an outlier mark (1 or true for an outlier, 0 or false for a good row)`,
		file + "[label!=1][1:]":   file + `[label!=1][1:]:4: label "no" is not an outlier mark (1 or true for an outlier, 0 or false for a good row)`,
		file + "[label=0|no][:2]": file + `[label=0|no][:2]: row 1: label "no" is not an outlier mark (1 or true for an outlier, 0 or false for a good row)`,
	} {
		table, err := Load(spec, &Options{LabelColumn: "y"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Marks(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestSelectSidecars(t *testing.T) {
	dir := write(t, map[string][]byte{
		"m.csv": []byte("outlier\n1\n0\n1\n"), "m.npy": npy(npyHeader("|u1", "(3,)"), 1, 0, 1),
		"c.npy": npy(npyHeader("|u1", "(3, 2)"), 1, 2, 3, 4, 5, 6),
	})
	for _, name := range []string{"m.csv[1:]", "m.npy[1:]"} {
		spec := filepath.Join(dir, name)
		if marks, err := LoadMarks(spec, 2); err != nil || !slices.Equal(marks, []bool{false, true}) {
			t.Errorf("%s: %v, %v", name, marks, err)
		}
		if w, err := LoadWeights(spec); err != nil || !slices.Equal(w, []float64{0, 1}) {
			t.Errorf("%s: %v, %v", name, w, err)
		}
	}
	m, n, data, err := LoadMatrix(filepath.Join(dir, "c.npy[1:]"))
	if err != nil || m != 2 || n != 2 || !slices.Equal(data, []float64{3, 4, 5, 6}) {
		t.Errorf("%d×%d %v, %v", m, n, data, err)
	}
}

func TestSelectImages(t *testing.T) {
	gray := idx(8, []int{4, 1, 1}, 10, 20, 30, 40)
	dir := writeTree(t, map[string][]byte{
		"a.idx": gray, "a.classes": idx(8, []int{4}, 2, 0, 2, 1), "odd,name.idx": gray, "odd,l[label=1]": idx(8, []int{4}, 0, 0, 0, 1),
		"photos/cat/1.png": stackBytes(t, ramp(1, 2, 2, 1)), "photos/dog/1.png": stackBytes(t, ramp(1, 2, 2, 1)), "photos/7/1.png": stackBytes(t, ramp(1, 2, 2, 1)),
		"s.png": stackBytes(t, ramp(4, 2, 2, 1)),
	})
	for _, tt := range []struct {
		spec    string
		labels  []int32
		classes int
		ids     string
	}{
		{"DIR/a.idx,DIR/a.classes[label=2]", []int32{2, 2}, 3, "0 2"},
		{"DIR/a.idx,DIR/a.classes[1:][label=2|1]", []int32{2, 1}, 3, "2 3"},
		{"DIR/a.idx,DIR/a.classes[label!=0][:2]", []int32{2, 2}, 3, "0 2"},
		{"DIR/a.idx,DIR/a.classes[:3][1:]", []int32{0, 2}, 3, "1 2"},
		{"DIR/odd,name.idx,DIR/odd,l[label=1][3:]", []int32{1}, 2, "3"},
		{"DIR/photos[label=cat|dog]", []int32{1, 2}, 3, "cat/1.png dog/1.png"},
		{"DIR/photos[label=7]", []int32{0}, 3, "7/1.png"},
		{"stack:DIR/s.png,DIR/a.classes[label=2|0]", []int32{2, 0, 2}, 3, "s.png#0 s.png#1 s.png#2"},
	} {
		spec := strings.ReplaceAll(tt.spec, "DIR", dir)
		if !IsImages(spec) {
			t.Errorf("%s is not taken for images", tt.spec)
		}
		im, err := LoadImages(spec, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		var ids []string
		for i := range im.Len() {
			ids = append(ids, im.ID(i))
		}
		if !slices.Equal(im.Labels, tt.labels) || im.Classes != tt.classes || strings.Join(ids, " ") != tt.ids || im.Name != spec {
			t.Errorf("%s: %+v", tt.spec, im)
		}
	}
	all := mustLoadImages(t, "synth:digits,n=60", nil)
	some := mustLoadImages(t, "synth:digits,n=60[label=3|8]", nil)
	k := 0
	for i, l := range all.Labels {
		if l == 3 || l == 8 {
			if some.Labels[k] != l || !slices.Equal(some.At(k), all.At(i)) {
				t.Fatalf("image %d is not image %d of all", k, i)
			}
			k++
		}
	}
	if k != some.Len() || some.Classes != 10 {
		t.Errorf("%d images of %d classes, want %d of 10", some.Len(), some.Classes, k)
	}
}

func TestSpecFilesSelected(t *testing.T) {
	for spec, want := range map[string]string{
		"a.npz:x*s,y[domain=2]": "a.npz", "a.npz[:3]": "a.npz", "a.csv[label=3]": "a.csv", "stack:a.png,b[label=3][:2]": "a.png b",
	} {
		if got := strings.Join(SpecFiles(spec), " "); got != want {
			t.Errorf("SpecFiles(%q) = %s", spec, got)
		}
	}
}

// TestOddLetters has letters whose lower case takes more bytes.
func TestOddLetters(t *testing.T) {
	for _, spec := range []string{"ȺȺȺȺȺȺ.npz:", "stack:ȺȺȺȺȺȺ.png,", "stack:ȺȺȺȺȺȺ.png+"} {
		if _, err := Load(spec, nil); err == nil {
			t.Errorf("%s was read", spec)
		}
		if _, err := LoadImages(spec, nil); err == nil {
			t.Errorf("%s was read", spec)
		}
	}
}
