// This file reads the files of extensions of other hosts: see engine.Format. They are part of the
// script as the modules in lib are, but only their hashes are kept.

package load

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/internal/extfiles"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// maxFiles is the maximal number of files of an extension: a manifest that names more is a mistake.
const maxFiles = 1000

// extensionFiles reads the files of extensions. It is safe for concurrent use.
type extensionFiles struct{ hasher extfiles.Hasher }

// callFormat calls a function of a format, and recovers from its panics on unexpected files.
func callFormat(format engine.Format, call func() error) error {
	err := apart.Call(call)
	if p := (*apart.PanicError)(nil); errors.As(err, &p) {
		err = fmt.Errorf("the format %s: %w", format.Language(), err)
	}
	return err
}

func readManifest(format engine.Format, src []byte) (h scriptfile.Header, err error) {
	err = callFormat(format, func() (err error) {
		h, err = format.Header(src)
		return err
	})
	return h, err
}

// folderOf returns the folder in which an extension has its files, by the path of its manifest: see
// engine.ExtensionFolder.
func folderOf(format engine.Format, manifest string) string {
	for range strings.Count(format.Manifest(), "/") {
		manifest = filepath.Dir(manifest)
	}
	return filepath.Dir(manifest)
}

// filesAt returns the folder from which the files of a script or extension are named, by its path.
func filesAt(runtimes []engine.Runtime, path string) string {
	if format := formatOf(runtimes, filepath.ToSlash(path)); format != nil {
		return folderOf(format, path)
	}
	return filepath.Dir(path)
}

// readLibrary reads the files that a manifest names. in.dir is the extension's folder. If the
// manifest cannot be used there are none.
func (x *extensionFiles) readLibrary(format engine.Format, in folderIn, manifest []byte,
	source scriptfile.Source) library {
	var files []engine.ExtensionFile
	_, err := readManifest(format, manifest)
	if err == nil {
		err = callFormat(format, func() error {
			files = format.Files(manifest, engine.ExtensionFolder{Path: in.dir,
				Project: source == scriptfile.SourceProject, Exists: in.exists})
			return nil
		})
	}
	if err != nil || len(files) == 0 {
		return library{}
	}
	perhaps := map[string]bool{}
	for _, f := range files {
		before, known := perhaps[f.Name]
		perhaps[f.Name] = f.Perhaps && (before || !known)
	}
	names := slices.Sorted(maps.Keys(perhaps))
	lib := library{Library: &scriptfile.Library{}}
	if len(names) > maxFiles {
		lib.Modules = []*scriptfile.Module{{Name: format.Manifest(), File: format.Manifest(),
			Guards: true, Err: fmt.Errorf("names %d files, more than %d", len(names), maxFiles)}}
		return lib
	}
	for _, name := range names {
		lib.paths = append(lib.paths, filepath.Join(in.dir, filepath.FromSlash(name)))
	}
	folder := extfiles.Folder{Path: in.dir, Perhaps: perhaps, Rest: in.rest}
	if source == scriptfile.SourceManaged {
		folder.Usable = onlyForAll
	}
	// in the user's own folder, .claude may be a link
	if !engine.HasPlace(format) || source == scriptfile.SourceManaged ||
		source == scriptfile.SourceProject {
		folder.Root, err = in.open()
	}
	if folder.Root != nil {
		defer folder.Root.Close()
		if folder.Usable != nil {
			err = rootUsable(folder.Root, folder.Usable)
		}
	}
	if err != nil {
		lib.Modules = []*scriptfile.Module{{Name: names[0], File: names[0], Guards: true,
			Err: fmt.Errorf("cannot be read: %s", cause(err))}}
		return lib
	}
	lib.Modules, lib.moving = x.hasher.Modules(folder, names)
	return lib
}

// exists reports whether a path, relative to the folder, names something other than a folder. It
// follows links: those that lead out are refused when they are read.
func (in folderIn) exists(name string) bool {
	info, err := os.Stat(filepath.Join(in.dir, filepath.FromSlash(name)))
	return err == nil && !info.IsDir() || errors.Is(err, os.ErrPermission)
}

func rootUsable(root *os.Root, usable func(os.FileInfo) error) error {
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	return usable(info)
}

