// This file reads files of git's settings. Source: git-config(1), "Syntax".

package gitdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// runs are settings because of which git runs a program while it only reads: it shows, compares or
// looks for changes, or asks for what a partial clone lacks.
var runs = []string{"core.fsmonitor", "core.gitproxy", "core.sshcommand", "diff.command",
	"diff.external", "diff.textconv", "filter.clean", "filter.process", "gpg.program",
	"protocol.allow", "remote.uploadpack", "remote.vcs"}

// harmless are values of them that name no program of the repository: git lfs install --local, and
// the monitor that is a part of git.
var harmless = []string{"", "true", "false", "git-lfs clean -- %f", "git-lfs filter-process"}

// RunsPrograms reports whether the settings of the repository, or of a submodule, make git run a
// program while it only reads. Those of the user do not count. home is the user's home; "" = none.
func (r Repository) RunsPrograms(home string) bool {
	for _, dir := range append(Modules(r.Common), r.Dir, r.Common) {
		for _, name := range []string{"config", "config.worktree"} {
			files := []string{filepath.Join(dir, name)}
			files = append(files, included(files[0], home)...)
			if len(files) > maxIncludes || slices.ContainsFunc(files, namesProgram) {
				return true
			}
		}
	}
	return false
}

// namesProgram reports whether a file of settings names such a program, or cannot be read.
func namesProgram(file string) bool {
	if _, err := readFile(file, maxFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return true
	}
	return slices.ContainsFunc(readSettings(file), func(s setting) bool {
		return slices.Contains(runs, s.key) && !slices.Contains(harmless, s.value)
	})
}

// setting is a value of a file of settings. key is the section and the name, in lower case, without
// the subsection: "core.hookspath".
type setting struct{ key, value string }

// readSettings returns the settings of a file, in their order. What is no setting is left out.
func readSettings(file string) (list []setting) {
	b, err := readFile(file, maxFile)
	if err != nil {
		return nil
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(b), "\uFEFF"), "\r\n", "\n")
	section := ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			end := closing(line)
			if end < 0 {
				continue
			}
			name := strings.Trim(line[1:end], " \t")
			if i := strings.IndexAny(name, " \t\"."); i >= 0 {
				name = name[:i]
			}
			section, line = strings.ToLower(name), strings.TrimSpace(line[end+1:])
		}
		name, value, _ := strings.Cut(line, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" || strings.ContainsAny(name, "#;") {
			continue
		}
		list = append(list, setting{section + "." + name, unquote(strings.TrimSpace(value))})
	}
	return list
}

// closing returns where the head of a section ends; -1 = nowhere. Its name may be in quotes.
func closing(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// unquote returns a value without quotes and comments.
func unquote(text string) string {
	var b strings.Builder
	quoted, kept := false, 0 // kept is what remains if only white space follows
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
			kept = b.Len()
			continue
		case c == '\\' && i+1 < len(text):
			i++
			if c = text[i]; c == 'n' || c == 't' || c == 'b' {
				c = ' '
			}
		case !quoted && (c == '#' || c == ';'):
			return b.String()[:kept]
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			kept = b.Len()
		}
	}
	return b.String()[:kept]
}
