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
	"cmp"
	"github.com/agentscripts/agent/engine/value"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

const (
	// maxFound is how many files a pattern, or what lies below a folder, may come to: more is not
	// known.
	maxFound = 5000
	// maxCopied is how many files below a copied folder are named one by one, each with where its
	// links lead.
	maxCopied = 500
	// maxMeta is in how many parts of a path a pattern may have * and the like: each multiplies the
	// folders that are read.
	maxMeta = 2
	// maxGlobs bounds how many patterns of a command are looked for. One with * in two parts, for
	// which many folders are read, counts as deepGlob of them. Of more, nothing is known.
	maxGlobs = 40
	deepGlob = 8
	// maxPaths bounds how many paths of a call are followed, each way.
	maxPaths = 10_000
	// maxBehind bounds how many paths are held against links that the same command line makes.
	maxBehind = 100_000
)

// Finder finds what calls touch.
type Finder struct {
	Home string // what ~ stands for
}

// Touched is what one call touches. It implements engine.Touched. Safe for concurrent use.
type Touched struct {
	dir, project, home    string
	reads, writes         []string // each once: with its folder's links resolved, and its target
	readsDeep, writesDeep []folder // whose files are touched, too
	commands              []string
	program               string
	maybes                []maybe // what may be read or written
	unknownReads          bool
	unknownWrites         bool

	// where each lies, by how it is written; only while the call is looked at
	folders map[string]string
	found   map[string][]string
	globs   int
	seen    map[string]bool // paths that are in reads, or with a sign before them in writes

	mu    sync.Mutex
	lists map[string]listing // by folder
}

// folder is one whose files are touched.
type folder struct {
	dir  string
	fits func(rel string) bool // only those that do, by their path in it; nil: all
}

// touches reports whether a file that lies in the folder is touched with it.
func (f *folder) touches(path string) bool {
	if f.fits == nil {
		return true
	}
	rel, ok := strings.CutPrefix(filepath.ToSlash(path),
		strings.TrimSuffix(filepath.ToSlash(f.dir), "/")+"/")
	return !ok || f.fits(rel)
}

// listing is what lies below a folder.
type listing struct {
	files []string
	dirs  map[string]bool // those of them that are folders
	all   bool
}

var _ engine.Touched = (*Touched)(nil)

// Reads returns the paths that are read.
func (t *Touched) Reads() []string { return t.reads }

// Writes returns the paths that are written, made or removed.
func (t *Touched) Writes() []string { return t.writes }

// Unknown reports whether there may be other writes.
func (t *Touched) Unknown() bool { return t.unknownWrites }

// WritesBelow reports whether all that lies below a folder is written.
func (t *Touched) WritesBelow() bool { return len(t.writesDeep) > 0 }

// Commands returns the command lines that are run.
func (t *Touched) Commands() []string { return t.commands }

// CanWrite reports whether the call may write the file at path, an absolute path with its links
// followed. A program that runs code, such as make, may write any file.
func (t *Touched) CanWrite(path string) bool {
	fits, sure := t.Fits("writes", glob.Escape(filepath.ToSlash(path)))
	return t.program != "" || fits || !sure
}

// Call tells what a tool call touches.
func (f Finder) Call(c *engine.Call, tool *engine.Tool) engine.Touched {
	dir, project := "", ""
	if c.Env != nil {
		dir, project = c.Env.CWD, c.Env.Project
	}
	t := f.touched(dir, project)
	switch s := subject(tool); {
	case s == nil:
		t.other(c.Tool, c.Args, tool == nil || !tool.ReadOnly)
	case s.Kind == engine.SubjectCommand:
		if cwd := value.Text(c.Args, s.Dir); cwd != "" {
			t.dir = filepath.Clean(t.abs(cwd))
		}
		t.command(value.Text(c.Args, s.Arg))
	case s.Kind == engine.SubjectPath:
		t.path(s, c.Args)
	}
	return t
}

