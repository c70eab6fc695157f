// This file determines what cp, mv and similar programs read and write.

package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// suffixing are programs whose flags append a suffix to the names of files.
var suffixing = []string{"cp", "mv", "ln", "install", "rsync"}

// copies adds what cp, mv and similar programs do: they write the last word or, if it is a folder,
// a file of each name in it.
func (o *operands) copies(moving, deep bool) {
	if o.a.program == "rsync" {
		dropPatterns(o)
		for i := 2; i < len(o.c.Argv); i++ {
			if w := o.c.Argv[i-1]; contains([]string{"--log-file", "--write-batch",
				"--only-write-batch", "--backup-dir", "--partial-dir", "--temp-dir", "-T"}, w) {
				o.one(i, true, strings.HasSuffix(w, "dir"))
			}
		}
	}
	all, program := o.all, o.a.program
	if program == "install" && o.a.has(o.c, "directory") == yes {
		o.each(all, true, false)
		return
	}
	if program == "rename" && onlyShows(o) {
		o.each(all, false, false)
		return
	}
	moving = moving || program == "rsync" && (o.a.has(o.c, "remove-source-files") == yes ||
		o.a.has(o.c, "remove-sent-files") == yes)
	away := program == "rsync" && len(all) > 0 && strings.Contains(o.c.Argv[all[len(all)-1]], ":")
	for _, flag := range []string{"b", "backup", "suffix", "parents"} { // files of other names, too
		if o.a.has(o.c, flag) == yes && contains(suffixing, program) && !away {
			o.f.unknown(true, ownNames, "")
		}
	}
	to := o.given("target-directory")
	for i := range to { // a folder, also if the command creates it
		to[i].text += "/"
	}
	switch last := len(all) - 1; {
	case len(to) > 0:
	case last > 0:
		i := all[last]
		to, all = o.named(i), all[:last]
	case program == "ln": // the link is in this directory
		to = []value{{".", true, word{}}}
	}
	before := len(o.f.out.All)
	o.each(all, false, deep)
	o.f.keepNames(before, searched(o, len(o.c.Argv)))
	if moving {
		o.each(all, true, deep)
	}
	if program == "rename" {
		renamed(o)
	}
	if program == "ln" || program == "cp" && (o.a.has(o.c, "link") == yes ||
		o.a.has(o.c, "symbolic-link") == yes) {
		o.linked(all, to)
	}
	for _, v := range to {
		// another machine
		if at := strings.Index(v.text, ":"); at > 0 && (program == "scp" || program == "rsync") {
			continue
		}
		o.into(v, all, deep)
	}
}

// onlyShows reports whether rename only shows what it would do. Its program runs all the same, and
// must be a plain one.
func onlyShows(o *operands) bool {
	flags := o.c.Argv[1:]
	if i := slices.Index(flags, "--"); i >= 0 {
		flags = flags[:i]
	}
	return len(o.all) > 0 && perlRename().MatchString(o.c.Argv[o.all[0]]) &&
		anyOf(flags, func(w string) bool { return w == "-n" || w == "--no-act" || w == "--nono" })
}

// plainRename matches the text that the other rename replaces: as a program, it runs nothing.
var plainRename = lazyregexp.New(`^([\w.+-]*| +)$`)

// perlRename matches a program of rename that replaces a text by a plain one, which follows. Other
// texts may have programs in them.
var perlRename = lazyregexp.New(`^s(/|\||#)(?:\\.|[^\\/|#@${])+\$?(?:/|\||#)` +
	`([\w. -]+)(?:/|\||#)[gi]*$`)

// renamed adds the names that rename may give to its operands: they contain the text that it puts
// in, if that is known.
func renamed(o *operands) {
	if len(o.all) == 0 {
		return
	}
	from, by, files := o.all[0], "", o.all[1:]
	if parts := perlRename().FindStringSubmatch(o.c.Argv[from]); parts != nil {
		by = parts[2]
	} else if len(files) > 0 && plainRename().MatchString(o.c.Argv[from]) {
		by, files = o.c.Argv[files[0]], files[1:]
	}
	if by == "" || unknownIn(o.c.Static) || strings.Contains(by, "/") {
		o.f.unknown(true, ownNames, "")
		return
	}
	for _, i := range files {
		name := o.c.Argv[i]
		dir := path.Dir(o.c.info[i].home(name)) + "/"
		tail := path.Base(name[strings.LastIndexAny(name, "*?]")+1:])
		// a name ends with the text, or with it and a part of what it ends with
		ends := []string{by, by + glob.Unknown + tail}
		for at := range tail {
			ends = append(ends, by+tail[at:])
		}
		if strings.Contains(o.c.Argv[from], "$/") || strings.Contains(o.c.Argv[from], "$|") {
			ends = ends[:1]
		}
		for _, end := range ends {
			o.f.addMaybe(o.c.in, Maybe{Name: dir + glob.Unknown + end, By: o.c.Name, Writes: true,
				Made: true, Near: true})
		}
	}
}

