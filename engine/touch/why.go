// This file says why a call is thought to touch a file: which word names it, and how that is known.

package touch

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/shell"
)

// origin is why a path is touched.
type origin struct {
	by, word string // the program that gets a word, or the tool that gets an argument
	how      how
}

// how says how a word leads to a path.
type how int

const (
	names   how = iota
	matches     // it is a pattern
	copies      // it is copied there
	leads       // it is a link that exists
	byLink      // it is a link that the line makes
)

// finding is a path that a glob matches.
type finding struct {
	path  string
	by    origin
	below bool // the word names a folder above it
}

// originOf returns the origin of a path that a command line names.
func originOf(p shell.Path) origin {
	o := origin{by: p.By, word: p.Word}
	switch {
	case p.From != "":
		o.how, o.word = copies, p.From
	case p.Link != "":
		o.how, o.word = byLink, p.Link
	case p.Pattern:
		o.how = matches
	}
	return o
}

// doubt returns the reason why the files that a word names are unknown.
func (o origin) doubt(why shell.Cause, writes bool) shell.Doubt {
	return shell.Doubt{Cause: why, Word: o.word, By: o.by, Reads: true, Writes: writes}
}

// maxDoubts limits how many reasons are kept.
const maxDoubts = 8

// reasons say why the paths of a call are touched, and why there may be others.
type reasons struct {
	readsBy, writesBy           []origin // of each path
	now                         origin   // of the paths that are added
	unknownReads, unknownWrites bool
	doubts                      []shell.Doubt
}

// markUnknown records why the call may touch unknown files.
func (r *reasons) markUnknown(d shell.Doubt) {
	first := d.Reads && !r.unknownReads || d.Writes && !r.unknownWrites
	r.unknownReads = r.unknownReads || d.Reads
	r.unknownWrites = r.unknownWrites || d.Writes
	if first || len(r.doubts) < maxDoubts && !slices.Contains(r.doubts, d) {
		r.doubts = append(r.doubts, d)
	}
}

// addOrigin records why the path is touched that was added last. link: it is where a link leads.
func (r *reasons) addOrigin(writes, link bool) {
	o := r.now
	if link && o.how == names {
		o.how = leads
	}
	if writes {
		r.writesBy = append(r.writesBy, o)
	} else {
		r.readsBy = append(r.readsBy, o)
	}
}

// origins returns those of the paths that are read or written.
func (r *reasons) origins(what string) []origin {
	if what == "writes" {
		return r.writesBy
	}
	return r.readsBy
}

// Why says, for a person, why the call touches or may touch a file that matches a glob: which word,
// which file that is, how it is known, and, if it is not certain, how to write the call so that it
// is. It is "" if the call certainly touches no such file.
func (t *Touched) Why(what, pattern string) string {
	folder, pattern := t.rooted(pattern)
	found, sure := findPath(t, what, folder, pattern)
	if found != nil {
		return found.sentence(what)
	}
	if m, path := t.perhaps(what, pattern); m != nil {
		return m.sentence(path)
	}
	for _, d := range t.why.doubts {
		if what == "reads" && d.Reads || what == "writes" && (d.Writes || !d.Reads) {
			return d.Explain()
		}
	}
	if named, below, _ := t.otherNames(what, folder, pattern); named || below {
		return "a file that it names is, by another name (a hard link), one that " + pattern +
			" matches"
	}
	if _, deep, _ := t.touched(what); !sure && len(deep) > 0 {
		return deep[0].by.doubt(shell.TooMany, what == "writes").Explain()
	}
	return ""
}

// sentence says why a path is touched: "cat reads /p/.env: the word $f stands for it".
func (f *finding) sentence(what string) string {
	word := shell.Show(f.by.word)
	says := cmp.Or(f.by.by, "the call") + " " + what + " " +
		shell.Show(filepath.ToSlash(f.path)) + ": "
	switch {
	case f.below:
		return says + "it is below " + word
	case f.by.how == matches:
		return says + "the pattern " + word + " matches it"
	case f.by.how == copies:
		return says + word + " becomes it"
	case f.by.how == leads:
		return says + word + " is a link to it"
	case f.by.how == byLink:
		return says + "the line makes " + word + " a link to it"
	case strings.ContainsAny(f.by.word, "$`"):
		return says + "the word " + word + " stands for it"
	}
	return says + "the word " + word + " names it"
}

// sentence says why a path may be touched.
func (m *maybe) sentence(path string) string {
	if m.inside {
		return shell.Doubt{Cause: shell.Below, By: m.by}.Explain()
	}
	if m.recorded != nil {
		return m.by + " shows or copies what git has recorded of " +
			shell.Show(filepath.ToSlash(path)) +
			"; to be certain, name other files, after --"
	}
	is, instead := " is ", "leave it out"
	if m.made {
		is = " may be "
	}
	if m.folder {
		is = " leads to a file in "
	}
	if !m.tool {
		instead = "use a program that is known, such as cat or cp, or leave it out"
	}
	return "the word " + shell.Show(m.name) + is +
		shell.Show(filepath.ToSlash(path)) + ", and what " + m.by +
		" does with it is not known; to be certain, " + instead
}
