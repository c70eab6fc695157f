// This file finds the files that patterns name.

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/glob"
)

// mostFolders is how many folders one search examines.
const mostFolders = 20_000

// scanner caches the contents of folders, so that a search reads only those that have changed.
type scanner struct {
	folders map[string]*folder
	most    int      // folders in one search
	deep    int      // folders below each other in one search; 0 = as many as there are
	skip    []string // folders of these names are not searched
	looked  int
}

// folder is the content of a folder when it was read.
type folder struct {
	changed time.Time
	subs    []string
	found   map[string][]string // files that match, by pattern
}

// findFiles returns the existing paths that match the patterns, which are absolute or begin with
// **. For the latter it searches the project and the folders that the settings make writable.
func (s *Sandbox) findFiles(patterns []string) (out []string) {
	var deep []string
	for _, pattern := range patterns {
		switch dir, rest := glob.Split(pattern); {
		case dir == "." && rest == "**": // everything
			out = append(out, s.o.Project)
		case rest == "" || rest == "**":
			out = append(out, filepath.FromSlash(dir))
		case filepath.IsAbs(dir) && dir != "/":
			out = append(out, s.scan([]string{filepath.FromSlash(dir)}, []string{pattern})...)
		default:
			deep = append(deep, pattern)
		}
	}
	if len(deep) > 0 {
		var own []string // caches and temporary folders do not hold the user's files
		if s.project() {
			own = append(own, s.o.Project)
		}
		out = append(out, s.scan(append(own, s.paths(s.o.Config.Writable)...), deep)...)
	}
	return out
}

// scan returns the paths below the roots that match one of the patterns.
func (s *Sandbox) scan(roots, patterns []string) (out []string) {
	s.scanner.looked = 0
	for _, root := range roots {
		out = s.scanner.walkFolder(filepath.Clean(root), 0, patterns, out)
	}
	if s.scanner.looked >= s.scanner.most {
		s.missed = append(s.missed, "not all files that match "+strings.Join(patterns, ", ")+
			" are protected: there are more than "+strconv.Itoa(s.scanner.most)+" folders")
	}
	return out
}

// walkFolder appends the paths below dir that match to out. depth is that of dir.
func (sc *scanner) walkFolder(dir string, depth int, patterns, out []string) []string {
	if sc.looked >= sc.most || depth > sc.deep && sc.deep > 0 ||
		slices.Contains(sc.skip, filepath.Base(dir)) {
		return out
	}
	sc.looked++
	st, err := os.Stat(dir)
	if err != nil || !st.IsDir() {
		return out
	}
	f := sc.folders[dir]
	// a second change within the same tick of the clock does not change the time
	if f == nil || !f.changed.Equal(st.ModTime()) || time.Since(st.ModTime()) < 2*time.Second ||
		!f.knows(patterns) {
		f = readFolder(dir, patterns)
		f.changed = st.ModTime()
		if sc.folders == nil {
			sc.folders = map[string]*folder{}
		}
		sc.folders[dir] = f
	}
	for _, p := range patterns {
		out = append(out, f.found[p]...)
	}
	for _, sub := range f.subs {
		out = sc.walkFolder(sub, depth+1, patterns, out)
	}
	return out
}

// knows reports whether the folder was searched for these patterns.
func (f *folder) knows(patterns []string) bool {
	for _, p := range patterns {
		if _, ok := f.found[p]; !ok {
			return false
		}
	}
	return true
}

// readFolder reads a folder. It leaves out the objects of git repositories.
func readFolder(dir string, patterns []string) *folder {
	f := &folder{found: map[string][]string{}}
	for _, p := range patterns {
		f.found[p] = nil
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && e.Name() == "objects" && filepath.Base(dir) == ".git" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			f.subs = append(f.subs, path)
		}
		for _, p := range patterns {
			if glob.Match(p, filepath.ToSlash(path)) {
				f.found[p] = append(f.found[p], path)
			}
		}
	}
	return f
}
