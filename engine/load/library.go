// This file reads the modules of a script: the files of the folder lib beside it that it requires,
// directly or indirectly.

package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

const (
	// libFolder is the folder of modules in a folder of scripts. Files in it are not scripts.
	libFolder = "lib"
	// maxModules is the maximal number of modules of a script: a hundred times what one file needs.
	maxModules = 100
	// maxLibrary is the maximal total size of the modules of a script.
	maxLibrary = 4 << 20
	// maxListed is the number of files of lib that are searched for a suggestion for a misspelt
	// name.
	maxListed = 1000
)

// library holds the modules that were read for a script.
type library struct {
	*scriptfile.Library
	paths  []string // where modules are, or would be
	moving bool     // one of the modules changed while it was read
}

// library reads the modules of a script.
func (x *builder) library(f *found, src []byte) library {
	rt := x.eng.Scripts.Runtime(f.name)
	if f.builtin != nil || rt == nil {
		return library{}
	}
	if format := x.format(f.name); format != nil {
		return x.files.readLibrary(format, folderIn{dir: folderOf(format, f.path)}, src, f.source)
	}
	return readLibrary(rt, folderIn{dir: filepath.Join(f.dir, libFolder)}, src, f.source)
}

// ReadLibrary reads the modules of a script in the folder dir, nil if it requires none: for callers
// that load a script without a Loader.
func ReadLibrary(rt engine.Runtime, dir string, src []byte) *scriptfile.Library {
	in := folderIn{dir: filepath.Join(dir, libFolder)}
	return readLibrary(rt, in, src, scriptfile.SourceCLI).Library
}

// folderIn is a folder with the files of a script: lib, or that of an extension.
type folderIn struct {
	project *os.Root // it must be inside of it; nil = anywhere
	dir     string
	rest    *int64 // how many bytes may be read; nil = no limit
}

func (in folderIn) open() (*os.Root, error) {
	if in.project == nil {
		return os.OpenRoot(in.dir)
	}
	rel, err := filepath.Rel(in.project.Name(), in.dir)
	if err != nil {
		return nil, err
	}
	return in.project.OpenRoot(rel)
}

// readLibrary reads the modules that src requires, and those that they require. An error in one is
// reported where it is required.
func readLibrary(rt engine.Runtime, in folderIn, src []byte, source scriptfile.Source) library {
	lib := library{Library: &scriptfile.Library{}}
	names := scriptfile.ModuleNames(src)
	if rt == nil || len(names) == 0 && !mentions(src, "require") && !mentions(src, "import") {
		return library{}
	}
	root, err := in.open()
	if err == nil {
		defer root.Close()
		lib.Files = list(root)
		if info, err := root.Stat("."); source == scriptfile.SourceManaged &&
			(err != nil || !onlyRootWrites(info)) {
			root = nil
		}
	}
	size := 0
	for i := 0; i < len(names); i++ { // names grows
		m := &scriptfile.Module{Name: names[i]}
		lib.Modules = append(lib.Modules, m)
		switch {
		case i >= maxModules:
			m.Err = fmt.Errorf("the script has more than %d modules", maxModules)
			continue
		case size > maxLibrary:
			m.Err = fmt.Errorf("the modules of the script have more than %d bytes", maxLibrary)
			continue
		}
		lib.find(root, in.dir, m, rt.Extensions(), source)
		size += len(m.Bytes)
		for _, name := range scriptfile.ModuleNames(m.Bytes) {
			if !slices.Contains(names, name) && len(names) <= maxModules {
				names = append(names, name)
			}
		}
	}
	slices.SortFunc(lib.Modules,
		func(a, b *scriptfile.Module) int { return strings.Compare(a.Name, b.Name) })
	return lib
}

