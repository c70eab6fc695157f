// This file finds the files of the folder that hooks run.

package hooks

import (
	"os"
	"path"
	"slices"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
)

// Files implements engine.Format: the files that commands run, and those beside the file that their
// words name. Without the program of a hook that guards, it has nothing to run: it is awaited.
func (f *Format) Files(src []byte, in engine.ExtensionFolder) (files []string) {
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
			[2]string{"", "."})
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
	slices.Sort(files)
	return slices.Compact(files)
}

// expand replaces the variables that name a folder by rootOf, which no quote and no space in the
// name of the folder can change.
func expand(line string) string {
	return os.Expand(line, func(name string) string {
		switch name {
		case "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "HOME":
			return rootOf(name)
		}
		return "${" + name + "}"
	})
}

// rootOf stands for the folder that a variable names.
func rootOf(variable string) string { return "/" + variable }
