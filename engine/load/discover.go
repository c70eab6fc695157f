// This file finds script files and decides which of several files with the same name is used.

package load

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// found is a script file as discovered; it has not been read.
type found struct {
	name    string
	path    string
	source  scriptfile.Source
	dir     string // the folder it was found in
	link    bool   // a symbolic link
	builtin []byte
	given   *content       // of a project's script: the trusted bytes
	project *ProjectScript // nil: not of a project
	trouble *trouble
	spots   []string // names under which events report it
	home    homeID   // identity of dir when the file was found
	// of an extension that is a part of the file: see partAt
	part    func(file []byte) ([]byte, error)
	lasting bool // the name is that of an extension whose path changes: see Options.Names
}

// homeID identifies a folder: a path can lead to another folder later. The zero homeID is none.
type homeID struct {
	info fs.FileInfo
	// how often the watcher saw another folder at the path: a new folder may reuse the old one's
	// inode
	times int
}

func (h homeID) same(now homeID) bool {
	return h.info != nil && now.info != nil && os.SameFile(h.info, now.info) && h.times == now.times
}

// problem is a path that cannot be used: a missing -e PATH, an unreadable folder.
type problem struct {
	name   string
	path   string
	source scriptfile.Source
	err    *fault.ScriptError
	shadow *engine.Handler // of an unreadable folder, whose content is unknown
}

// loser is a file that another one of the same name replaces.
type loser struct {
	found
	by string // path of the winner
}

// survey is the state of all places at one moment.
type survey struct {
	files     []*found // one per name, in the order of loading
	replaced  []loser
	untrusted []*ProjectScript
	disabled  []disabledScript
	problems  []*problem
	homes     map[string]homeID // folders that exist and can be read, by path
	folders   []string          // script folders, whether they exist or not
	// where folders in them may have a manifest, see engine.Format, whether it exists or not
	manifests []string
	extra     []string // paths of -e files
	// folders that exist and cannot be read: scripts in them do not count as deleted
	closed map[string]bool
	notes  []string
}

// places finds scripts. survey, and what it calls, run under the mutex of the loader.
type places struct {
	o       *Options
	off     *off
	builder *builder
	project *Project
	listed  func(name string) bool // the loader has a script of that name
	times   func(real string) int  // see homeID
	readOK  map[string]bool        // folders that could be read once
}

// rank is the order in which files of one name are resolved: an administrator's file first, and
// files named on the command line before those in the folder. A project's file comes last: it
// replaces nothing of the user's and nothing that is part of the program.
func rank(s scriptfile.Source) int {
	return slices.Index([]scriptfile.Source{scriptfile.SourceManaged, scriptfile.SourceCLI,
		scriptfile.SourceUser, scriptfile.SourceBuiltin, scriptfile.SourceForeign,
		scriptfile.SourceProject}, s)
}

func (p *places) userDir() string { return under(p.o.Home, "scripts") }

func under(root string, elem ...string) string {
	if root == "" {
		return ""
	}
	return filepath.Join(append([]string{root}, elem...)...)
}

// survey looks at all places.
func (p *places) survey() *survey {
	s := &survey{closed: map[string]bool{}, homes: map[string]homeID{}}
	var all []*found
	if dir := p.o.Managed; dir != "" {
		if info, err := os.Stat(dir); err == nil && !onlyRootWrites(info) {
			s.notes = append(s.notes,
				fmt.Sprintf("managed scripts in %s are not run: the folder must be owned by root "+
					"and writable by nobody else", dir))
			s.folders = append(s.folders, dir)
		} else {
			all = append(all, p.folder(s, dir, scriptfile.SourceManaged)...)
		}
	}
	for _, b := range p.o.Builtin {
		bytes := b.Bytes
		if bytes == nil {
			bytes = []byte{}
		}
		all = append(all, &found{name: b.Name, path: scriptfile.BuiltinPath + b.Name,
			source: scriptfile.SourceBuiltin, builtin: bytes})
	}
	if !p.o.NoScripts {
		if dir := p.userDir(); dir != "" {
			all = append(all, p.folder(s, dir, scriptfile.SourceUser)...)
		}
		all = append(all, p.projectScripts(s)...)
		for _, place := range p.extensionPlaces() {
			all = append(all, p.extensions(s, place)...)
		}
	}
	for _, path := range p.o.Extra {
		all = append(all, p.extra(s, path)...)
	}
	s.resolve(p.separateDisabled(s, all))
	return s
}

