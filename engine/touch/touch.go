// Package touch predicts which files a tool call reads and writes.
//
//	finder := touch.Finder{Home: home}
//	t := finder.Call(call, tool)
//	t.Writes() // absolute, links followed
//	yes, sure := t.Fits("writes", "**/.env*")
//
// For commands, engine/shell finds the paths in their words. For other tools, the tool's Subject
// names them, or, without one, the names of its arguments do. The result distinguishes three cases:
// paths that are certainly touched (Reads, Writes); paths passed to a program or tool whose use of
// them is unknown (Perhaps); and the possibility of other paths, which the call does not name
// (Unknown, and sure is false). The prediction depends on the file system, which may change before
// the call runs.
package touch

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

// Beyond these limits, the result is unknown.
const (
	// maxFound is how many files a pattern may match, or a folder may contain.
	maxFound = 5000
	// maxCopied is how many files below a copied folder are added; the links of each are followed.
	maxCopied = 500
	// maxPaths is how many paths of a call are followed: read ones, and written ones.
	maxPaths = 10_000
	// maxBehind is how many paths are compared with links that the same command line makes.
	maxBehind = 100_000
)

// Finder finds the files that calls touch.
type Finder struct {
	Home string // replaces ~
	// Ended reports that nobody waits for the result any more; may be nil.
	Ended func() bool
	// Wrote reports whether a file, by its absolute path with links followed, was written before in
	// the same session; nil = none was. Command lines that run such a file are followed into it.
	Wrote func(path string) bool

	environment *shell.Environment // see In
}

// In returns a Finder for shells with an environment, as os.Environ returns it; nil = unknown.
func (f Finder) In(environment []string) Finder {
	f.environment = shell.NewEnvironment(environment)
	return f
}

// Touched is the files that one call touches. It implements engine.Touched. Its methods are safe
// for concurrent use.
type Touched struct {
	dir, project, home    string
	reads, writes         []string // unique: with links in the folder followed, and the target
	readsDeep, writesDeep []folder // all files below these are touched too
	fills                 []string // those of writes whose contents the call decides about
	commands              []string
	runsIn                string // the folder of commands
	program               string
	script                *shell.Script // of the last of commands
	runsWritten           bool
	wrote                 func(path string) bool // see Finder
	environment           *shell.Environment
	maybes                []maybe // paths that may be read or written
	why                   reasons

	disk   disk
	linked linked

	// caches while the call is analyzed
	found map[string][]string // files, by pattern
	seen  map[string]bool     // paths in reads, and those in writes with ">" before them
}

// folder is a folder below which files are touched.
type folder struct {
	dir  string
	by   origin
	fits func(rel string) bool // which files, by the path from dir; nil: all
	key  string                // tells fits of the same folder apart
}

// filter tells that only some files in the folder are touched, by patterns of their names.
func (f *folder) filter(patterns string) {
	if f.key = patterns; patterns == "" {
		return
	}
	names := strings.Split(patterns, "\n")
	f.fits = func(rel string) bool {
		return glob.Kept(names, path.Base(rel)) ||
			patterns == shell.NotHidden && unhidden(filepath.Join(f.dir, filepath.FromSlash(rel)))
	}
}

// touches reports whether a file in the folder is touched.
func (f *folder) touches(path string) bool {
	if f.fits == nil {
		return true
	}
	rel, ok := strings.CutPrefix(filepath.ToSlash(path),
		strings.TrimSuffix(filepath.ToSlash(f.dir), "/")+"/")
	return !ok || f.fits(rel)
}

var _ engine.Touched = (*Touched)(nil)

// Reads returns the paths that are read.
func (t *Touched) Reads() []string { return t.reads }

// Writes returns the paths that are written, created or removed.
func (t *Touched) Writes() []string { return t.writes }

// Unknown reports whether the call may write files that cannot be predicted.
func (t *Touched) Unknown() bool {
	return t.why.unknownWrites ||
		slices.ContainsFunc(t.maybes, func(m maybe) bool { return m.tree })
}

// WritesBelow returns the folders below which the call writes everything.
func (t *Touched) WritesBelow() (dirs []string) {
	for i := range t.writesDeep {
		dirs = append(dirs, t.writesDeep[i].dir)
	}
	return dirs
}