// linked adds the targets of the links that a command makes as written paths: writing to such a
// link writes its target, also later in the same command line, when the link does not exist yet.
// The target of a symbolic link is relative to the folder that holds the link, unless ln makes it
// so.
func (o *operands) linked(from []int, to []value) {
	symbolic := (o.a.has(o.c, "symbolic") != no || o.a.has(o.c, "symbolic-link") != no) &&
		!(o.a.program == "ln" && o.a.has(o.c, "relative") == yes)
	for _, i := range from {
		for _, v := range o.named(i) {
			if !v.known {
				o.f.unknown(true, dynamicWord, v.text)
				continue
			}
			name := v.info.home(v.text)
			for _, at := range to { // the link itself, or the folder that will contain it
				link := at.info.home(at.text)
				links := []string{link, path.Join(link, path.Base(name))}
				if base := path.Base(link); base == "." || base == ".." { // a folder
					links = links[1:]
				}
				for _, link := range links {
					p := Path{Name: name, Writes: true, Pattern: v.info.glob, Link: link}
					if symbolic && !path.IsAbs(name) && !strings.HasPrefix(name, "~") {
						p.Name = path.Dir(link) + "/" + name // .. may follow a link in it
					}
					o.f.addPath(o.c.in, p)
				}
			}
		}
	}
}

// into adds a file that is written, or the files of these names in it.
func (o *operands) into(to value, from []int, deep bool) {
	if to.info.shapes != nil && !to.info.splits && (o.a.program == "mv" ||
		o.a.program == "cp" && !deep && !copiesLinks(o)) {
		o.f.addShapes(o.c.in, to.info.shapes, Maybe{By: o.f.by, Writes: true}, true)
		for _, i := range from { // or it is a folder, or a link to one
			for _, name := range shapesOf(o, i) {
				name = "/" + anyText.Replace(path.Base(name))
				for _, shape := range to.info.shapes {
					o.f.addShapes(o.c.in, []string{shape + name}, Maybe{By: o.f.by, Writes: true},
						true)
				}
			}
		}
		return
	}
	o.value(to, true)
	if !to.known {
		return
	}
	over := ""
	if o.a.has(o.c, "no-target-directory") == yes { // its content is placed there directly
		over = "/."
	}
	for _, i := range from {
		if found := o.c.info[i].found; found != nil && over == "" {
			o.landed(to, found)
			continue
		}
		for _, v := range o.named(i) {
			if !v.known {
				o.f.unknown(true, dynamicWord, v.text)
				continue
			}
			one := Path{Name: to.info.home(to.text), Writes: true, Below: deep,
				Pattern: to.info.glob, From: v.info.home(v.text) + over, FromPattern: v.info.glob}
			o.f.addPath(o.c.in, one)
			// the first time it creates the folder, and the next time it copies into that
			if base := path.Base(one.From); deep && over == "" && !one.FromPattern && base != "." &&
				base != ".." && base != "~" && copiesAgain(o) {
				one.Name = path.Join(one.Name, base)
				o.f.addPath(o.c.in, one)
			}
		}
	}
	if o.a.program == "rsync" && (o.a.has(o.c, "delete") != no ||
		anyOf(o.c.Argv,
			func(w string) bool { return strings.HasPrefix(w, "--del") })) {
		o.f.addPath(o.c.in, Path{Name: to.info.home(to.text), Writes: true, Below: true,
			Pattern: to.info.glob})
	}
}

// copiesAgain reports whether a copy may run more than once.
func copiesAgain(o *operands) bool {
	s := o.f.s
	return s.loops || len(s.functions) > 0 || slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.Pos != o.c.Pos && c.Text == o.c.Text
	})
}