// readFolder is like os.ReadDir, but does not block on a named pipe.
func readFolder(dir string) ([]fs.DirEntry, error) {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	return os.ReadDir(dir)
}

// list lists a folder in which scripts, or folders with extensions, are found. real is its real
// path. A folder that does not exist is empty.
func (p *places) list(s *survey, dir string, source scriptfile.Source) (list []fs.DirEntry,
	real string) {
	s.folders = append(s.folders, dir)
	list, err := readFolder(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.closed[dir] = true
			s.problems = append(s.problems, p.unreadableFolder(dir, source, err))
		}
		return nil, ""
	}
	p.readOK[dir] = true
	return list, p.noteFolder(s, dir)
}

// folder lists the scripts of one folder, sorted by name.
func (p *places) folder(s *survey, dir string, source scriptfile.Source) []*found {
	list, real := p.list(s, dir, source)
	var out []*found
	for _, d := range list {
		name := d.Name()
		// a known script stays, even if its language was removed
		if !p.listed(name) && !p.builder.isScript(name) {
			if !noise(name) { // fixed manifests count at their places, or if -e names their folder
				out = append(out, p.extension(s, dir, name, source)...)
			}
			continue
		}
		f := &found{name: name, path: filepath.Join(dir, name), source: source, dir: dir,
			link: d.Type()&fs.ModeSymlink != 0}
		f.spots = []string{filepath.Join(real, name)}
		if f.link {
			f.spots = append(f.spots, spotsOf(f.path)...)
		}
		if p.builder.eng.Scripts.Runtime(name) == nil && !p.listed(name) {
			s.problems = append(s.problems, p.noRuntime(f))
			continue
		}
		out = append(out, f)
	}
	return out
}

// noteFolder records the identity of the folder dir, and returns its real path.
func (p *places) noteFolder(s *survey, dir string) (real string) {
	real, _ = realpath.Of(dir)
	if info, err := os.Stat(dir); err == nil {
		h := homeID{info: info}
		h.times = p.times(real)
		s.homes[dir] = h
	}
	return real
}

// extensionPlaces returns the places of extensions of other hosts: see Options.Extensions.
func (p *places) extensionPlaces() []string {
	all := slices.Clone(p.o.Extensions)
	if dir := under(p.o.Home, "extensions"); dir != "" {
		all = slices.Insert(all, 0, dir)
	}
	return all
}

// extensions lists the extensions at a place: a manifest, or the folders of a folder. Files in that
// are not scripts; but they are manifests if a format has many there.
func (p *places) extensions(s *survey, place string) (out []*found) {
	formats := p.builder.formats()
	if len(formats) == 0 {
		return nil
	}
	for _, format := range formats {
		if f := p.manifest(s, format, place); f != nil {
			return []*found{f}
		}
		if _, section := format.(engine.Section); section &&
			engine.HasFormat(format, filepath.ToSlash(place)) {
			return nil
		}
	}
	dir := place
	list, _ := p.list(s, dir, scriptfile.SourceForeign)
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		if format := fixedFormat(p.builder.eng.Scripts.Runtimes(), path); format == nil {
			out = append(out, p.extension(s, dir, d.Name(), scriptfile.SourceForeign)...)
		} else if f := p.manifest(s, format, path); f != nil {
			out = append(out, f)
		}
	}
	return out
}

