package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for path, text := range map[string]string{
		"runs/first/config.json":      `{"steps": 1}`,
		"runs/second/config.json":     `{"steps": 1}`,
		"elsewhere/other/config.json": `{"steps": 1}`,
		"today.csv":                   "\ufeffage,\"the town\",kind\n1,2,3\n",
		"german.csv":                  "alter;ort\n1;2\n",
		"tabs.tsv":                    "left\tright\n1\t2\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sep := string(filepath.Separator)
	for _, tt := range []struct{ line, want string }{
		{"gan resume |", "runs" + sep + "first runs" + sep + "second"},
		{"gan weights runs" + sep + "s|", "runs" + sep + "second"},
		{"runs show |", "first second"},
		{"runs compare first |", "second"},
		{"runs show --runs elsewhere |", "other"},
		{"dist today.csv b.csv --label-column |", "age the town kind"},
		{"clean today.csv --id-column k|", "kind"},
		{"clean german.csv --id-column |", "alter ort"},
		{"gan train --data tabs.tsv --label-column |", "left right"},
		{"dist missing.csv photo.png --label-column |", ""},
		{"gan train --preset |", "tiny dcgan resnet mlp"},
	} {
		args := append([]string{"__complete"}, strings.Fields(strings.TrimSuffix(tt.line, "|"))...)
		if strings.HasSuffix(tt.line, " |") {
			args = append(args, "")
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, IO{In: strings.NewReader(""), Out: &out, Err: &errs}); code != ExitOK {
			t.Errorf("%s: code %d, %s", tt.line, code, errs.String())
		}
		words, _, _ := strings.Cut(out.String(), ":")
		if got := strings.Join(strings.Split(strings.TrimSpace(words), "\n"), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}
