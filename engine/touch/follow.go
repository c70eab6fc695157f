// This file resolves the paths of a call, and follows links.

package touch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

const separator = string(filepath.Separator)

// abs returns the absolute form of a path of the call. It keeps ".." in the path.
func (t *Touched) abs(name string) string {
	if _, ok := realpath.CutHome(name); ok && t.home != "" {
		name = t.home + name[1:]
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = t.dir + separator + name
	}
	return name
}

// behind returns what follows the path of a link in a path, which is given without its dots and as
// it is: .. may follow the link. ok is false if the path does not lead through the link.
func behind(clean, path, link string) (rest string, ok bool) {
	if rest, ok := strings.CutPrefix(clean, link); ok && (rest == "" || rest[:1] == separator) {
		return rest, true
	}
	for i := range path {
		if strings.HasPrefix(path[i:], separator+"..") && filepath.Clean(path[:i]) == link {
			return path[i:], true
		}
	}
	return "", false
}

// namesBehind returns where the links that a command line makes lead on a path that a program gets.
func namesBehind(t *Touched, all []shell.Path, name string) (out []string) {
	clean := ""
	for _, link := range all {
		if link.Link == "" {
			continue
		}
		if clean == "" {
			clean = filepath.Clean(t.abs(name))
		}
		rest, ok := behind(clean, t.abs(name), filepath.Clean(t.abs(link.Link)))
		if ok && rest != "" && !slices.Contains(out, link.Name+rest) {
			out = append(out, link.Name+rest)
		}
		if !t.disk.spend(1) {
			t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: name, Reads: true,
				Writes: true})
			break
		}
	}
	return out
}

// addBehindLinks adds the paths that a command line touches through links that it makes itself.
// These links do not exist yet, so that resolvePath does not follow them.
func (t *Touched) addBehindLinks(all []shell.Path) {
	var links []shell.Path
	for _, p := range all {
		if p.Link != "" {
			links = append(links, p)
		}
	}
	if len(links)*len(all) > maxBehind {
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Reads: true, Writes: true})
		return
	}
	if len(links) == 0 {
		return
	}
	clean := make([]string, len(all))
	for i, p := range all {
		clean[i] = filepath.Clean(t.abs(p.Name))
	}
	for _, link := range links {
		at := filepath.Clean(t.abs(link.Link))
		for i, p := range all {
			rest, ok := behind(clean[i], t.abs(p.Name), at)
			if !ok || p.Link != "" || rest == "" && p.From == "" {
				continue
			}
			// this path is the link itself
			if rest == "" && filepath.Clean(t.abs(p.From)) == filepath.Clean(t.abs(link.Name)) {
				continue
			}
			t.why.now = origin{by: p.By, word: p.Word, how: byLink}
			if link.Pattern {
				t.why.markUnknown(t.why.now.doubt(shell.TooWide, p.Writes))
			}
			to := t.abs(link.Name) + rest
			if p.Pattern && !t.addMatches(shell.Path{Name: to, Writes: p.Writes}) {
				t.why.markUnknown(t.why.now.doubt(shell.TooWide, p.Writes))
			}
			if t.addPath(to, p.Writes); p.From != "" {
				t.addPath(to+separator+filepath.Base(p.From), true)
			}
			if p.Below {
				t.addFolder(to, p.Writes)
			}
		}
	}
}