// extension finds the extension of another host that the folder with that name in dir may hold. Its
// name is FOLDER/MANIFEST.
func (p *places) extension(s *survey, dir, name string, source scriptfile.Source) []*found {
	formats := p.builder.formats()
	if len(formats) == 0 || name == libFolder && source != scriptfile.SourceForeign {
		return nil
	}
	if !realpath.IsDir(filepath.Join(dir, name)) {
		return nil
	}
	var out []*found
	for _, format := range formats {
		manifest, fixed, ok := manifestIn(format, name)
		if !ok || noise(name) && !fixed {
			continue
		}
		f := &found{name: manifest, path: filepath.Join(dir, manifest), source: source, dir: dir,
			link: true}
		s.manifests = append(s.manifests, f.path)
		switch _, err := os.Lstat(f.path); {
		case errors.Is(err, fs.ErrNotExist):
		case p.builder.format(filepath.ToSlash(f.path)) != format:
			s.notes = append(s.notes, inFolderAbove(f.path))
		case err == nil, p.listed(f.name), len(out) == 0 && source == scriptfile.SourceForeign:
			f.spots = spotsOf(f.path) // otherwise the folder cannot be read
			out = append(out, f)
		}
	}
	return out
}

// manifest returns the extension in a format whose manifest is at a path; nil if the path is that
// of a folder.
func (p *places) manifest(s *survey, format engine.Format, path string) *found {
	if !engine.HasFormat(format, filepath.ToSlash(path)) {
		return nil
	}
	name, lasting := manifestName(format, p.o.User, p.o.Names, path)
	dir := folderOf(format, path)
	p.noteFolder(s, dir)
	s.manifests = append(s.manifests, path)
	if _, err := os.Lstat(path); err != nil && (errors.Is(err, fs.ErrNotExist) || !p.listed(name)) {
		return nil
	}
	f := &found{name: name, path: path, source: scriptfile.SourceForeign, dir: dir, link: true,
		spots: spotsOf(path), lasting: lasting,
		part: partAt(p.builder.eng.Scripts.Runtimes(), path)}
	if f.part != nil && f.read().missing {
		return nil
	}
	return f
}

func (x *builder) formats() []engine.Format { return formatsOf(x.eng.Scripts.Runtimes()) }

func formatsOf(runtimes []engine.Runtime) (out []engine.Format) {
	for _, rt := range runtimes {
		if f, ok := rt.(engine.Format); ok {
			out = append(out, f)
		}
	}
	return out
}

// format returns the format of a script; nil for a script in one of the languages.
func (x *builder) format(name string) engine.Format {
	f, _ := x.eng.Scripts.Runtime(name).(engine.Format)
	return f
}

// extra finds the scripts of one -e PATH.
func (p *places) extra(s *survey, path string) []*found {
	path = FolderOf(p.builder.eng.Scripts.Runtimes(), path)
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		if one := p.extension(s, filepath.Dir(path), filepath.Base(path),
			scriptfile.SourceCLI); len(one) > 0 {
			p.noteFolder(s, filepath.Dir(path))
			return one
		}
		return p.folder(s, path, scriptfile.SourceCLI)
	}
	s.extra = append(s.extra, path)
	p.noteFolder(s, filepath.Dir(path))
	f := &found{name: filepath.Base(path), path: path, source: scriptfile.SourceCLI,
		dir: filepath.Dir(path), link: true, spots: spotsOf(path)}
	if _, lerr := os.Lstat(path); errors.Is(lerr, fs.ErrNotExist) {
		s.problems = append(s.problems, &problem{name: f.name, path: path, source: f.source,
			err: f.scriptError(&trouble{message: "there is no such file or folder: " + path,
				hint: "check the path given with -e", err: lerr})})
		return nil
	}
	if p.builder.eng.Scripts.Runtime(f.name) == nil {
		s.problems = append(s.problems, p.noRuntime(f))
		return nil
	}
	return []*found{f}
}