// subject is what a tool says of its calls; nil = nothing.
func subject(tool *engine.Tool) *engine.Subject {
	if tool == nil {
		return nil
	}
	return tool.Subject
}

// Command tells what a command line touches that runs in dir.
func (f Finder) Command(line, dir, project string) *Touched {
	t := f.touched(dir, project)
	t.command(line)
	return t
}

func (f Finder) touched(dir, project string) *Touched {
	if dir == "" {
		dir, _ = os.Getwd()
	}
	if project == "" {
		project = dir
	}
	return &Touched{dir: dir, project: project, home: f.Home}
}

// path adds the path that a call is about.
func (t *Touched) path(s *engine.Subject, args map[string]any) {
	name := cmp.Or(value.Text(args, s.Arg), s.Absent)
	if s.Reads {
		t.addPath(name, false)
	}
	if s.Writes {
		t.addPath(name, true)
	}
	if !s.Below {
		return
	}
	t.deep(name, false)
	if n := len(t.readsDeep); s.Filter != "" && n > 0 {
		if fits, err := glob.Filter(value.Text(args, s.Filter)); err == nil {
			t.readsDeep[n-1].fits = fits
		}
	}
}

// pathKeys are the names under which tools without a Subject take paths.
var pathKeys = []string{"path", "file_path", "filepath", "file", "filename", "paths", "files",
	"source", "destination", "target", "dest", "src", "dst", "from", "to", "directory", "dir"}

// other adds the paths among arguments, as far as their names say; commands are read as such.
func (t *Touched) other(tool string, args map[string]any, writes bool) {
	for _, key := range value.SortedKeys(args) {
		switch v := args[key].(type) {
		case string:
			if key == "command" {
				t.command(v)
			} else if slices.Contains(pathKeys, key) {
				t.addPath(v, false)
				t.addPath(v, writes)
			} else {
				t.argument(v, tool, writes)
			}
		case []any:
			for _, one := range v {
				s, ok := one.(string)
				switch {
				case ok && slices.Contains(pathKeys, key):
					t.addPath(s, false)
					t.addPath(s, writes)
				case ok:
					t.argument(s, tool, writes)
				}
			}
		}
	}
}

// command adds what a command line touches.
func (t *Touched) command(line string) {
	t.commands = append(t.commands, line)
	s := shell.Parse(line)
	p := s.Paths()
	t.program = p.Program
	t.unknownReads, t.unknownWrites = t.unknownReads || p.UnknownReads, t.unknownWrites ||
		p.UnknownWrites
	shopt := slices.ContainsFunc(s.Commands,
		func(c shell.Command) bool { return c.Name == "shopt" || c.Name == "set" })
	for _, one := range p.All {
		if one.From != "" {
			t.copies(one, shopt)
			continue
		}
		if one.Pattern && (shopt || !t.expand(one)) {
			t.doubt(one.Writes)
		}
		t.addPath(one.Name, one.Writes)
		if one.Below {
			t.deep(one.Name, one.Writes)
		}
	}
	t.behindLinks(p.All)
	for _, m := range p.Maybe {
		t.maybe(m, shopt)
	}
}

func (t *Touched) doubt(writes bool) {
	t.unknownReads = true
	t.unknownWrites = t.unknownWrites || writes
}

// addPath adds a path with its folder's links resolved, and its target. After a link, .. is
// resolved both as the operating system does and as many tools do, which remove a name.
func (t *Touched) addPath(name string, writes bool) {
	if name == "" {
		return
	}
	list := &t.reads
	if writes {
		list = &t.writes
	}
	p := t.abs(name)
	if len(p) > realpath.MaxBytes+len(t.dir) { // nothing opens it, and to look at it takes long
		t.doubt(writes)
		return
	}
	if len(*list) >= maxPaths {
		t.doubt(writes)
		return
	}
	all := []string{filepath.Clean(p)}
	if strings.Contains(p, "..") {
		all = append(all, p)
	}
	for _, p := range all {
		lies, leads, ok := t.places(p)
		if !ok {
			t.doubt(writes)
		}
		for _, one := range []string{lies, leads} {
			if t.isNew(one, writes) {
				*list = append(*list, one)
			}
		}
	}
}

