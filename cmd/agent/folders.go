// This file prepares and checks the folders of scripts before they are read, and holds the built-in
// skills.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/agent/skill"
	"github.com/agentscripts/agent/engine/spec"
)

// makeScripts creates the folder of the user's scripts at the first start, so that a script can be
// saved there at once. It does nothing if scripts have been loaded from that home before: a folder
// that is missing then may be about to return. first reports whether this is the first start.
func makeScripts(home string) (first bool, err error) {
	for _, name := range []string{"scripts", filepath.Join("state", "good")} {
		if _, err := os.Lstat(filepath.Join(home, name)); !errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	if err := os.MkdirAll(filepath.Join(home, "scripts"), 0o700); err != nil {
		return false, fmt.Errorf("the folder of scripts cannot be created: %w", err)
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
		if files, err := scriptFiles([]string{path}); err == nil && len(files) == 0 {
			out = append(out,
				fmt.Sprintf("-e %s: no script is in this folder; one is a file that ends in %s",
					path, strings.Join(endings(), ", ")))
		}
	}
	return out
}

// builtinSkills returns the skills that are part of the program.
func builtinSkills() []skill.Builtin {
	return []skill.Builtin{{Name: "agent-scripts", Text: spec.Guide,
		Description: "How to write a script for this program, agent: guards, tools, slash " +
			"commands and handlers of events, in one Lua or JavaScript file in ~/.agent/scripts. " +
			"It has the whole API. Read it before you write or change such a script."}}
}
