// This file resolves the paths of a call, and follows links.

package touch

import (
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
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

// maxChain is how many links that a command line makes are followed one after another.
const maxChain = 5

// linksOf returns the links that a command line makes, and copies of them. These links do not exist
// yet, so that resolvePath does not follow them.
func linksOf(all []shell.Path) (links []shell.Path) {
	places := map[string]bool{}
	for _, p := range all {
		if p.Link != "" {
			links = append(links, p)
			places[filepath.Clean(p.Link)] = true
		}
	}
	for n := 0; n < maxChain && len(links) > 0; n++ {
		for _, p := range all {
			from, to := filepath.Clean(p.From), filepath.Clean(p.Name)
			if p.From != "" && places[from] && !places[to] {
				links = append(links, shell.Path{Name: p.From, Link: p.Name})
				places[to] = true
			}
		}
	}
	return links
}

// addBehindLinks adds the paths that a command line touches through links that it makes itself.
func (t *Touched) addBehindLinks(all []shell.Path) {
	links := linksOf(all)
	for i, link := range links { // in a folder, a link to ~ has the name of the home directory
		if filepath.Clean(link.Name) == "~" && filepath.Base(link.Link) == "~" && t.home != "" {
			links[i].Link = filepath.Join(filepath.Dir(link.Link), filepath.Base(t.home))
		}
	}
	if len(links)*len(all) > maxBehind {
		t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Reads: true, Writes: true})
		return
	}
	for _, p := range all {
		if p.Link != "" {
			continue
		}
		sure := followMade(t, links, p, 0, func(to string, link shell.Path) {
			addBehind(t, p, to, link)
		})
		if !sure {
			t.why.markUnknown(t.why.now.doubt(shell.TooMany, p.Writes))
		}
	}
}

// followMade calls f with each path that p stands for if it leads through links that the command
// line makes, one after another, of which some were followed before. It returns false if there may
// be others.
func followMade(t *Touched, links []shell.Path, p shell.Path, followed int,
	f func(to string, link shell.Path)) bool {
	name := filepath.Clean(t.abs(p.Name))
	for _, link := range links {
		to, ok := behindLink(t, p, name, link)
		if !ok {
			continue
		}
		t.why.now = origin{by: p.By, word: p.Word, how: byLink}
		if followed == maxChain || !t.disk.spend(1) {
			return false
		}
		f(to, link)
		next := p
		if next.Name = to; !followMade(t, links, next, followed+1, f) {
			return false
		}
	}
	return true
}

// addBehind adds a path that p stands for because of a link.
func addBehind(t *Touched, p shell.Path, to string, link shell.Path) {
	if link.Pattern || p.Pattern && !t.addMatches(shell.Path{Name: to, Writes: p.Writes}) {
		t.why.markUnknown(t.why.now.doubt(shell.TooWide, p.Writes))
	}
	if t.addPath(to, p.Writes); p.From != "" {
		t.addPath(to+separator+filepath.Base(p.From), true)
	}
	if p.Below {
		n := len(t.readsDeep)
		t.addFolder(to, p.Writes)
		for i := range t.readsDeep[n:] {
			t.readsDeep[n+i].filter(p.Filter)
		}
	}
}

// behindLink returns the path that a path with this absolute name stands for if a link is made; or,
// where a program works below a folder, the folder that it enters by the link.
func behindLink(t *Touched, p shell.Path, name string, link shell.Path) (to string, ok bool) {
	at, to := filepath.Clean(t.abs(link.Link)), t.abs(link.Name)
	target := filepath.Clean(to)
	rest, ok := behind(name, t.abs(p.Name), at)
	for i := strings.Index(name, glob.Unknown); !ok && i >= 0 && i < len(name); i++ {
		if name[i:i+1] == separator &&
			glob.Meets(filepath.ToSlash(at), filepath.ToSlash(name[:i])) {
			rest, ok = name[i:], true
		}
	}
	if p.Below && p.From == "" && rest == "" && within(filepath.ToSlash(name),
		filepath.ToSlash(at)) {
		return to, !within(filepath.ToSlash(name), filepath.ToSlash(target))
	}
	switch {
	case !ok, target == at,
		// this path is the link itself
		rest == "" && (p.From == "" || filepath.Clean(t.abs(p.From)) == target):
		return "", false
	}
	return to + rest, true
}