// isNew reports whether a path was not noted before.
func (t *Touched) isNew(path string, writes bool) bool {
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

func (t *Touched) deep(name string, writes bool) {
	dir, ok := realpath.Of(t.abs(name))
	switch {
	case !ok:
		t.doubt(writes)
	case writes:
		t.writesDeep = append(t.writesDeep, folder{dir: dir})
	default:
		t.readsDeep = append(t.readsDeep, folder{dir: dir})
	}
}

// Fits reports whether one of the paths that are read ("reads") or written ("writes") fits a glob,
// and if none does whether that is sure. A glob that begins with neither /, ~/ nor ** begins at the
// project.
func (t *Touched) Fits(what, pattern string) (fits, sure bool) {
	named, below, sure := t.Find(what, pattern)
	return named || below, named || below || sure
}

// Perhaps says which program may read or write a file that fits a glob, where it is not known what
// that program does with its words: "ssh-keygen may write ~/.ssh/new". "" = none may.
func (t *Touched) Perhaps(what, pattern string) string {
	_, whole := t.rooted(pattern)
	return t.perhaps(what, whole)
}

// Find is Fits apart for the paths that the call names, and for those below the folders that it
// names.
func (t *Touched) Find(what, pattern string) (named, below, sure bool) {
	paths, deep, sure := t.touched(what)
	folder, pattern := t.rooted(pattern)
	for _, p := range paths {
		if glob.Match(pattern, filepath.ToSlash(p)) {
			return true, false, true
		}
	}
	for i := range deep {
		d := &deep[i]
		// nothing below it fits
		if dir := filepath.ToSlash(d.dir); !within(folder, dir) && !within(dir, folder) {
			continue
		}
		l := t.list(d.dir)
		for _, p := range l.files {
			if glob.Match(pattern, filepath.ToSlash(p)) && (l.dirs[p] || d.touches(p)) {
				return false, true, true
			}
		}
		sure = sure && l.all
	}
	return false, false, sure && t.perhaps(what, pattern) == ""
}

// Only reports whether the call surely touches, in that way, files that fit a glob and no others.
func (t *Touched) Only(what, pattern string) bool {
	paths, deep, sure := t.touched(what)
	_, pattern = t.rooted(pattern)
	return sure && len(paths) > 0 && len(deep)+len(t.maybes) == 0 &&
		!slices.ContainsFunc(paths,
			func(p string) bool { return !glob.Match(pattern, filepath.ToSlash(p)) })
}

// touched are the paths and folders that are read or written; sure: there are no others.
func (t *Touched) touched(what string) (paths []string, deep []folder, sure bool) {
	if what == "writes" {
		return t.writes, t.writesDeep, !t.unknownWrites
	}
	return t.reads, t.readsDeep, !t.unknownReads
}

// within reports whether a path with slashes is a folder, or lies below it.
func within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// rooted is a glob for absolute paths, with links followed in the folder that it names, and that
// folder.
func (t *Touched) rooted(pattern string) (folder, whole string) {
	rest := pattern
	switch {
	case strings.HasPrefix(pattern, "**"):
		return "/", "/" + pattern
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		folder, rest = t.home, strings.TrimPrefix(pattern[1:], "/")
	case !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "/"):
		folder, rest = t.project, strings.TrimPrefix(pattern, "./")
	}
	below, rest := glob.Split(rest)
	real, _ := realpath.Of(filepath.Join(folder, filepath.FromSlash(below)))
	folder = filepath.ToSlash(real)
	if rest == "" || rest == "." {
		return folder, glob.Escape(folder)
	}
	return folder, strings.TrimSuffix(glob.Escape(folder), "/") + "/" + rest
}