// find finds the file of a module and reads it.
func (lib *library) find(root *os.Root, dir string, m *scriptfile.Module, endings []string,
	source scriptfile.Source) {
	rest := strings.TrimPrefix(m.Name, scriptfile.ModulePrefix)
	if slices.Contains(endings, path.Ext(rest)) {
		endings = []string{""}
	}
	for _, end := range endings {
		at := filepath.FromSlash(rest + end)
		lib.paths = append(lib.paths, filepath.Join(dir, at))
		if root == nil {
			continue
		}
		if _, err := root.Lstat(at); err == nil {
			m.File, m.Path = m.Name+end, filepath.Join(dir, at)
			m.Bytes, m.Err = lib.readModule(root, at, source)
			return
		}
	}
	m.Err = lib.NotFound(m.Name, endings)
}

// readModule reads the file of a module. It never blocks on pipes and devices, and stays within
// lib.
func (lib *library) readModule(root *os.Root, at string, source scriptfile.Source) ([]byte, error) {
	info, err := root.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it is a link that leads nowhere")
	case err != nil:
		return nil, errors.New("cannot be read: " + cause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	case info.Size() > maxScript:
		return nil, fmt.Errorf("is larger than %d bytes, the most a module may have", maxScript)
	case source == scriptfile.SourceManaged && !onlyRootWrites(info):
		return nil, errors.New(
			"is not owned by root, or others may write it, so it cannot be a module of managed " +
				"scripts")
	}
	file, err := regularfile.OpenIn(root, at)
	if err != nil {
		return nil, errors.New("cannot be read: " + cause(err))
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxScript))
	if err != nil {
		return nil, errors.New("cannot be read: " + cause(err))
	}
	if now, err := file.Stat(); err == nil {
		lib.moving = lib.moving || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())
	}
	if len(b) == 0 {
		return nil, errors.New("is empty")
	}
	return b, nil
}

// unusable returns the reason why a file of the library cannot be used, "" if all can be used.
// Files that do not exist do not count.
func (lib *library) unusable() string {
	if lib.Library == nil {
		return ""
	}
	for _, m := range lib.Modules {
		if m.Err != nil && m.File != "" {
			return m.File + ": " + m.Err.Error()
		}
	}
	return ""
}

// torn reports whether a module that had content in the version g is now missing or empty, as in
// the middle of a save.
func (lib *library) torn(g *engine.Generation) bool {
	if lib.Library == nil || g == nil || g.Library == nil {
		return false
	}
	return slices.ContainsFunc(g.Library.Modules, func(old *scriptfile.Module) bool {
		return len(old.Bytes) > 0 && slices.ContainsFunc(lib.Modules,
			func(m *scriptfile.Module) bool { return m.Name == old.Name && len(m.Bytes) == 0 })
	})
}

// list returns the names of the modules in lib as require uses them.
func list(root *os.Root) []string {
	var names []string
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || p != "." && noise(d.Name()):
			if err == nil && !d.IsDir() {
				return nil
			}
			return fs.SkipDir
		case len(names) >= maxListed:
			return fs.SkipAll
		case !d.IsDir():
			names = append(names, scriptfile.ModulePrefix+strings.TrimSuffix(p, path.Ext(p)))
		}
		return nil
	})
	return names
}

// contentHash identifies the whole content of a script: its own bytes, and those of its modules.
func contentHash(src []byte, lib *scriptfile.Library) string {
	hash := hashOf(src)
	if lib == nil {
		return hash
	}
	all, some := hash, false
	for _, m := range lib.Modules {
		if m.File != "" {
			all += "\n" + m.Name + "\n" + m.File + "\n" + hashOf(m.Bytes)
			some = true
		}
	}
	if !some {
		return hash
	}
	return hashOf([]byte(all))
}

// setLibrary adds the modules to c.
func (c *content) setLibrary(lib library) {
	c.library, c.moving = lib.Library, c.moving || lib.moving
	c.hash = contentHash(c.bytes, c.library)
}

// text returns the texts of the script and its modules.
func (c *content) text() []byte {
	text := slices.Clone(c.bytes)
	if c.library != nil {
		for _, m := range c.library.Modules {
			text = append(append(text, '\n'), m.Bytes...)
		}
	}
	return text
}
