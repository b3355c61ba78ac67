// Command collect writes NOTICES.txt: the licences of the modules that rot is
// made of on any system, of Go itself and of what pages embed. Run it with
// "go generate ./internal/notices" when dependencies change.
package main

import (
	"fmt"
	"os"
	"strings"

	"rot.example/rot/internal/notices/parts"
)

func main() {
	list, err := parts.List("../..")
	if err == nil {
		err = os.WriteFile("NOTICES.txt", []byte(text(list)), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "collect:", err)
		os.Exit(1)
	}
}

// text returns the notices: a line for each part, and then the licences. Parts
// with the same licence, to the letter, share it.
func text(list []*parts.Part) string {
	owners := map[string][]string{}
	var order []string
	var b strings.Builder
	b.WriteString("rot contains the work of others, under the licences below.\n\n")
	for _, p := range list {
		fmt.Fprintf(&b, "%s: %s\n", p, strings.Join(p.Licences, ", "))
		if p.Credit != "" {
			fmt.Fprintf(&b, "    %s\n", p.Credit)
		}
		for _, licence := range p.Texts {
			if owners[licence] == nil {
				order = append(order, licence)
			}
			owners[licence] = append(owners[licence], p.String())
		}
	}
	for _, licence := range order {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(owners[licence], "\n"), licence)
	}
	return b.String()
}