// isScript reports whether the name of a file in a script folder is that of a script.
func (x *builder) isScript(name string) bool {
	return !noise(name) && (x.eng.Scripts.Runtime(name) != nil || foreignLanguage(name) &&
		len(x.eng.Scripts.Runtimes()) > 0)
}

// foreignLanguage reports whether a file in a script folder is a script in a language that this
// program was built without, or does not know. Ignoring it silently would let its author believe
// that it guards. Other files (notes, data) are not scripts.
func foreignLanguage(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".ts", ".mts", ".cts", ".tsx", ".jsx":
		return true
	}
	return false
}

// noRuntime reports a file in an unknown language. If it would guard, it protects like a file that
// never loaded.
func (p *places) noRuntime(f *found) *problem {
	t := &trouble{message: "no runtime for this kind of file",
		hint: "the extension of the name sets the language of a script: .lua, .js or .ts"}
	q := &problem{name: f.name, path: f.path, source: f.source, err: f.scriptError(t)}
	if c := f.read(); mentionsGuards(c.bytes) {
		q.shadow = p.builder.shadow(f, scriptfile.Header{},
			fmt.Sprintf("%s has no working version (%s): run this call all the same?", f.name,
				t.message))
	}
	return q
}

// unreadableFolder protects every tool if the folder was never read: it may hold guards.
func (p *places) unreadableFolder(dir string, source scriptfile.Source, err error) *problem {
	f := &found{name: filepath.Base(dir), path: dir, source: source}
	q := &problem{name: f.name, path: dir, source: source, err: f.scriptError(&trouble{
		message: "the folder " + dir + " cannot be read: " + cause(err),
		hint:    "check its permissions; its scripts cannot be loaded", err: err, blind: true})}
	if !p.readOK[dir] {
		q.shadow = p.builder.shadow(f, scriptfile.Header{},
			fmt.Sprintf("the script folder %s cannot be read (%s): run this call all the same?",
				dir, cause(err)))
	}
	return q
}

// resolve picks one file per name and records which ones it replaces.
func (s *survey) resolve(all []*found) {
	for _, f := range all {
		f.home = s.homes[f.dir]
	}
	winners := map[string]*found{}
	for _, f := range all {
		if w := winners[f.name]; w == nil || rank(f.source) < rank(w.source) {
			winners[f.name] = f
		}
	}
	folded := s.foldNames(all, winners)
	for _, f := range all {
		w := winners[f.name]
		if f.source == scriptfile.SourceProject {
			w = folded[strings.ToLower(f.name)]
		}
		switch {
		case w == f:
			s.files = append(s.files, f)
		case !realpath.Same(f.path, w.path):
			s.replaced = append(s.replaced, loser{*f, w.path})
			s.notes = append(s.notes, fmt.Sprintf("%s: %s (%s) replaces %s (%s)", f.name, w.path,
				w.source, f.path, f.source))
		}
	}
	slices.SortStableFunc(s.files, func(a, b *found) int { return cmp.Compare(a.source, b.source) })
}

// foldNames returns the winner of each name, ignoring case. Names that differ only in case clash
// too, for a project's scripts: on some systems they are the same file.
func (s *survey) foldNames(all []*found, winners map[string]*found) map[string]*found {
	folded := map[string]*found{}
	for _, f := range all {
		if winners[f.name] != f {
			continue
		}
		key := strings.ToLower(f.name)
		if w := folded[key]; w == nil || rank(f.source) < rank(w.source) {
			folded[key] = f
		}
	}
	return folded
}

// noise reports whether a file name is hidden or that of an editor's temporary file.
func noise(name string) bool {
	switch {
	case name == "" || name[0] == '.' || name == "4913": // vim's test file for a folder
		return true
	case name[0] == '#' && name[len(name)-1] == '#': // Emacs
		return true
	}
	for _, end := range []string{"~", ".swp", ".swx", ".swpx", ".tmp", "___jb_tmp___",
		"___jb_old___"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}