// Commands returns the command lines that are run.
func (t *Touched) Commands() []string { return t.commands }

// Dir returns the folder in which the command lines run, with links followed.
func (t *Touched) Dir() string { return t.runsIn }

// Fills returns those of Writes about whose contents the call decides: it does not only remove them
// or change their mode.
func (t *Touched) Fills() []string { return t.fills }

// RunsWritten reports whether a command line runs a file that was written before: see Finder.
func (t *Touched) RunsWritten() bool { return t.runsWritten }

// Script returns the parsed command line of the call, with the text of the files that it runs and
// that were written before; nil = there is none.
func (t *Touched) Script() *shell.Script { return t.script }

// CanWrite reports whether the call may write the file at path, an absolute path with its links
// followed. A program that runs code, such as make, may write any file. It is asked when a file has
// changed, and the call may have ended then.
func (t *Touched) CanWrite(path string) bool {
	t.disk.later.Store(true)
	fits, sure := t.Fits("writes", glob.Escape(filepath.ToSlash(path)))
	return t.program != "" || fits || !sure
}

// Call returns the files that a tool call touches. tool may be nil: the call is unknown then.
func (f Finder) Call(c *engine.Call, tool *engine.Tool) engine.Touched {
	dir, project := "", ""
	if c.Env != nil {
		dir, project = c.Env.CWD, c.Env.Project
	}
	t := f.touched(dir, project)
	switch s := subjectOf(tool); {
	case s == nil:
		t.why.now.by = c.Tool
		arguments{t, c.Tool, tool == nil || !tool.ReadOnly}.addArguments(c.Args)
	case s.Kind == subject.Command:
		if cwd := value.Text(c.Args, s.Dir); cwd != "" {
			t.dir = t.abs(cwd)
			t.dir, _ = t.disk.links.Of(t.dir) // the command is started there
		}
		t.runsIn, _ = t.disk.links.Of(t.dir)
		t.addCommand(value.Text(c.Args, s.Arg))
	case s.Kind == subject.Path:
		t.why.now.by = c.Tool
		t.addSubject(s, c.Args)
	}
	return t
}

// subject returns the Subject of a tool; nil = none.
func subjectOf(tool *engine.Tool) *subject.Subject {
	if tool == nil {
		return nil
	}
	return tool.Subject
}

// Command returns the files that a command line touches that runs in dir.
func (f Finder) Command(line, dir, project string) *Touched {
	t := f.touched(dir, project)
	t.addCommand(line)
	return t
}

func (f Finder) touched(dir, project string) *Touched {
	if dir == "" {
		dir, _ = os.Getwd()
	}
	if project == "" {
		project = dir
	}
	t := &Touched{dir: dir, project: project, home: f.Home, wrote: f.Wrote,
		environment: f.environment, disk: disk{budget: budget{ended: f.Ended}}}
	t.disk.links.Spend = t.disk.spend
	return t
}

// changesPatterns reports whether a command may change what patterns of files match.
func changesPatterns(c shell.Command) bool {
	return c.Name == "shopt" || shell.SetsPatterns(&c) || slices.Contains(c.Assign, "GLOBIGNORE")
}

