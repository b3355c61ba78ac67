package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ in, text, word string }{
		{"", "", ""},
		{"größe.csv, 数 ρ² 👩‍🔬", "größe.csv, 数 ρ² 👩‍🔬", "größe.csv, 数 ρ² 👩‍🔬"},
		{"a\nb\tc", "a\nb\tc", `a\nb\tc`},
		{"\x1b[2Jgone", `\x1b[2Jgone`, `\x1b[2Jgone`},
		{"a\rb\x00\x7f", `a\rb\x00\x7f`, `a\rb\x00\x7f`},
		{"csi \u009b31m", `csi \u009b31m`, `csi \u009b31m`},
		{"exe\u202egpj.png", `exe\u202egpj.png`, `exe\u202egpj.png`},
		{"\u2066x\u2069\u200f\u061c\u2028", `\u2066x\u2069\u200f\u061c\u2028`, `\u2066x\u2069\u200f\u061c\u2028`},
		{"bad \xff byte", `bad \xff byte`, `bad \xff byte`},
		{"real \ufffd", "real \ufffd", "real \ufffd"},
		{"tag \U000e0041", `tag \U000e0041`, `tag \U000e0041`},
	} {
		if got := Text(tt.in); got != tt.text {
			t.Errorf("Text(%q) is %q, want %q", tt.in, got, tt.text)
		}
		if got := Word(tt.in); got != tt.word {
			t.Errorf("Word(%q) is %q, want %q", tt.in, got, tt.word)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, s := range []string{"\x1b[2J", "\u009b\u202e", "tag \U000e0041", "größe\n"} {
		text, err := json.MarshalIndent(map[string]string{s: s}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		safe := JSON(string(text))
		if Text(safe) != safe {
			t.Errorf("%q is not safe", safe)
		}
		var back map[string]string
		if err := json.Unmarshal([]byte(safe), &back); err != nil || back[s] != s {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	n, err := fmt.Fprintf(NewWriter(&b), "rot: %s\n", "\x1b]0;title\a")
	if err != nil || n != 16 || b.String() != "rot: \\x1b]0;title\\x07\n" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Text(Text(s)); got != Text(s) {
			t.Errorf("%q is escaped twice: %q", s, got)
		}
	})
}
