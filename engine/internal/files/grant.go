// This file decides which paths a grant covers.

package files

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
)

const (
	read  = "fs.read"
	write = "fs.write"
)

// grant is one pattern of a header.
type grant struct {
	anchor  string // an existing folder, with links followed
	pattern string // relative to anchor, with slashes
	hidden  bool   // wildcards also match names that begin with a dot: see hidden.go
}

// Reach is the set of files that a script may use. It is made for one call, because links may
// change.
type Reach struct {
	files  *Files
	grants map[string][]grant // by kind
}

// Reach returns the Reach of the globs of fs.read: and fs.write: grants. own is the script's own
// folder; "" = none. Invalid globs are ignored.
func (f *Files) Reach(reads, writes []string, own string) *Reach {
	r := &Reach{f, map[string][]grant{}}
	for kind, globs := range map[string][]string{read: reads, write: writes} {
		for _, g := range globs {
			if one, ok := f.grant(g); ok {
				r.grants[kind] = append(r.grants[kind], one)
			}
		}
		if own != "" {
			r.grants[kind] = append(r.grants[kind],
				grant{anchor: locate(own), pattern: "**", hidden: true})
		}
	}
	return r
}

// grant parses a glob. Links above the project, and those at the beginning of an absolute glob or
// of one in the home, are followed: they are the user's. Links in the project are not followed:
// they come from the author of the repository.
func (f *Files) grant(text string) (grant, bool) {
	if glob.Check(text) != nil {
		return grant{}, false
	}
	text = filepath.ToSlash(text)
	at, inHome := f.inHome(text)
	_, home := realpath.CutHome(text)
	switch {
	case inHome:
		text = at
	case home:
		return grant{}, false
	case !filepath.IsAbs(text):
		if f.o.Project == "" {
			return grant{}, false
		}
		if text = path.Clean(text); text != ".." && !strings.HasPrefix(text, "../") {
			return grant{anchor: locate(f.o.Project), pattern: text}, true
		}
		text = path.Join(filepath.ToSlash(f.o.Project), text)
	}
	text = path.Clean(text)
	for _, project := range []string{f.o.Project, locate(f.o.Project)} {
		if in, ok := strings.CutPrefix(text, filepath.ToSlash(project)+"/"); ok && project != "" {
			return grant{anchor: locate(project), pattern: in}, true
		}
	}
	return anchored(text), true
}

// anchored splits an absolute glob after the last existing folder before its first wildcard.
func anchored(text string) grant {
	names := strings.Split(text, "/") // the first is "", or a volume
	plain := 1
	for plain < len(names)-1 && !strings.ContainsAny(names[plain], `*?[{\`) {
		plain++
	}
	for ; plain > 1; plain-- {
		if dir := filepath.FromSlash(strings.Join(names[:plain], "/")); realpath.IsDir(dir) {
			return grant{anchor: locate(dir), pattern: strings.Join(names[plain:], "/")}
		}
	}
	return grant{anchor: filepath.FromSlash(names[0] + "/"), pattern: strings.Join(names[1:], "/")}
}

// covers reports whether g covers the path rel below its anchor.
func (g grant) covers(rel string) bool {
	if rel == "." {
		return g.pattern == "." || g.pattern == "**"
	}
	return glob.Match(g.pattern, rel) && (g.hidden || namesHidden(g.pattern, rel))
}

// coversTree reports whether g covers a folder and every possible path below it.
func (g grant) coversTree(rel string) bool {
	return (g.pattern == "**" || strings.HasSuffix(g.pattern, "/**")) && g.covers(rel)
}

// mayHold reports whether g may cover a path in the folder rel.
func (g grant) mayHold(rel string) bool {
	return mayHold(g.pattern, rel) && (g.hidden || rel == "." || namesHidden(g.pattern, rel))
}

func mayHold(pattern, rel string) bool {
	if rel == "." {
		return true
	}
	signs, names := strings.Split(pattern, "/"), strings.Split(rel, "/")
	for i, name := range names {
		switch {
		case i >= len(signs):
			return false
		// the pattern may continue after the slash
		case signs[i] == "**" || strings.ContainsAny(signs[i], "{}"):
			return true
		case !glob.Match(signs[i], name):
			return false
		}
	}
	return len(signs) > len(names)
}

// spot is a path that a grant covers: the grant's anchor, and the rest.
type spot struct{ anchor, rel string }

func (s spot) path() string { return filepath.Join(s.anchor, filepath.FromSlash(s.rel)) }

// parent returns the folder of s, and the name of s in it.
func (s spot) parent() (spot, string) { return spot{s.anchor, path.Dir(s.rel)}, path.Base(s.rel) }

// grantFor returns the spot of real, a path without links, under the first grant of kind for which
// fits returns true.
func (r *Reach) grantFor(kind, real string, fits func(g grant, rel string) bool) (spot, bool) {
	for _, g := range r.grants[kind] {
		if rel, ok := realpath.Below(g.anchor, real); ok && fits(g, rel) {
			return spot{g.anchor, rel}, true
		}
	}
	return spot{}, false
}

// needs returns the error that no grant covers real.
func (r *Reach) needs(kind, real string) error { return &NeedsError{kind, r.files.shown(real)} }

// reached returns the spot of a path with its links followed. last: a link at the end of the path
// is followed too.
func (r *Reach) reached(kind, path string, last bool) (spot, error) {
	real := r.files.real(path, last)
	s, ok := r.grantFor(kind, real, grant.covers)
	if !ok {
		return spot{}, r.needs(kind, real)
	}
	if r.files.looked != nil {
		r.files.looked()
	}
	return s, nil
}

// folder is reached for a folder that is listed: a grant that covers a path in it is sufficient.
func (r *Reach) folder(path string) (spot, error) {
	real := r.files.real(path, true)
	for _, fits := range []func(grant, string) bool{grant.covers, grant.mayHold} {
		if s, ok := r.grantFor(read, real, fits); ok {
			if r.files.looked != nil {
				r.files.looked()
			}
			return s, nil
		}
	}
	return spot{}, r.needs(read, filepath.Join(real, "**"))
}

// visible reports whether a listing may show real to the script.
func (r *Reach) visible(real string, folder bool) bool {
	return slices.ContainsFunc(r.grants[read], func(g grant) bool {
		rel, ok := realpath.Below(g.anchor, real)
		return ok && (g.covers(rel) || folder && g.mayHold(rel))
	})
}
