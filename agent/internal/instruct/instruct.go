// Package instruct reads the instructions that users and projects have written for agents:
// AGENTS.md and the CLAUDE.md files of Claude Code, with the files that they import.
//
//	files := instruct.New(instruct.Options{Dir: dir, Project: project, Home: home, User: user,
//		Allowed: allowed, Say: say})
//	files.Always()      // those of each request
//	files.Near(path)    // those of the folders of a file that the model works on
//	files.Outside()     // what the project imports from elsewhere, which needs consent
//
// The files are text for a model, and nothing in them runs. They are read each time.
package instruct

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

const (
	// File holds a project's or user's instructions for agents. Claude Code has the other names.
	File   = "AGENTS.md"
	claude = "CLAUDE.md"
	// local is what a user writes for one project, and does not commit.
	local     = "CLAUDE.local.md"
	claudeDir = ".claude"
	// MaxBytes bounds one such file: it is part of each request, and must leave room for the work.
	MaxBytes = 64 << 10
	// maxFolders bounds in how many folders they are looked for: a working directory may be nested
	// deeply.
	maxFolders = 16
)

// Options configures where instructions are.
type Options struct {
	Dir     string // the working directory
	Project string // the project's root
	Home    string // the agent's own directory; "" = none
	User    string // the user's home directory; "" = none
	// Allowed reports whether the project's files may import this file outside of the project, a
	// real path; nil = none
	Allowed func(path string) bool
	Say     func(level, text string) // called for each problem at each reading; nil = nobody
}

// Text is the instructions of one file.
type Text struct {
	Path string
	From string // the file that imports it; "" = none
	Text string
}

// Files finds instructions. Its methods are safe for concurrent use.
type Files struct{ o Options }

// New makes Files. It reads nothing yet.
func New(o Options) *Files {
	if o.Say == nil {
		o.Say = func(string, string) {}
	}
	return &Files{o}
}

// Always returns the instructions of each request: from the project's root down to the working
// directory, so that the nearest ones take precedence about the project, then the user's own. A
// file with several names is read once, at its first place.
func (f *Files) Always() []Text {
	r := &reading{Files: f}
	for _, dir := range f.folders() {
		r.folder(dir)
	}
	if f.o.Home != "" {
		r.first(f.o.Home, false, File, claude)
	}
	if f.o.User != "" {
		r.first(filepath.Join(f.o.User, claudeDir), false, claude)
	}
	return r.texts
}

// folders returns the folders from the project's root down to the working directory.
func (f *Files) folders() (list []string) {
	if f.o.Dir == "" {
		return nil
	}
	return f.down(filepath.Clean(f.o.Dir))
}

// down returns the folders from the project's root down to dir.
func (f *Files) down(dir string) (list []string) {
	for len(list) < maxFolders {
		list = append(list, dir)
		if way, ok := realpath.Below(f.o.Project, dir); !ok || way == "." ||
			dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	slices.Reverse(list)
	return list
}

// Near returns the instructions of the folders of path that Always does not read: those of the
// project below its root, outermost first. What dependencies bring is not read.
func (f *Files) Near(path string) []Text {
	dir := filepath.Dir(realpath.Typed(path, f.o.Dir, f.o.User))
	if way, ok := realpath.Below(f.o.Project, dir); !ok || way == "." {
		return nil
	}
	always := f.folders()
	r := &reading{Files: f, near: true}
	for _, dir := range f.down(dir) {
		switch filepath.Base(dir) {
		case "node_modules", ".git":
			return r.texts
		}
		if !slices.Contains(always, dir) {
			r.folder(dir)
		}
	}
	return r.texts
}

// Outside returns the real paths of the files outside of the project that it imports in the
// instructions of each request.
func (f *Files) Outside() []string {
	var out []string
	o := f.o
	o.Say = func(string, string) {}
	o.Allowed = func(path string) bool {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
		return f.o.Allowed != nil && f.o.Allowed(path)
	}
	r := &reading{Files: &Files{o}}
	for _, dir := range r.folders() {
		r.folder(dir)
	}
	return out
}

// reading is one reading of files.
type reading struct {
	*Files
	texts []Text
	near  bool // they are read because of a file beside them
	read  []fs.FileInfo
	total int // bytes of the texts
}

// folder reads the instructions of a folder of the project.
func (r *reading) folder(dir string) {
	project := !realpath.Same(dir, r.o.Home)
	names := []string{File, claude}
	if agents := filepath.Join(dir, File); realpath.Exists(agents) &&
		r.imports(filepath.Join(dir, claude), agents) {
		names = []string{claude} // it has the other one, and more
	}
	if r.o.User == "" || !realpath.Same(dir, r.o.User) { // that is the user's own
		names = append(names, filepath.Join(claudeDir, claude))
	}
	r.first(dir, project, names...)
	r.first(dir, project, local)
}

// first reads the first of the files in dir that exists. One that cannot be read is reported, and
// so are the others, unless the first one imports them or is the same file.
func (r *reading) first(dir string, project bool, names ...string) {
	for i, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if i > 0 {
			r.o.Say("info", plain.RevealName(path)+" is read: there is no "+File+" beside it")
		}
		r.file(path, project, nil)
		for _, other := range names[i+1:] {
			if other = filepath.Join(dir, other); !r.hasRead(other) {
				r.o.Say("info", plain.RevealName(other)+" is not read: "+name+" is")
			}
		}
		return
	}
}

// hasRead reports whether a file has been read, or is not there.
func (r *reading) hasRead(path string) bool {
	info, err := os.Stat(path)
	return err != nil || slices.ContainsFunc(r.read,
		func(o fs.FileInfo) bool { return os.SameFile(info, o) })
}