// onlyForAll returns an error for files that may not be part of a script for all users.
func onlyForAll(info os.FileInfo) error {
	if !onlyRootWrites(info) {
		return errors.New("is not owned by root, or others may write it, so it cannot be part of " +
			"a managed extension")
	}
	return nil
}

// unusableFile returns the reason why an extension cannot be loaded: one of its files.
func (c *content) unusableFile() *trouble {
	why := (&library{Library: c.library}).unusable()
	if why == "" {
		return nil
	}
	return &trouble{message: "its file " + why,
		hint: "the manifest names this file, which must be an ordinary file in the folder of the " +
			"manifest"}
}

// otherFiles returns the reason why content of an extension must not be loaded: the files are not
// those that were hashed. They are not kept, so this is so for an earlier version, which was in
// force last or which the user trusts, if its program has been replaced.
func (x *builder) otherFiles(f *found, c *content) *trouble {
	if x.format(f.name) == nil || f.builtin != nil {
		return nil
	}
	now := content{bytes: c.bytes}
	now.setLibrary(x.library(f, c.bytes))
	if now.hash == c.hash {
		return nil
	}
	t := &trouble{message: "its files changed while it was loaded", hint: "it is loaded again"}
	if f.given != nil {
		t = &trouble{message: "its files are not those that you trust",
			hint: "agent trust add " + f.name + " trusts them as they are"}
	}
	is := scriptfile.Script{Library: now.library}
	for _, m := range modulesOf(c.library) {
		if text, _ := is.File(m.File); !bytes.Equal(text, m.bytes) {
			t.message += ": " + m.File
			break
		}
	}
	return t
}

// NameOf returns the name of the script or extension at a path: FOLDER/MANIFEST for an extension.
func NameOf(runtimes []engine.Runtime, path string) string {
	format := formatOf(runtimes, filepath.ToSlash(path))
	if format == nil {
		return filepath.Base(path)
	}
	if engine.HasPlace(format) {
		return format.Manifest()
	}
	return filepath.Base(folderOf(format, path)) + "/" + format.Manifest()
}

// FolderOf returns the folder of an extension, if a path is that of its manifest, or of a folder
// in it with the manifest; otherwise the path.
func FolderOf(runtimes []engine.Runtime, path string) string {
	for _, format := range formatsOf(runtimes) {
		m := format.Manifest()
		dir, file := filepath.Split(filepath.FromSlash(m))
		at := path
		if dir != "" && filepath.Base(path) == filepath.Base(dir) {
			at = filepath.Join(path, file)
		}
		if _, section := format.(engine.Section); section {
			continue
		}
		if info, err := os.Stat(at); err != nil || info.IsDir() ||
			!engine.HasFormat(format, filepath.ToSlash(at)) {
			continue
		}
		if engine.HasPlace(format) {
			return filepath.Dir(at)
		}
		return folderOf(format, at)
	}
	return path
}

// HeaderOf parses the header of a script, or reads that of an extension, by its name.
func HeaderOf(runtimes []engine.Runtime, name string, src []byte) (scriptfile.Header,
	[]HeaderError) {
	return headerOf(formatOf(runtimes, name), name, src)
}

// formatOf returns the format of an extension by its name, or by its path with slashes; nil for a
// script.
func formatOf(runtimes []engine.Runtime, name string) engine.Format {
	for _, format := range formatsOf(runtimes) {
		if engine.HasFormat(format, name) {
			return format
		}
	}
	return nil
}

// manifestName returns the name of an extension that is named by the path of its manifest: that
// path from the user's own folder, because a project may have the same one; or, if it has one of
// names, this and the manifest, and that it lasts.
func manifestName(format engine.Format, user string, names map[string]string,
	path string) (name string, lasting bool) {
	if name, lasting = names[path]; lasting {
		return name + "/" + format.Manifest(), true
	}
	if _, ok := format.(engine.Section); ok {
		return format.Manifest(), false
	}
	if rel, err := filepath.Rel(user, path); err == nil && filepath.IsLocal(rel) {
		path = "~/" + rel
	}
	return filepath.ToSlash(path), false
}

