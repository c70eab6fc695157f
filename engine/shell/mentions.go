// This file finds paths within the words and the input of programs: in SQL, lists of files and
// settings, and in commands that a program may run.

package shell

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/shell/internal/dialect"
)

// maxMentions limits how many words of a text may be paths. With more, the paths are unknown.
const maxMentions = 300

// interpretsText reports whether the program of c may run or interpret a word that is a text.
func interpretsText(c *Command) bool {
	switch _, files := fileWays()[c.Name]; {
	case c.launches() > 0 || texts()[c.module()]:
		return false
	case c.carries():
		return true
	case files || texts()[c.Name] || Wraps(c.Name) && !interprets(c.Name):
		return false
	}
	return true
}

// besidePath reports whether a character in a text stands beside a path, rather than in it.
func besidePath(r rune) bool {
	return strings.ContainsRune(" \t\r\n\x00'\"`(){}<>,;:=|&@\\$!#^", r)
}

// mentions adds the words of a text that may be paths; m has the other fields.
func (f *finder) mentions(c *Command, text string, m Maybe) {
	words := strings.FieldsFunc(text, besidePath)
	if len(words) > maxMentions {
		f.unknown(m.Writes, longText, plain.FirstLine(text))
		return
	}
	command := false // its patterns are patterns of file names
	if len(words) > 0 {
		_, command = fileWays()[programName(words[0])]
	}
	for _, w := range words {
		if list := strings.Trim(w, "[]"); len(list)+2 == len(w) && w[0] == '[' { // [.env] in YAML
			w = list
		}
		if strings.Trim(w, "./*?-+%!#$~") == "" || len(w) > maxMaybe ||
			strings.HasPrefix(w, "//") && strings.Contains(text, ":"+w) { // https://host
			continue
		}
		if m.Name, m.Pattern = w, Pattern(w); m.Pattern && !command &&
			strings.Trim(w, "*?[].") == "" {
			continue
		}
		m.Word = !strings.Contains(w, "/") && w[0] != '.' && w[0] != '~'
		f.addMaybe(c.in, m)
	}
}

// namedBefore adds the paths in a line that writes files whose names are known only when it runs:
// such a name may come from anywhere in it, as in set -- ~/x*; rm $1.
func (f *finder) namedBefore() {
	at := slices.IndexFunc(f.out.Doubts, func(d Doubt) bool {
		return d.Reads && d.Writes && (d.Cause == dynamicWord || d.Cause == matched)
	})
	if at < 0 {
		return
	}
	const most = 5
	var places []*place
	for i := range f.s.Commands {
		in := f.s.Commands[i].in
		if in == nil || slices.Contains(places, in) || len(places) == most {
			continue
		}
		places = append(places, in)
		f.mentions(&Command{in: in}, f.s.text, Maybe{By: f.out.Doubts[at].By, Writes: true})
	}
}

// mentionsOf adds the words of the texts that word i of c may be.
func (f *finder) mentionsOf(c *Command, i int, m Maybe) {
	all := c.may(i)
	if all == nil {
		all = []string{homeVariable().ReplaceAllString(c.Argv[i], "~")}
	}
	for _, text := range all {
		if strings.ContainsAny(text, " \t\n'\"`(){}<>;|&") {
			f.mentions(c, text, m)
		}
	}
}

// homeVariable matches the variable for the home directory.
var homeVariable = lazyregexp.New(`\$(HOME\b|\{HOME\})`)

// mayWriteWords adds what the words of c name, and the texts in them, as files that c may write:
// code of sed or awk, for example, or words of which it is not known which are flags.
func (f *finder) mayWriteWords(c *Command) {
	m := Maybe{By: c.Name, Writes: true}
	for i := 1; i < len(c.Argv); i++ {
		f.maybe(c, i, m)
		f.mentionsOf(c, i, m)
	}
}

// listing are flags with which programs read names of files, or settings, from a file or from
// their standard input.
var listing = map[how][]string{
	likeTar:  {"-T", "--files-from"},
	likeZip:  {"-@", "--names-stdin"},
	likeGit:  {"--stdin", "--stdin-paths", "--pathspec-from-file", "--include-path"},
	likeCurl: {"-K", "--config", "-i", "--input-file"},
	toLast:   {"--files-from", "--include-from"},
}

