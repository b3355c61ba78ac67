package dataset

import (
	"fmt"
	"strings"
)

// list joins names for a message and cuts a long list.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
