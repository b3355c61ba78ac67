package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rot.example/rot/dataset"
	"rot.example/rot/ot"
)

// A source is rows that two samples are drawn from; where there are domains,
// the second may be drawn from another one.
type source struct {
	name    string
	rows    *ot.Points
	class   []int
	domain  []int
	feature bool
}

func load(o options) ([]source, error) {
	files, err := filepath.Glob(filepath.Join(o.data, "adbench", "*.npz"))
	if err != nil {
		return nil, err
	}
	var out []source
	for _, path := range files {
		s := source{name: strings.TrimSuffix(filepath.Base(path), ".npz")}
		table, err := dataset.Load(path+":X,y", nil)
		if err != nil {
			return nil, err
		}
		odd, err := table.Marks()
		if err != nil {
			return nil, err
		}
		s.rows = &ot.Points{Dim: table.Points.Dim}
		for i, bad := range odd {
			if !bad {
				s.rows.Coords = append(s.rows.Coords, table.Points.Row(i)...)
			}
		}
		if s.rows.Len() >= 200 && strings.Contains(s.name, o.only) {
			out = append(out, s)
		}
	}
	for _, f := range []struct{ name, file string }{{"office", "office-caltech10/efficientnet_lite4_f16.npz"}, {"pacs", "pacs/mobilenetv2_u8.npz"}} {
		if !strings.Contains(f.name, o.only) {
			continue
		}
		path := filepath.Join(o.data, f.file)
		x, err := dataset.Load(path+":features,label", nil)
		if err != nil {
			return nil, err
		}
		y, err := dataset.Load(path+":features,domain", nil)
		if err != nil {
			return nil, err
		}
		out = append(out, source{name: f.name, rows: &x.Points, class: numbers(x.Labels), domain: numbers(y.Labels), feature: true})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("nothing in %s", o.data)
	}
	return out, nil
}

// numbers gives equal labels equal numbers, in the order of the labels.
func numbers(labels []string) []int {
	names := slices.Compact(slices.Sorted(slices.Values(labels)))
	out := make([]int, len(labels))
	for i, l := range labels {
		out[i], _ = slices.BinarySearch(names, l)
	}
	return out
}