// texts adds what texts name that c reads: its standard input, and files that the same command line
// writes. way is how it uses its words; known is false for an unknown program.
func (f *finder) texts(c *Command, way how, known bool) {
	if known && c.opaque() == "interpreter" { // its words are code, as those of sed and awk
		f.mayWriteWords(c)
		known = false
	}
	m := Maybe{By: c.Name, Writes: !known || way == likeCurl}
	if known {
		lists := func(w string) bool {
			return anyOf(listing[way],
				func(flag string) bool { return spells(w, flag) }) || way == likeTar &&
				w == c.Argv[min(1, len(c.Argv)-1)] && strings.Contains(w, "T") // tar cT LIST
		}
		if !anyOf(c.Argv, lists) {
			return
		}
	} else if texts()[c.Name] || places()[c.Name] && !kustomizes(c) {
		return
	}
	f.mentions(c, c.stdinText, m)
	if len(f.written) == 0 {
		return
	}
	if !known && !silentPrograms()[programName(c.Name)] {
		for _, name := range slices.Sorted(maps.Keys(f.written)) { // as terraform reads all *.tf
			if !isProse(name) {
				f.mentions(c, f.written[name], m)
			}
		}
	}
	for i := range f.s.Redirects {
		if r := &f.s.Redirects[i]; !r.Writes && r.Command >= 0 && &f.s.Commands[r.Command] == c {
			f.mentions(c, f.written[path.Base(r.Path)], m)
		}
	}
	for _, w := range c.Argv[1:] {
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool {
			return strings.ContainsRune("=@,:", r)
		}) {
			for _, name := range []string{part, short(part)} {
				if text := f.written[path.Base(name)]; text != "" {
					f.mentions(c, text, m)
				}
			}
		}
	}
}

// kustomizes reports whether kubectl builds settings from files of a folder here.
func kustomizes(c *Command) bool {
	return anyOf(c.Argv, func(w string) bool {
		return w == "kustomize" || w == "--kustomize" || strings.HasPrefix(w, "-k")
	})
}

// changesIgnored reports whether the line changes a file that says what git or npm ignores.
func changesIgnored(f *finder) bool {
	is := func(name string) bool {
		return contains([]string{".gitignore", ".npmignore", "exclude"}, path.Base(name))
	}
	if f.wrote == nil {
		return false
	}
	for name := range f.wrote().names {
		if is(name) {
			return true
		}
	}
	return anyCommand(f.s, func(c Command) bool { // touch and rm write no text
		return c.Name != "git" && emptying()[c.Name] && anyOf(c.Argv, is)
	})
}

// isProse reports whether a file with this name is for people, or lists names for git and others.
func isProse(name string) bool {
	return strings.HasSuffix(name, "ignore") || contains([]string{".md", ".txt", ".rst",
		".adoc", ".html", ".csv", ".log"}, path.Ext(name))
}

// writtenTexts returns the texts that the command line writes to files, as far as it shows them, by
// the names of the files without folders.
func (s *Script) writtenTexts() map[string]string {
	out := map[string]string{}
	for i := range s.Redirects {
		r := &s.Redirects[i]
		if !r.Writes || r.Path == "" || r.Command < 0 || r.Command >= len(s.Commands) {
			continue
		}
		out[path.Base(r.Path)] += "\n" + printed(&s.Commands[r.Command])
	}
	for i := range s.Commands {
		if c := &s.Commands[i]; c.Name == "tee" {
			for _, w := range c.Argv[1:] {
				out[path.Base(w)] += "\n" + c.stdinText
			}
		}
	}
	return out
}

// printed returns what c writes to its standard output, as far as its words and its input show it.
func printed(c *Command) string {
	switch c.Name {
	case "echo", "printf":
		return strings.ReplaceAll(strings.Join(c.Argv[1:], " "), `\n`, " ")
	case "cat":
		return c.stdinText
	}
	return ""
}

// mayRun reports whether a word of c may be a command line, or the name of a program that uses
// files; that of a module of Python is no such program.
func mayRun(c *Command) bool {
	return anyOf(c.Argv[1:], func(w string) bool {
		_, known := fileWays()[w]
		return known && c.module() == "" || strings.ContainsAny(w, shellSigns)
	})
}

