// This file finds the programs of extensions.

package peer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/shell"
)

// Local reports whether a program is named by a path relative to the folder in which it runs.
func Local(name string) bool {
	return strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) && !path.IsAbs(name)
}

// Grant returns the grant for a program.
func Grant(name string) string {
	if Local(name) {
		name = path.Clean(filepath.ToSlash(name))
	}
	return "exec:" + name
}

// Find returns the path of a program that runs in a folder. key says for the error where the
// manifest names the program: "exec in extension.json".
func Find(name, folder, key string) (string, error) {
	file := name
	if Local(name) {
		file = filepath.Join(folder, filepath.FromSlash(name))
	}
	found, err := exec.LookPath(file)
	if err == nil {
		return found, nil
	}
	hint := "install it, or correct " + key
	switch {
	case errors.Is(err, os.ErrPermission):
		hint = "make it executable: chmod +x " + file
	case Local(name):
		hint = "build it, or correct " + key
	}
	return "", &fault.ScriptError{Message: fmt.Sprintf("%s cannot be started: %v", name, err),
		Hint: hint, Err: err}
}

// Files returns the files of a program that runs in a folder: itself, and those that its arguments
// name. What an interpreter runs is the extension, as in "python3 -u main.py"; other arguments only
// look like files. The paths are relative to the folder.
func Files(name string, args []string, in engine.ExtensionFolder) (files []engine.ExtensionFile) {
	if Local(name) {
		files = append(files, engine.ExtensionFile{Name: path.Clean(filepath.ToSlash(name))})
	} else if len(args) > 0 && !Local(args[0]) && len(path.Ext(args[0])) > 1 &&
		!filepath.IsAbs(args[0]) && !strings.HasPrefix(args[0], "-") {
		// without it, the interpreter has nothing to run: it is awaited
		files = append(files, engine.ExtensionFile{Name: args[0]})
	}
	line := Line{Text: Quoted(append([]string{name}, args...)), Own: ".",
		Roots: [][2]string{{"", "."}}}
	return append(files, line.Files(in)...)
}

// Line is a command line of an extension.
type Line struct {
	Text string
	// Roots are how the text names folders, and their paths relative to the folder of the
	// extension. "" is that of relative names; without it, they are not in the folder.
	Roots [][2]string
	Own   string // the folder, as in Roots, of which a word names files
	// Awaited: without the file that it runs, the extension cannot be loaded.
	Awaited bool
}

// Quoted returns the text of a Line that runs a program with arguments; "" if there is none.
func Quoted(words []string) string {
	text, _ := shell.Quote(words)
	return text
}

// Files returns the files in the folder that the line runs, and those in Own that its words name:
// as far as they are known without running it.
func (l *Line) Files(in engine.ExtensionFolder) (files []engine.ExtensionFile) {
	commands := shell.Parse(l.Text).Commands
	for i := range commands {
		c := &commands[i]
		for _, name := range shell.Executed(c) {
			file, ok := l.in(name, in.Path)
			if !ok || strings.ContainsAny(file, "*?[") {
				continue
			}
			path := filepath.Join(in.Path, filepath.FromSlash(file))
			files = append(files, engine.ExtensionFile{Name: file, Perhaps: !l.Awaited ||
				len(commands) > 1 || realpath.IsDir(path) || realpath.Escapes(in.Path, path)})
		}
		for k, word := range c.Argv {
			if !c.Static[k] || word == "" {
				continue
			}
			for _, name := range shell.PathsOf(c, word) {
				file, ok := l.in(name, in.Path)
				own := l.Own == "." || strings.HasPrefix(file, l.Own+"/") ||
					k == 0 && path.Ext(word) != "" // uv run x.py
				if ok && own && in.Exists(file) {
					files = append(files, engine.ExtensionFile{Name: file, Perhaps: true})
				}
			}
		}
	}
	return files
}

// in returns the path of a file relative to the folder, which is at the path folder.
func (l *Line) in(name, folder string) (file string, ok bool) {
	roots := l.Roots
	if folder != "" {
		roots = slices.Concat([][2]string{{filepath.ToSlash(folder), "."}}, roots)
	}
	for _, root := range roots {
		rest, below := strings.CutPrefix(name, root[0])
		switch {
		case root[0] == "":
			below = !path.IsAbs(name) && !strings.HasPrefix(name, "~")
		case below:
			rest, below = strings.CutPrefix(rest, "/")
		}
		if below {
			file = path.Join(root[1], rest)
			return file, file != "." && file != ".." && !strings.HasPrefix(file, "../")
		}
	}
	return "", false
}
