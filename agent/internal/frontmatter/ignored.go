// This file collects the keys of other programs that mean nothing here.

package frontmatter

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// Ignored collects keys of files that nothing here corresponds to, to report them together.
type Ignored struct{ files map[string][]string }

// Add notes the keys of a file, except those that are known.
func (i *Ignored) Add(path string, d *Doc, known ...string) {
	for _, key := range d.Keys() {
		if slices.Contains(known, key) {
			continue
		}
		if i.files == nil {
			i.files = map[string][]string{}
		}
		if key = plain.Line(key, 60); !slices.Contains(i.files[key], path) {
			i.files[key] = append(i.files[key], path)
		}
	}
}

// Text lists the keys, each with a file that has it; "" if there are none.
func (i *Ignored) Text() string {
	var parts []string
	for key, files := range i.files {
		where := files[0]
		if n := len(files) - 1; n > 0 {
			where += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, key+" ("+where+")")
	}
	sort.Strings(parts)
	if len(parts) == 0 {
		return ""
	}
	return "nothing here corresponds to these keys, which are ignored: " +
		strings.Join(parts, ", ")
}
