// This file finds repositories in the project, in addition to the project's own.

package sandbox

import (
	"path/filepath"
	"time"

	"github.com/agentscripts/agent/engine/gitdir"
)

const (
	// mostNested is how many folders are searched for repositories.
	mostNested = 500
	// nestedDepth is how deep the search goes: clones and submodules are rarely deeper.
	nestedDepth = 3
	// nestedEvery is the interval of searches. A search takes milliseconds, and the user's
	// repositories are older.
	nestedEvery = 10 * time.Second
)

// repositories caches the result of a search for repositories.
type repositories struct {
	scanner
	searched time.Time
	executed []string // files from which git runs programs
}

// nested returns the files from which git runs programs in repositories in the project, as far as
// they are found: also in bare ones, and in git's folders with another name. Called under mu.
func (s *Sandbox) nested() []string {
	if s.project() && time.Since(s.gits.searched) > nestedEvery {
		s.gits.searched, s.gits.executed = time.Now(), s.findNested()
	}
	return s.gits.executed
}

// findNested searches for these files.
func (s *Sandbox) findNested() (list []string) {
	s.gits.looked = 0
	for _, path := range s.gits.walkFolder(s.o.Project, 0, []string{"**/.git", "**/HEAD"}, nil) {
		dir := filepath.Dir(path)
		switch filepath.Base(path) {
		case "HEAD":
			if r, ok := gitdir.Bare(dir); ok && filepath.Base(dir) != ".git" {
				list = append(list, r.ExecutedPaths("")...)
			}
		default:
			r, ok := gitdir.At(dir)
			switch {
			case !ok || dir == s.o.Project:
			case r.Dir == path:
				list = append(list, r.ExecutedPaths(s.o.User)...)
			case !r.Linked(): // programs may remove a linked work tree
				list = append(list, path)
			}
		}
	}
	return list
}