// carried adds the paths of the commands that c may run.
func (f *finder) carried(c *Command) {
	if f.wrote == nil || texts()[c.Name] && !c.carries() || places()[c.Name] ||
		!c.carries() && !mayRun(c) {
		return
	}
	left := maxGuessed
	g := c.guesses(&left)
	inner := &finder{s: f.s, by: f.by, written: f.written}
	for i := range g.files {
		g.files[i].Command = -1
		inner.redirect(&g.files[i])
	}
	for i := range g.all {
		one := &g.all[i]
		if len(one.Argv) == 0 {
			continue
		}
		if _, known := fileWays()[one.sorted().program]; known {
			inner.command(one)
		}
		if executable(one.Argv[0]) && f.wrote().holds(one.Argv[0]) || Wraps(one.Name) &&
			f.wrote().ran(one) {
			f.unknown(true, "file", c.Text)
		}
	}
	if g.hides != "" {
		f.unknown(true, Cause(g.hides), c.Text)
	}
	for _, d := range inner.out.Doubts {
		f.doubt(d)
	}
	for _, p := range inner.out.All {
		f.out.Maybe = append(f.out.Maybe, Maybe{Name: p.Name, By: c.Name, Writes: p.Writes,
			Pattern: p.Pattern, Below: p.Below, Only: p.Only})
	}
	f.out.Maybe = append(f.out.Maybe, inner.out.Maybe...)
}

// unpackers are programs that unpack archives, besides those whose words are known, by letters of
// the flags with which they do.
var unpackers = sync.OnceValue(func() map[string]string {
	out := map[string]string{"sqlite3": "A"}
	for name := range strings.FieldsSeq("dpkg dpkg-deb ptar bsdcpio") {
		out[name] = "xXRei"
	}
	return out
})

// feedsComputedName reports whether a text of the line, which c may get as its input, puts together
// the name of a file.
func (f *finder) feedsComputedName(c *Command) bool {
	if f.computes == nil {
		found := anyCommand(f.s, func(c Command) bool { return dialect.ComputesName(c.Text) })
		for _, text := range f.written {
			found = found || dialect.ComputesName(text)
		}
		f.computes = &found
	}
	return *f.computes || dialect.ComputesName(c.stdinText)
}

// foldersRead adds the folders whose files programs read that are otherwise unknown, and what they
// unpack: the archives of Python's modules, the files that kubectl puts into a configuration.
func (f *finder) foldersRead(c *Command) {
	if dialect.Queries(c.Name) && f.feedsComputedName(c) {
		f.unknown(true, ownNames, "")
	}
	archives := c.module() == "tarfile" || c.module() == "zipfile"
	for i, w := range c.Argv {
		flag, value, has := strings.Cut(w, "=")
		switch {
		case i == 0:
		case unpackers()[c.Name] != "" && strings.HasPrefix(w, "-") &&
			strings.ContainsAny(flag, unpackers()[c.Name]):
			f.unknown(true, ownNames, "")
		case (w == "pack" || w == "publish") && changesIgnored(f): // of npm and others
			f.addPath(c.in, Path{Name: ".", Below: true})
		case c.Name == "mount" && i > 1: // paths lead elsewhere from now on
			f.unknown(true, folder, c.Text)
		case c.Name == "sqlite3" && strings.Contains(strings.ToLower(w), "fsdir"):
			f.unknown(false, ownNames, "")
		case dialect.Queries(c.Name) && dialect.ComputesName(w):
			f.unknown(true, ownNames, "")
		case archives && (flag == "-e" || flag == "--extract"):
			f.unknown(true, ownNames, "")
		case archives && i > 3 && w[:min(1, len(w))] != "-" && c.Static[i]:
			f.addPath(c.in, Path{Name: c.info[i].home(w), Below: true, Pattern: c.info[i].glob})
		case (c.Name == "kubectl" || c.Name == "oc") && flag == "--from-file":
			if !has && i+1 < len(c.Argv) {
				value = c.Argv[i+1]
			}
			f.addPath(c.in, Path{Name: value[strings.LastIndexByte(value, '=')+1:], Below: true})
		}
	}
}
