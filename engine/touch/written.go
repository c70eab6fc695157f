// This file follows command lines into files that were written before in the same session.

package touch

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/shell"
)

// maxScript is how much of a file is parsed: as much as of a command line.
const maxScript = 64 << 10

// Parse returns the parsed form of a command line that runs in dir, with the text of the files that
// it runs and that were written before.
func (f Finder) Parse(line, dir string) *shell.Script {
	return f.touched(dir, "").parse(line)
}

// parse returns the parsed form of a command line that runs in the folder of t.
func (t *Touched) parse(line string) *shell.Script {
	return shell.ParseIn(line, shell.Context{Written: t.written(), Environment: t.environment,
		Dir: t.dir, Plain: func(all []shell.Path) bool { return haveNoMeaning(t, all) }})
}

// haveNoMeaning reports whether the names of all files of a list have no meaning to a shell.
func haveNoMeaning(t *Touched, all []shell.Path) bool {
	for _, p := range all {
		found, ok := []string(nil), !p.Tracked && !p.FromRoot
		switch {
		case !ok:
		case p.Pattern:
			found, ok = t.findPattern(p.Name)
		case p.Only != "":
			found, _, ok = fitting(t, p.Name, p.Only, false)
		default:
			ok = false
		}
		for _, one := range found {
			one = strings.TrimPrefix(one, t.dir)
			ok = ok && strings.Trim(one, nameLetters) == "" && !strings.HasPrefix(one, "-") &&
				!strings.HasPrefix(one, "/-")
		}
		if !ok {
			return false
		}
	}
	return true
}

// nameLetters are characters that mean themselves in the text of a shell.
const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%,:"

// written returns the function with which shell finds files that were written before; nil = none
// was.
func (t *Touched) written() shell.Written {
	if t.wrote == nil {
		return nil
	}
	files := shell.ProjectFiles()
	var find shell.Written
	find = func(name string) (text string, ok bool) {
		if shell.Pattern(name) {
			all, _ := t.findPattern(name)
			for _, one := range all {
				if shell.Pattern(one) {
					return "", true
				}
				if more, is := find(one); is {
					text, ok = text+more+"\n", true
				}
			}
			return text, ok
		}
		_, path, known := t.disk.resolvePath(t.abs(name))
		switch {
		case !known:
			return "", false
		case t.wrote(path):
			return readScript(path), true
		case slices.Contains(files, filepath.Base(path)): // programs look for it further up, too
			for dir := filepath.Dir(filepath.Dir(path)); t.disk.spend(1); dir = filepath.Dir(dir) {
				if t.wrote(filepath.Join(dir, filepath.Base(path))) {
					return "", true
				}
				if dir == filepath.Dir(dir) {
					break
				}
			}
		}
		for _, file := range files { // if it is a folder
			if t.wrote(filepath.Join(path, file)) {
				return "", true
			}
		}
		return "", false
	}
	return find
}

// readScript returns the text of a file; "" if it cannot be read, or is too long to be parsed.
func readScript(path string) string {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil || len(b) > maxScript {
		return ""
	}
	return string(b)
}
