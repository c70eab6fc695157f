// This file reads the scripts and extensions of a project from its folders.

package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/trust"
)

// projectRest is how much more of a project may be read, in bytes.
type projectRest struct {
	text  int
	files int64 // that extensions run
}

// names lists the scripts and extensions of the project, within the project only.
func (p *Project) names(out *ProjectScripts) (*os.Root, []string) {
	folders := p.folders()
	if len(p.Places) == 0 && !slices.ContainsFunc(folders, mayExist) {
		return nil, nil
	}
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		out.Unreadable = err
		return nil, nil
	}
	names := slices.DeleteFunc(p.list(root, p.Dir(), out),
		func(name string) bool { return !p.isScript(name) })
	var manifests []string
	for _, dir := range folders[1:] {
		for _, folder := range p.list(root, dir, out) {
			for _, format := range p.formats() {
				name, fixed, ok := manifestIn(format, folder)
				path := filepath.Join(dir, name)
				switch {
				case !ok || fixed || noise(folder):
				case formatOf(p.Runtimes(), filepath.ToSlash(path)) == format:
					manifests = append(manifests, p.nameOf(path))
				case realpath.Exists(path):
					out.Notes = append(out.Notes, inFolderAbove(path))
				}
			}
		}
	}
	for _, place := range p.Places {
		if formatOf(p.Runtimes(), place) != nil {
			manifests = append(manifests, place)
		}
	}
	for _, name := range manifests {
		out.Watched = append(out.Watched, p.pathOf(name))
		if _, err := root.Lstat(p.inRoot(name)); !errors.Is(err, fs.ErrNotExist) &&
			realpath.IsDir(filepath.Dir(p.pathOf(name))) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if n := len(names) - maxProjectScripts; n > 0 {
		names = names[:maxProjectScripts]
		out.Notes = append(out.Notes, fmt.Sprintf("%s has more than %d scripts: the last %d of "+
			"them are ignored", p.Dir(), maxProjectScripts, n))
	}
	return root, names
}

// Extensions returns the extensions of other hosts that the project has.
func (p *Project) Extensions() (all []Place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	root, names := p.names(&ProjectScripts{})
	if root == nil {
		return nil
	}
	defer root.Close()
	for _, name := range names {
		if strings.Contains(name, "/") {
			all = append(all, Place{name, p.pathOf(name), false})
		}
	}
	return all
}

// mayExist reports whether there may be something at a path.
func mayExist(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// list returns the names in a folder of the project.
func (p *Project) list(root *os.Root, dir string, out *ProjectScripts) []string {
	name, err := filepath.Rel(p.Root, dir)
	if err != nil {
		out.Unreadable = err
		return nil
	}
	if st, err := root.Stat(name); err == nil && !st.IsDir() { // opening a named pipe would block
		out.Unreadable = fmt.Errorf("%s: is not a folder", dir)
		return nil
	}
	file, err := root.Open(name)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case realpath.Escapes(p.Root, dir):
		out.Escapes = append(out.Escapes, dir)
		out.Notes = append(out.Notes, fmt.Sprintf("%s is a link out of the project: none of "+
			"its scripts can be trusted; put them into the folder itself", dir))
		return nil
	default:
		out.Unreadable = err
		return nil
	}
	defer file.Close()
	all, err := file.Readdirnames(-1)
	if err != nil {
		out.Unreadable = err
	}
	return all
}

func (p *Project) isScript(name string) bool {
	return !noise(name) && (p.runtime(name) != nil || foreignLanguage(name))
}

// runtime returns the language of a script, or the format of an extension, by its name; nil if it
// is unknown.
func (p *Project) runtime(name string) engine.Runtime {
	for _, rt := range p.Runtimes() {
		if slices.Contains(rt.Extensions(), strings.ToLower(filepath.Ext(name))) {
			return rt
		}
	}
	if format := formatOf(p.Runtimes(), name); format != nil && strings.Contains(name, "/") {
		return format
	}
	return nil
}

func (p *Project) formats() []engine.Format { return formatsOf(p.Runtimes()) }

