// This file says where such files may lie, and what of them may be shown.

package frontmatter

import (
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/realpath"
)

// Folder is a directory in which such files are looked for.
type Folder struct {
	Path    string
	Project string // the project's root, if it is the project's; "" = the user's own
}

// Folders lists where files of a kind ("skills") are looked for: the user's own first, which beat
// those of the project. home is the agent's own directory, user the user's home directory, project
// the project's root; what is empty is left out, and a directory that is both is the user's.
func Folders(kind, home, user, project string) (out []Folder) {
	seen := map[string]bool{}
	add := func(project string, elem ...string) {
		path := filepath.Join(elem...)
		if elem[0] == "" {
			return
		}
		if _, err := os.Stat(path); err != nil {
			return
		}
		if real, ok := realpath.Of(path); ok && !seen[real] {
			seen[real] = true
			out = append(out, Folder{path, project})
		}
	}
	add("", home, kind)
	for _, of := range [...]string{".claude", ".agents"} { // other programs' places for the same
		add("", user, of, kind)
	}
	for _, of := range [...]string{".agent", ".claude", ".agents"} {
		add(project, project, of, kind)
	}
	return out
}

// Escapes reports whether a file of the folder is a link to somewhere outside the project: it would
// tell the model what the project's authors must not see. The user's own files may lie anywhere.
func (f Folder) Escapes(path string) bool {
	return f.Project != "" && realpath.Escapes(f.Project, path)
}
