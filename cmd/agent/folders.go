// This file prepares and checks the folders of scripts before they are read, and holds the built-in
// skills.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/skill"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/spec"
)

// scriptsReadme is the README.md in the folder of the user's scripts.
const scriptsReadme = `# Scripts of agent

Each .lua, .js or .ts file in this folder is an extension of agent, in force from the moment it is
saved. This one refuses rm -r; save it as guard.lua:

    ext.guard({ tool = "bash" }, function(ev)
      return ext.shell.check(ev.args.command, { deny = {
        { cmd = "rm", flags = "r", reason = "rm -r cannot be undone: move it to the trash" },
      } })
    end)

    agent ext list              what is here, and what it may do
    agent ext gallery           examples to copy
    agent ext new NAME          a script to begin with
    agent ext install SOURCE    one from a path, an address, a gist or a repository
    agent ext help scripts      how to write one; agent ext docs for a model
`

// makeScripts creates the folder of the user's scripts at the first start, with a README.md, so
// that a script can be saved there at once. It does nothing if scripts have been loaded from that
// home before: a folder that is missing then may be about to return. first reports whether this is
// the first start.
func makeScripts(home string) (first bool, err error) {
	for _, name := range []string{"scripts", filepath.Join("state", "good")} {
		if _, err := os.Lstat(filepath.Join(home, name)); !errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	if err := os.MkdirAll(filepath.Join(home, "scripts"), 0o700); err != nil {
		return false, fmt.Errorf("the folder of scripts cannot be created: %w", err)
	}
	readme := filepath.Join(home, "scripts", "README.md")
	if err := os.WriteFile(readme, []byte(scriptsReadme), 0o600); err != nil {
		return true, fmt.Errorf("the folder of scripts gets no README.md: %w", err)
	}
	return true, nil
}

// emptyFolders returns the folders of -e that hold no script: a typo would leave out a guard.
func emptyFolders(paths []string) []string {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		if files, err := scriptFiles([]string{path}); err == nil && len(files) == 0 &&
			!holdsExtension(path) {
			out = append(out,
				fmt.Sprintf("-e %s: no script is in this folder; one is a file that ends in %s",
					path, strings.Join(endings(), ", ")))
		}
	}
	return out
}

// holdsExtension reports whether a folder is that of an extension of another host, or has some in
// its folders.
func holdsExtension(dir string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	dir = load.FolderOf(readers(), dir)
	below := dir + string(filepath.Separator)
	return len(load.ExtensionsAt(readers(), "", nil, dir)) > 0 ||
		slices.ContainsFunc(load.ExtensionsAt(readers(), "", nil, filepath.Dir(dir)),
			func(x load.Place) bool { return strings.HasPrefix(x.Path, below) })
}

// isScript reports whether a file name has the extension of a script.
func isScript(name string) bool {
	return slices.ContainsFunc(runtimes(),
		func(rt engine.Runtime) bool {
			return slices.Contains(rt.Extensions(),
				filepath.Ext(name))
		})
}

// scriptFiles returns the scripts that paths name, including those in named folders; without paths,
// the user's scripts. A word that is no path may be the name of a script of the user or the
// project. An error means wrong usage.
func scriptFiles(paths []string) ([]string, error) {
	at, err := place{}.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		dir := filepath.Join(at.home, "scripts")
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		paths = []string{dir}
	}
	var files []string
	for _, path := range paths {
		if !realpath.Exists(path) {
			if named, err := at.switchedBy(path, nil, false); err == nil {
				path = named.Path
			}
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: no such file", path)
		case err != nil:
			return nil, err
		case !info.IsDir() && !isScript(path):
			return nil, fmt.Errorf("%s: no script: want a file that ends in %s", path,
				strings.Join(endings(), ", "))
		case !info.IsDir():
			files = append(files, path)
			continue
		}
		list, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !d.IsDir() && isScript(d.Name()) && !strings.HasPrefix(d.Name(), ".") {
				files = append(files, filepath.Join(path, d.Name()))
			}
		}
	}
	return files, nil
}

func endings() []string {
	var all []string
	for _, rt := range runtimes() {
		all = append(all, rt.Extensions()...)
	}
	return all
}

// builtinSkills returns the skills that are part of the program.
func builtinSkills() []skill.Builtin {
	return []skill.Builtin{{Name: "agent-scripts", Text: spec.Guide,
		Description: "How to write a script for this program, agent: guards, tools, slash " +
			"commands and handlers of events, in one Lua or JavaScript file in ~/.agent/scripts. " +
			"It has the whole API. Read it before you write or change such a script."}}
}