// landsAs returns the base name, in lower case, of a file that a command writes: in the folder . it
// is that of its source. ok is false if there is none, or another path tells it.
func landsAs(p Path, by *Command) (name string, ok bool) {
	name = strings.ToLower(path.Base(p.Name))
	if name != "." || by == nil || !contains(suffixing, by.Name) {
		return name, p.Writes
	}
	if p.From != "" && !p.FromPattern {
		name = strings.ToLower(path.Base(p.From))
	}
	return name, p.Writes && p.From != ""
}

// copiesLinks reports whether cp may copy links as links.
func copiesLinks(o *operands) bool {
	return anyOf([]string{"P", "d", "no-dereference", "preserve", "link", "symbolic-link"},
		func(flag string) bool { return o.a.has(o.c, flag) != no })
}

// anyText makes the signs of a pattern stand for any text.
var anyText = strings.NewReplacer("*", glob.Unknown, "?", glob.Unknown, "[", glob.Unknown)

// shapesOf returns what word i may be, in parts.
func shapesOf(o *operands, i int) []string {
	switch w := o.c.info[i]; {
	case w.shapes != nil && !w.splits:
		return w.shapes
	case w.values != nil:
		return w.values
	case o.c.Static[i]:
		return o.c.Argv[i : i+1]
	}
	return []string{glob.Unknown}
}

// landed adds the files in a folder to which files are copied that another program names.
func (o *operands) landed(to value, found []Path) {
	for _, p := range found {
		name := p.Only
		if name == "" {
			name = path.Base(p.Name)
		}
		if name = strings.ReplaceAll(name, "*", glob.Unknown); strings.ContainsAny(name, "?[\\") {
			o.f.unknown(true, matched, p.Word)
		}
		o.f.addMaybe(o.c.in, Maybe{Name: path.Join(to.info.home(to.text), name), By: o.f.by,
			Writes: true, Made: strings.Contains(name, glob.Unknown), Near: true})
	}
}

// named returns what word i names: several names if a variable may hold several.
func (o *operands) named(i int) (out []value) {
	for _, text := range o.c.info[i].values {
		o.f.made(o.c.in, o.c.info[i], text, true)
		out = append(out, value{text, true, word{glob: Pattern(text), tilde: true}})
	}
	if len(out) == 0 {
		out = []value{{o.c.Argv[i], o.c.Static[i], o.c.info[i]}}
	}
	return out
}

// extracts records that the program may write any file below a folder, as tar and patch do with
// what archives and patches contain. If the line may have put links there before, it may write any
// file.
func extracts(o *operands, in *place) {
	if in.lost || anyOf(in.now, Pattern) || mayHoldLinks(o) ||
		slices.ContainsFunc(o.f.out.Maybe, func(m Maybe) bool { return m.Tree || m.Inside }) {
		o.f.unknownWrites(ownNames, "")
		return
	}
	o.f.doubt(Doubt{Cause: Below, By: o.f.by})
	o.f.addMaybe(in, Maybe{Name: "./", By: o.f.by, Writes: true, Inside: true})
}

// mayHoldLinks reports whether o may unpack several archives, or where programs may have put links
// before.
func mayHoldLinks(o *operands) bool {
	s := o.f.s
	if s.loops || len(s.functions) > 0 || o.f.out.Program != "" ||
		anyOf(o.c.Via, func(by string) bool {
			return by == "find" || by == "xargs" || by == "parallel"
		}) {
		return true
	}
	for i, w := range o.c.Argv {
		switch zip := o.a.program == "unzip"; {
		case zip && len(o.all) > 0 && i > o.all[0]: // names in the archive
		case o.c.info[i].found != nil, !o.c.Static[i] && len(o.c.may(i)) != 1,
			o.c.info[i].glob, zip && Pattern(w):
			return true
		}
	}
	for i := range s.Commands {
		if &s.Commands[i] == o.c {
			break
		}
		if c := &s.Commands[i]; c.Name == "git" {
			switch c.sorted().sub {
			case "clone", "worktree", "submodule", "init":
				return true
			}
		}
	}
	return false
}

// unpackPlace returns where a line unpacks files for the first time: the Pos of the command; -1 =
// it does not.
func unpackPlace(s *Script) int {
	at := -1
	for i := range s.Commands {
		if c := &s.Commands[i]; mayUnpack(c) && (at < 0 || c.Pos < at) {
			at = c.Pos
		}
	}
	return at
}