// manifestIn returns the name of the extension in a format, FOLDER/MANIFEST, that a folder with
// that name may hold. fixed reports that the format has its manifest in that folder only.
func manifestIn(format engine.Format, folder string) (name string, fixed, ok bool) {
	m := format.Manifest()
	if _, section := format.(engine.Section); section {
		return "", false, false
	}
	if engine.HasPlace(format) {
		only, _, _ := strings.Cut(m, "/")
		return m, true, folder == only && !strings.Contains(m, "*")
	}
	return folder + "/" + m, false, true
}

// libraryAt reads the modules of the script at a path, or the files of the extension, for callers
// without a Loader.
func libraryAt(runtimes []engine.Runtime, path string, src []byte) library {
	if format := formatOf(runtimes, filepath.ToSlash(path)); format != nil {
		return (&extensionFiles{}).readLibrary(format, folderIn{dir: folderOf(format, path)}, src,
			scriptfile.SourceUser)
	}
	for _, rt := range runtimes {
		if slices.Contains(rt.Extensions(), filepath.Ext(path)) {
			return library{Library: ReadLibrary(rt, filepath.Dir(path), src)}
		}
	}
	return library{}
}

// Place is a script, or an extension of another host that was found by its manifest.
type Place struct {
	Name    string // FOLDER/MANIFEST of an extension
	Path    string
	Lasting bool // the name is that of an extension whose path changes: see Options.Names
}

// inFolderAbove says why the manifest at a path is not run.
func inFolderAbove(path string) string {
	return fmt.Sprintf("%s is not run: in a folder with the name %s, it is part of an extension "+
		"that is the folder above; give the folder another name", path,
		filepath.Base(filepath.Dir(path)))
}

// ExtensionsAt returns the extensions at a place: see Options.Extensions, User and Names.
func ExtensionsAt(runtimes []engine.Runtime, user string, names map[string]string,
	place string) (all []Place) {
	if format := formatOf(runtimes, filepath.ToSlash(place)); format != nil {
		if src, err := ReadManifest(runtimes, place); realpath.Exists(place) &&
			(err != nil || src != nil) {
			name, lasting := manifestName(format, user, names, place)
			all = append(all, Place{name, place, lasting})
		}
		return all
	}
	list, _ := os.ReadDir(place)
	for _, d := range list {
		if path := filepath.Join(place, d.Name()); fixedFormat(runtimes, path) != nil {
			all = append(all, ExtensionsAt(runtimes, user, names, path)...)
			continue
		}
		for _, format := range formatsOf(runtimes) {
			name, fixed, ok := manifestIn(format, d.Name())
			path := filepath.Join(place, filepath.FromSlash(name))
			if ok && (fixed || !noise(d.Name())) && realpath.Exists(path) &&
				formatOf(runtimes, filepath.ToSlash(path)) == format {
				all = append(all, Place{name, path, false})
			}
		}
	}
	return all
}

// fixedFormat returns the format of the manifest at a path that only counts there; nil if it is
// none.
func fixedFormat(runtimes []engine.Runtime, path string) engine.Format {
	format := formatOf(runtimes, filepath.ToSlash(path))
	if format != nil && engine.HasPlace(format) {
		return format
	}
	return nil
}

// partAt returns what reads the extension from the file at a path, if it is a part of that: see
// engine.Section; otherwise nil.
func partAt(runtimes []engine.Runtime, path string) func(file []byte) ([]byte, error) {
	section, ok := formatOf(runtimes, filepath.ToSlash(path)).(engine.Section)
	if !ok {
		return nil
	}
	return func(file []byte) (part []byte, err error) {
		err = callFormat(section, func() (err error) {
			part, err = section.Part(file)
			return err
		})
		return part, err
	}
}

// isPart reports whether a name is that of an extension that is a part of the file at a path:
// FILE:PART.
func isPart(name, path string) bool { return strings.HasPrefix(name, filepath.Base(path)+":") }

// ReadManifest reads the manifest at a path, or the part of a file that is one; nil if the file has
// no such part.
func ReadManifest(runtimes []engine.Runtime, path string) ([]byte, error) {
	src, err := regularfile.Read(path)
	if part := partAt(runtimes, path); err == nil && part != nil {
		return part(src)
	}
	return src, err
}
