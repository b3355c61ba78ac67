// Command da writes the tasks of table 2 on feature vectors as arrays; run.py
// runs other methods on them. See README.md.
//
//	da -data DATA -out FOLDER [-part pacs,surf,efficientnet] [-seeds 3]
//
// A task is a folder with source.npy, source-labels.npy, target.npy,
// target-labels.npy (−1 for a sample of no class of the source) and units.npy,
// two rows of centres and two of units: the arrays are (x − centre)/unit, each
// domain by its own.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rot.example/rot/da"
	"rot.example/rot/experiments"
)

func main() {
	data := flag.String("data", "", "folder of the data sets")
	out := flag.String("out", "", "folder for the tasks")
	parts := flag.String("part", "pacs,surf,efficientnet", "sets of features")
	seeds := flag.Int("seeds", 3, "seeds: what is noise, and which classes the source lacks")
	flag.Parse()
	if *data == "" || *out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: da -data DATA -out FOLDER [-part SETS] [-seeds N]")
		os.Exit(2)
	}
	for part := range strings.SplitSeq(*parts, ",") {
		tasks, err := experiments.AdaptTasks(&experiments.Options{Data: *data, Seeds: *seeds}, part)
		for i := 0; err == nil && i < len(tasks); i++ {
			if t := tasks[i]; t.Form != "clean" || t.Seed == 0 { // clean data are those of any seed
				err = write(*out, &t)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// write writes the data of a task.
func write(out string, t *experiments.AdaptTask) error {
	c := t.Config
	d, _, err := da.Load(&c)
	if err != nil {
		return err
	}
	dir := filepath.Join(out, fmt.Sprintf("%s,%s,%s,%s,%d", t.Set, t.From, t.To, strings.ReplaceAll(t.Form, " ", "-"), t.Seed))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	s, g := d.Source, d.Target
	var units []float32
	for _, row := range [][]float64{s.Centre, g.Centre, s.Unit, g.Unit} {
		for _, v := range row {
			units = append(units, float32(v))
		}
	}
	dim := s.Shape[0]
	for _, a := range []struct {
		name, kind string
		values     any
		shape      []int
	}{
		{"source", "<f4", s.Rows, []int{s.N, dim}},
		{"source-labels", "<i4", s.Labels, []int{s.N}},
		{"target", "<f4", g.Rows, []int{g.N, dim}},
		{"target-labels", "<i4", d.Known, []int{g.N}},
		{"units", "<f4", units, []int{4, dim}},
	} {
		if err := writeArray(filepath.Join(dir, a.name+".npy"), a.kind, a.values, a.shape); err != nil {
			return err
		}
	}
	return nil
}

// writeArray writes an array in NumPy's format, version 1.
func writeArray(path, kind string, values any, shape []int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	dims := ""
	for _, n := range shape {
		dims += fmt.Sprintf("%d,", n)
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, dims)
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "\x93NUMPY\x01\x00")
	if err := binary.Write(w, binary.LittleEndian, uint16(len(head))); err != nil {
		return err
	}
	w.WriteString(head) // An error stays until Flush.
	if err := binary.Write(w, binary.LittleEndian, values); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
