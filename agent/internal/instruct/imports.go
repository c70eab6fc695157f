// This file reads one file of instructions, and the files that it imports.

package instruct

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// maxDepth is how many files may import each other in a row. Source: Claude Code.
	maxDepth = 5
	// maxTotal bounds all instructions of a request, in bytes.
	maxTotal = 4 * MaxBytes
)

// file reads a file, and what it imports after it. project says that it is one of the project's,
// or imported by one; from are the files that lead to it.
func (r *reading) file(path string, project bool, from []string) {
	if info, err := os.Stat(path); err == nil {
		if r.hasRead(path) {
			return
		}
		r.read = append(r.read, info)
	}
	if r.total >= maxTotal {
		r.o.Say("warn", fmt.Sprintf("%s: the model does not get its text: there are more than "+
			"%d KB of instructions", plain.RevealName(path), maxTotal>>10))
		return
	}
	text, err := r.text(path, project)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(from) == 0: // it is gone again
		return
	case err != nil:
		r.o.Say("warn", plain.RevealName(path)+": "+plain.Error(err))
	}
	t := Text{Path: path, Text: strings.TrimSpace(text)}
	if t.Text == "" {
		return
	}
	r.total += len(text)
	if len(from) > 0 {
		t.From = from[len(from)-1]
	}
	r.texts = append(r.texts, t)
	from = append(slices.Clip(from), path)
	for _, i := range findImports(text) {
		r.followImport(i, project, from)
	}
}

// text returns the text of a file. An error may come with the text that could be read. A file of
// the project must not be a link to a file outside: the model would get a text that the project's
// authors must not see.
func (r *reading) text(path string, project bool) (string, error) {
	if _, in := realpath.Below(r.o.Project, path); in && project &&
		realpath.Escapes(r.o.Project, path) {
		return "", errors.New("links out of the project: the model does not get its text")
	}
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, regularfile.ErrNotRegular):
		return "", fmt.Errorf("%w: the model does not get its text", plain.Cause(err))
	case err != nil:
		return "", plain.Cause(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return "", plain.Cause(err)
	}
	if len(b) > MaxBytes {
		err = fmt.Errorf("larger than %d KB: the model does not get the rest", MaxBytes>>10)
		b = append(plain.Head(b, MaxBytes), "\n[cut]"...)
	}
	if strings.ContainsRune(string(b), 0) {
		return "", errors.New("is no text: the model does not get it")
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), err
}

// statement is an @import in a file.
type statement struct {
	path string // as it is written
	line int
}

var (
	// importPath matches an import: a word that begins with @. A space in it is written "\ ".
	importPath = lazyregexp.New(`(?:^|\s)@((?:\\ |[^\s\\])+)`)
	// codeSpan matches code in a line, in which nothing is imported.
	codeSpan = lazyregexp.New("``[^\n]*?``|`[^`\n]*`")
)

// findImports returns the imports in a text, except those in code.
func findImports(text string) (list []statement) {
	if !strings.Contains(text, "@") {
		return nil
	}
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		start := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(start, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~"):
			fence = start[:3]
			continue
		}
		for _, m := range importPath().FindAllStringSubmatch(
			codeSpan().ReplaceAllString(line, "`"), -1) {
			path := strings.TrimRight(strings.ReplaceAll(m[1], `\ `, " "), `.,;:!?)'"*`)
			if path != "" {
				list = append(list, statement{path, i + 1})
			}
		}
	}
	return list
}

// imports reports whether a file imports another one itself.
func (r *reading) imports(path, other string) bool {
	text, err := r.text(path, true)
	return err == nil && slices.ContainsFunc(findImports(text), func(s statement) bool {
		return realpath.Typed(s.path, filepath.Dir(path), r.o.User) == other
	})
}

// followImport reads an imported file. from are the files that lead to it, the importing one last.
func (r *reading) followImport(s statement, project bool, from []string) {
	by := from[len(from)-1]
	path := realpath.Typed(s.path, filepath.Dir(by), r.o.User)
	say := func(what string) {
		r.o.Say("warn", fmt.Sprintf("%s:%d: @%s %s", plain.RevealName(by), s.line,
			plain.RevealName(plain.Line(s.path, 200)), what))
	}
	info, err := os.Stat(path)
	if project && r.outside(path) {
		real, ok := realpath.Of(path)
		switch {
		case err != nil && !meant(s.path): // a word such as @types/node
			return
		case !ok || r.o.Allowed == nil || !r.o.Allowed(real):
			how := "/trust, or agent trust add"
			if r.near {
				how = "/trust"
			}
			say("is outside of the project: the model does not get it before you allow that: " +
				how)
			return
		}
	}
	switch {
	case err != nil && !meant(s.path):
	case err != nil:
		say("is not read: " + plain.Error(plain.Cause(err)))
	case !info.Mode().IsRegular():
	case slices.ContainsFunc(from, func(p string) bool { return realpath.Same(p, path) }):
		say("is a loop: the file is read once")
	case len(from) > maxDepth:
		say(fmt.Sprintf("is not read: more than %d files import each other in a row", maxDepth))
	default:
		r.file(path, project, from)
	}
}

// outside reports whether a path is outside of the project by its name: a link that leads out of it
// is refused.
func (r *reading) outside(path string) bool {
	if _, in := realpath.Below(r.o.Project, path); in {
		return false
	}
	return realpath.Escapes(r.o.Project, path)
}

// meant reports whether a word is certainly a path: others, such as the names of people and
// packages, begin with @ too.
func meant(path string) bool {
	switch filepath.Ext(path) {
	case ".md", ".mdc", ".markdown", ".txt":
		return true
	}
	_, ofHome := realpath.CutHome(path)
	return ofHome || filepath.IsAbs(path) || strings.HasPrefix(path, "./") ||
		strings.HasPrefix(path, "../")
}
