// This file locates the folders of such files, and decides which files may be shown.

package frontmatter

import (
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/realpath"
)

// Pi is the folder of pi.
const Pi = ".pi"

// Folder is a directory in which such files are looked for.
type Folder struct {
	Path    string
	Project string // the project's root for a project's folder; "" = the user's
}

// Folders lists the folders for files of a kind ("skills"): the user's own first, which have
// priority over the project's. home is the agent's own directory, user the user's home directory,
// project the project's root; empty ones are skipped, and a directory that is both is the user's.
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
	for _, of := range [...]string{".claude", ".agents"} { // where other programs keep such files
		add("", user, of, kind)
	}
	for _, of := range [...]string{".agent", ".claude", ".agents"} {
		add(project, project, of, kind)
	}
	if kind == "commands" { // pi has another name for them
		add("", user, Pi, "agent", "prompts")
		add(project, project, Pi, "prompts")
	}
	return out
}

// Escapes reports whether a file of the folder is a link to a file outside the project: the model
// would get a text that the project's authors must not see. The user's own files may be anywhere.
func (f Folder) Escapes(path string) bool {
	return f.Project != "" && realpath.Escapes(f.Project, path)
}