// pathOf returns the path of a script or extension of the project, by its name. At one of the
// Places it is the path in the project, which begins with a dot.
func (p *Project) pathOf(name string) string {
	dir := p.Dir()
	switch {
	case strings.HasPrefix(name, ".") && strings.Contains(name, "/"):
		dir = p.Root
	case strings.Contains(name, "/"):
		dir = p.extensions()
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

func (p *Project) inRoot(name string) string {
	rel, _ := filepath.Rel(p.Root, p.pathOf(name))
	return rel
}

// nameOf returns the name of the script or extension at a path, "" if it is not in the folders of
// the project.
func (p *Project) nameOf(path string) string {
	folder, file := filepath.Split(path)
	folder = filepath.Clean(folder)
	switch {
	case p.Root == "":
	case folder == p.Dir():
		return file
	case filepath.Dir(folder) == p.extensions():
		return filepath.Base(folder) + "/" + file
	}
	rel, err := filepath.Rel(p.Root, path)
	if err != nil {
		return ""
	}
	name, at := filepath.ToSlash(rel), filepath.Dir(filepath.Dir(path))
	if format := formatOf(p.Runtimes(), name); format != nil {
		at = filepath.Dir(folderOf(format, path))
	}
	if at == p.extensions() {
		return filepath.ToSlash(strings.TrimPrefix(path, at+string(filepath.Separator)))
	}
	if slices.ContainsFunc(p.Places, func(place string) bool {
		return name == place || at == under(p.Root, filepath.FromSlash(place))
	}) {
		return name
	}
	return ""
}

// script reads one script and its modules, or one extension.
func (p *Project) script(root *os.Root, name string, rest *projectRest) *ProjectScript {
	s := &ProjectScript{Name: name, Item: trust.Item{Root: p.Root, Path: p.pathOf(name)}}
	rt := p.runtime(name)
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name,
		func(r rune) bool { return plain.Control(r) || plain.Invisible(r) }):
		s.Problem = "its name has characters that cannot be shown: rename it"
	case rt == nil:
		s.Problem = "no runtime for this kind of file"
	case rest.text < 0:
		s.Problem = fmt.Sprintf("the project's scripts have more than %d bytes", maxProjectBytes)
	default:
		s.file = readIn(root, p.inRoot(name))
		if t := s.file.trouble; t != nil {
			s.Problem = t.message
			if realpath.Escapes(p.Root, s.Path) {
				s.Problem = "is a link out of the project"
			}
		}
	}
	if s.Problem != "" {
		return s
	}
	format, foreign := rt.(engine.Format)
	var lib library
	if foreign {
		lib = p.extensionFiles().readLibrary(format,
			folderIn{project: root, dir: folderOf(format, s.Path), rest: &rest.files}, s.file.bytes,
			scriptfile.SourceProject)
	} else {
		lib = readLibrary(rt, folderIn{project: root, dir: filepath.Join(p.Dir(), libFolder)},
			s.file.bytes, scriptfile.SourceProject)
	}
	s.paths = lib.paths
	s.file.setLibrary(lib)
	rest.text -= len(s.file.text())
	s.Problem = lib.unusable()
	if !foreign && lib.Library != nil &&
		realpath.Escapes(p.Root, filepath.Join(p.Dir(), libFolder)) {
		s.Problem = "the folder lib is a link out of the project"
	}
	if s.Problem != "" {
		return s
	}
	s.Header, s.Mistakes = headerOf(format, name, s.file.bytes)
	s.SHA256, s.Grants = s.file.hash, s.Header.Grants
	return s
}

// extensionFiles returns what reads the files of extensions. Under p.mu.
func (p *Project) extensionFiles() *extensionFiles {
	if p.files == nil {
		p.files = &extensionFiles{}
	}
	return p.files
}

// canRun reports whether kept bytes of s may be in force. The files that an extension runs are not
// kept: if they have changed, it is in force only as long as its program runs. Under p.mu.
func (p *Project) canRun(s *ProjectScript, kept *content) bool {
	format, ok := p.runtime(s.Name).(engine.Format)
	if !ok {
		return true
	}
	if l := p.loader; l != nil && slices.ContainsFunc(l.eng.Scripts.Snapshot().Generations,
		func(g *engine.Generation) bool { return g.Path == s.Path && g.Hash == kept.hash }) {
		return true
	}
	now := content{bytes: kept.bytes}
	now.setLibrary(p.extensionFiles().readLibrary(format, folderIn{dir: folderOf(format, s.Path)},
		kept.bytes, scriptfile.SourceProject))
	return now.hash == kept.hash
}
