package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A run that was cut off goes on where it was, without the line that it left
// unfinished.
func TestBookResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	b, err := openBook(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := b.add(record{Kind: "null", Source: "pacs", Number: n, Verdict: "same"}); err != nil {
			t.Fatal(err)
		}
	}
	b.close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-9], 0o666); err != nil {
		t.Fatal(err)
	}
	if b, err = openBook(path); err != nil {
		t.Fatal(err)
	}
	for n, want := range []bool{true, true, false} {
		if got := b.has(plan{source{name: "pacs"}, "null", n}); got != want {
			t.Errorf("trial %d is on record: %v, want %v", n, got, want)
		}
	}
	if err := b.add(record{Kind: "null", Source: "pacs", Number: 2, Verdict: "moved"}); err != nil {
		t.Fatal(err)
	}
	b.close()
	records, err := readRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 3 || records[2].Verdict != "moved" {
		t.Errorf("records %+v, want three and the last one moved", records)
	}
}