// addCommand adds the paths that a command line touches.
func (t *Touched) addCommand(line string) {
	t.commands = append(t.commands, line)
	s := t.parse(line)
	t.script, t.runsWritten = s, t.runsWritten || s.RunsWritten()
	p := s.Paths()
	t.program = p.Program
	for _, d := range p.Doubts {
		t.why.markUnknown(d)
	}
	shopt := slices.ContainsFunc(s.Commands, changesPatterns)
	// a link that the line makes may have any name
	links := slices.ContainsFunc(p.All,
		func(one shell.Path) bool { return one.Link != "" || one.From != "" })
	unlisted := links || makesOdd(p) // there may be names that are not listed now
	for _, one := range p.All {
		t.why.now = originOf(one)
		if one.Tracked || one.FromRoot {
			files, odd, ok := tracked(t, one.Name, one.FromRoot)
			if !ok || unlisted {
				t.why.markUnknown(t.why.now.doubt(shell.TooMany, one.Writes || odd))
			} else {
				addFiles(t, files, one.Writes)
			}
			if !one.Tracked { // those of another commit
				t.addMaybePath(shell.Maybe{Name: one.Name, By: one.By, Below: true,
					Writes: one.Writes})
			}
			continue
		}
		if one.Only != "" && !links && !one.Pattern &&
			!(one.Split && (unlisted || odd(one.Name))) && t.addOnly(one) {
			continue
		}
		if one.Split && (!one.Pattern || shopt || unlisted || becomeOthers(t, one.Name)) {
			t.why.markUnknown(t.why.now.doubt(shell.TooMany, one.Writes))
		}
		if one.From != "" {
			before := len(t.writes)
			t.addCopies(one, shopt)
			t.fills = append(t.fills, t.writes[before:]...)
			continue
		}
		if one.Pattern && (shopt || !t.addMatches(one)) {
			t.why.markUnknown(t.why.now.doubt(shell.TooWide, one.Writes))
		}
		before := len(t.writes)
		t.addPath(one.Name, one.Writes)
		if one.Fills {
			t.fills = append(t.fills, t.writes[before:]...)
		}
		if one.Below {
			n := len(t.readsDeep)
			t.addFolder(one.Name, one.Writes)
			for i := range t.readsDeep[n:] {
				t.readsDeep[n+i].filter(one.Filter)
			}
		}
	}
	t.addBehindLinks(p.All)
	addWords(t, p, links, unlisted, shopt)
}

// addWords adds what programs may take as paths. links: the line makes links; unlisted: it may make
// files with names that programs split; shopt: patterns may match others.
func addWords(t *Touched, p *shell.Paths, links, unlisted, shopt bool) {
	made := linksOf(p.All)
	for _, m := range p.Maybe {
		if m.Inside && links { // through one of them
			m.Name = separator
		}
		if m.Split && unlisted {
			t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: m.Name, By: m.By,
				Reads: true, Writes: m.Writes})
		}
		t.addMaybe(m, shopt)
		sure := t.disk.spend(len(made)) && followMade(t, made,
			shell.Path{Name: m.Name, Writes: m.Writes}, 0, func(to string, _ shell.Path) {
				one := m
				one.Name = strings.TrimPrefix(to, t.dir+separator)
				one.Made = strings.Contains(to, glob.Unknown)
				t.addMaybe(one, shopt)
			})
		if !sure {
			t.why.markUnknown(shell.Doubt{Cause: shell.TooMany, Word: m.Name, By: m.By,
				Reads: true, Writes: m.Writes})
		}
	}
}

// addPath adds a path with its folder's links followed, and its target. After a link, ".." is
// resolved both as the operating system does and as many tools do, which remove the name before it.
func (t *Touched) addPath(name string, writes bool) {
	if name == "" {
		return
	}
	list := &t.reads
	if writes {
		list = &t.writes
	}
	p := t.abs(name)
	if len(p) > realpath.MaxBytes+len(t.dir) { // no file can be opened by this name
		t.why.markUnknown(t.why.now.doubt(shell.Unresolved, writes))
		return
	}
	if len(*list) >= maxPaths {
		t.why.markUnknown(t.why.now.doubt(shell.TooMany, writes))
		return
	}
	all := []string{filepath.Clean(p)}
	if strings.Contains(p, "..") {
		all = append(all, p)
	}
	for _, p := range all {
		lies, leads, ok := t.disk.resolvePath(p)
		if !ok {
			t.why.markUnknown(t.why.now.doubt(shell.Unresolved, writes))
		}
		for i, one := range []string{lies, leads} {
			if isNew(t, one, writes) {
				*list = append(*list, one)
				t.why.addOrigin(writes, i > 0)
			}
		}
	}
}

