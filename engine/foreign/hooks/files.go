// This file finds the files of the folder that hooks run.

package hooks

import (
	"os"
	"path"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
)

// Files implements engine.Format: the files that commands run, and those beside the file that their
// words name. Without the program of a hook that guards, it has nothing to run.
func (f *Format) Files(src []byte, in engine.ExtensionFolder) (files []engine.ExtensionFile) {
	s, err := f.read(f.dialect, f.file, src)
	if err != nil {
		return nil
	}
	own := path.Dir(f.file)
	if plugin(f.file) {
		own = "."
	}
	line := peer.Line{Own: own, Roots: [][2]string{{rootOf("CLAUDE_PLUGIN_ROOT"), own}}}
	switch {
	case plugin(f.file): // it runs where the agent works
	case in.Project:
		line.Roots = append(line.Roots, [2]string{rootOf("CLAUDE_PROJECT_DIR"), "."},
			[2]string{rootOf("PWD"), "."}, [2]string{"", "."})
	default:
		line.Roots = append(line.Roots, [2]string{rootOf("HOME"), "."}, [2]string{"~", "."})
	}
	all := s.hooks
	if s.status != nil {
		all = append(all, s.status)
	}
	for _, h := range all {
		if h.kind != "command" {
			continue
		}
		line.Awaited = h.row.decides
		if line.Text = expand(h.command); h.bare {
			words := []string{line.Text}
			for _, word := range h.args {
				words = append(words, expand(word))
			}
			line.Text = peer.Quoted(words)
		}
		files = append(files, line.Files(in)...)
	}
	return files
}

// expand replaces the variables that name a folder by rootOf, which no quote and no space in the
// name of the folder can change: also with a default value, or without a slash at the end.
func expand(line string) string {
	return os.Expand(line, func(name string) string {
		variable, _, _ := strings.Cut(strings.ReplaceAll(name, "%", ":"), ":")
		switch variable {
		case "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "HOME", "PWD":
			return rootOf(variable)
		}
		return "${" + name + "}"
	})
}

// rootOf stands for the folder that a variable names.
func rootOf(variable string) string { return "/" + variable }