// mayUnpack reports whether a command may create files from an archive or a patch.
func mayUnpack(c *Command) bool {
	switch program := programName(c.Name); program {
	case "tar", "bsdtar":
		return readTar(c.Argv).extracts()
	default:
		_, known := extracting[program]
		return known && !onlyLists(c, program)
	}
}

// extractFlags are the flags with which programs write only below a folder: without a value, with
// one that is no path, and the one whose value is the folder.
type extractFlags struct {
	plain, valued, folder string // letters
	long                  func() map[string]bool
	// files may follow the flags that are written
	patches bool
}

var extracting = map[string]extractFlags{
	"tar": {"xzjJvmpkOaS", "f", "C", setOf("extract get file gzip bzip2 xz zstd verbose " +
		"strip-components exclude no-same-owner no-same-permissions same-permissions " +
		"keep-old-files skip-old-files wildcards one-top-level touch directory"), false},
	"unzip": {"qonjuLa", "xP", "d", setOf(""), false},
	"patch": {"NRsubftEl", "piF", "d", setOf("strip input forward reverse silent quiet force " +
		"batch verbose directory fuzz binary backup"), true},
}

// extractPlace returns the folder below which an extracting program writes, and the words that are
// no flags. ok is false if it may write elsewhere.
func extractPlace(o *operands, program string) (in *place, words []int, ok bool) {
	flags, c := extracting[program], o.c
	if in = c.in; !unset(o.f.s, "TAR_OPTIONS", "UNZIP", "UNZIPOPT", "POSIXLY_CORRECT") {
		return nil, nil, false
	}
	for i := 1; i < len(c.Argv); i++ {
		w := c.Argv[i]
		old := program == "tar" && i == 1 && !strings.HasPrefix(w, "-")
		switch name, _, has := strings.Cut(w, "="); {
		case !c.Static[i] && c.info[i].values == nil && (c.info[i].prefix == "" ||
			c.info[i].prefix[0] == '-'):
			return nil, nil, false
		case strings.HasPrefix(w, "--") && (!flags.long()[name[2:]] || name == "--directory" ||
			has && name == "--one-top-level" ||
			!has && contains([]string{"--file", "--exclude", "--strip", "--input", "--fuzz",
				"--strip-components"}, name)):
			return nil, nil, false
		case strings.HasPrefix(w, "--"):
		case strings.HasPrefix(w, "-") && len(w) > 1 || old:
			at := strings.IndexAny(w, flags.valued+flags.folder)
			letters, value := w, ""
			if at >= 0 {
				letters, value = w[:at], w[at+1:]
			}
			if strings.Trim(strings.TrimPrefix(letters, "-"), flags.plain) != "" ||
				old && at >= 0 && value != "" {
				return nil, nil, false
			}
			if at < 0 {
				break
			}
			if value == "" {
				if i++; i == len(c.Argv) {
					return nil, nil, false
				}
			} else if strings.ContainsAny(w[at:at+1], flags.folder) {
				return nil, nil, false // -Cdir
			}
			if strings.ContainsAny(w[at:at+1], flags.folder) {
				if in != c.in {
					return nil, nil, false
				}
				in = enter(c, in, i)
			}
		default:
			words = append(words, i)
		}
	}
	return in, words, in != nil
}

// unpacks adds what tar, unzip and patch write, and returns true, if that is all below a folder.
func unpacks(o *operands) bool {
	program := strings.TrimPrefix(o.a.program, "g") // gtar
	if _, known := extracting[program]; !known || onlyLists(o.c, program) {
		return false
	}
	in, words, ok := extractPlace(o, program)
	if !ok || program == "unzip" && len(words) == 0 {
		return false
	}
	if program == "tar" { // what it extracts is not shown, unless it is named
		for _, i := range words {
			o.f.maybe(o.c, i, Maybe{By: "tar"})
		}
		extracts(o, in)
		return true
	}
	here := o.c
	at := *here
	at.in = in
	switch o.c = &at; program {
	case "patch": // the first is the file that it changes, the second the patch
		for n, i := range words {
			o.one(i, n == 0, false)
		}
		for _, v := range o.given("input") {
			o.value(v, false)
		}
	default:
		o.each(words[:1], false, false)
	}
	o.c = here
	extracts(o, in)
	return true
}