// isNew reports whether isNew is called with a path for the first time.
func isNew(t *Touched, path string, writes bool) bool {
	if writes {
		path = ">" + path
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	known := t.seen[path]
	t.seen[path] = true
	return !known
}

// addFolder adds everything below a folder.
func (t *Touched) addFolder(name string, writes bool) {
	dir, ok := t.disk.links.Of(t.abs(name))
	switch {
	case !ok:
		t.why.markUnknown(t.why.now.doubt(shell.Unresolved, writes))
	case writes:
		t.writesDeep = append(t.writesDeep, folder{dir: dir, by: t.why.now})
	default:
		t.readsDeep = append(t.readsDeep, folder{dir: dir, by: t.why.now})
	}
}

// Fits reports whether one of the paths that are read ("reads") or written ("writes") matches a
// glob. sure is false if none matches and there may be unknown paths. A glob that begins with none
// of /, ~/ and ** is relative to the project.
func (t *Touched) Fits(what, pattern string) (fits, sure bool) {
	named, below, sure := t.Find(what, pattern)
	return named || below, named || below || sure
}

// Perhaps returns which program may read or write a file that matches a glob, because it gets the
// path as an argument: "ssh-keygen may write ~/.ssh/new". "" = none.
func (t *Touched) Perhaps(what, pattern string) string {
	if m, _ := t.perhaps(what, t.Rooted(pattern)); m != nil {
		return m.by + mayVerb(what) + m.name
	}
	return ""
}

// Rooted returns a glob, which may be relative to the project, as one for absolute paths.
func (t *Touched) Rooted(pattern string) string {
	_, whole := t.rooted(pattern)
	return whole
}

// Find is Fits with separate results for paths that the call names, and for paths below the folders
// that it names.
func (t *Touched) Find(what, pattern string) (named, below, sure bool) {
	folder, pattern := t.rooted(pattern)
	found, sure := findPath(t, what, folder, pattern)
	if found != nil {
		return !found.below, found.below, true
	}
	if named, below, known := t.otherNames(what, folder, pattern); named || below || !known {
		return named, below, named || below
	}
	m, _ := t.perhaps(what, pattern)
	return false, false, sure && m == nil
}

// findPath returns a path that matches a glob for absolute paths; nil = none is known. folder is
// the part of the glob without wildcards. sure is false if there may be others than those that the
// call names.
func findPath(t *Touched, what, folder, pattern string) (found *finding, sure bool) {
	paths, deep, sure := t.touched(what)
	for i, p := range paths {
		if glob.Match(pattern, filepath.ToSlash(p)) {
			return &finding{path: p, by: t.why.origins(what)[i]}, true
		}
	}
	for i := range deep {
		d := &deep[i]
		// no path below it can match
		if dir := filepath.ToSlash(d.dir); !within(folder, dir) && !within(dir, folder) {
			continue
		}
		l := t.disk.listFolder(d.dir)
		for _, p := range l.files {
			if glob.Match(pattern, filepath.ToSlash(p)) && (l.dirs[p] || d.touches(p)) {
				return &finding{path: p, by: d.by, below: true}, true
			}
		}
		sure = sure && l.all
	}
	return nil, sure && (what != "writes" || !t.inTree(pattern))
}

// Only reports whether all files that the call reads ("reads") or writes ("writes") match a glob.
// It is false if there may be others.
func (t *Touched) Only(what, pattern string) bool {
	paths, deep, sure := t.touched(what)
	_, pattern = t.rooted(pattern)
	return sure && len(paths) > 0 && len(deep)+len(t.maybes) == 0 &&
		!slices.ContainsFunc(paths,
			func(p string) bool { return !glob.Match(pattern, filepath.ToSlash(p)) })
}

// touched returns the paths and folders that are read or written. sure is false if there may be
// others.
func (t *Touched) touched(what string) (paths []string, deep []folder, sure bool) {
	if what == "writes" {
		return t.writes, t.writesDeep, !t.why.unknownWrites
	}
	return t.reads, t.readsDeep, !t.why.unknownReads
}

// within reports whether a path with slashes is folder or lies below it.
func within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// Rooted returns the glob of a script, which may be relative to the project, as a glob for absolute
// paths. Links are followed in its part without wildcards. home replaces ~.
func Rooted(pattern, project, home string) string {
	return (&Touched{project: project, home: home}).Rooted(pattern)
}

// rooted is Rooted. folder is the part of the glob without wildcards.
func (t *Touched) rooted(pattern string) (folder, whole string) {
	if strings.HasPrefix(pattern, "**") {
		return "/", "/" + pattern
	}
	base, rest, _ := glob.Base(pattern, t.project, t.home)
	below, rest := glob.Split(rest)
	real, _ := realpath.Of(filepath.Join(base, filepath.FromSlash(below)))
	return filepath.ToSlash(real), glob.Join(real, rest)
}
