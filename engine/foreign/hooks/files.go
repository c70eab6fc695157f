// This file finds the files of the folder that hooks run.

package hooks

import (
	"path"
	"slices"
	"strings"
)

// roots are how commands name the folder of the file.
var roots = []string{"${CLAUDE_PLUGIN_ROOT}/", "$CLAUDE_PLUGIN_ROOT/"}

// settingsRoots are how commands of a settings.json name the folder that it is usually in.
var settingsRoots = []string{"${CLAUDE_PROJECT_DIR}/.claude/", "$CLAUDE_PROJECT_DIR/.claude/",
	"~/.claude/", "${HOME}/.claude/", "$HOME/.claude/", ".claude/"}

// Files implements engine.Format: the words of commands that name files in the folder. Without the
// program of a hook that guards, it has nothing to run: it is awaited.
func (f *Format) Files(src []byte, exists func(name string) bool) (files []string) {
	s, err := readSettings(f.file, src)
	if err != nil {
		return nil
	}
	prefixes := roots
	if f.file != manifestName {
		prefixes = slices.Concat(roots, settingsRoots)
	}
	for _, h := range s.hooks {
		for i, word := range h.words() {
			name, rooted := word, false
			for _, p := range prefixes {
				if rest, ok := strings.CutPrefix(word, p); ok {
					name, rooted = rest, true
					break
				}
			}
			name = path.Clean(name)
			if name == "." || path.IsAbs(name) || strings.HasPrefix(name, "..") ||
				strings.HasPrefix(name, "-") || strings.ContainsAny(name, "$`*?") {
				continue
			}
			program := i == 0 || i == 1 && path.Ext(name) != "" // or what an interpreter runs
			if rooted && program && h.row.decides || exists(name) {
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// words returns the words of a command, as far as they are separated by spaces, without quotes.
func (h *hook) words() []string {
	if h.bare {
		return append([]string{h.command}, h.args...)
	}
	line := strings.NewReplacer(`"`, "", "'", "", ";", " ", "&", " ", "|", " ").Replace(h.command)
	return strings.Fields(line)
}
