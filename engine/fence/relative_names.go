// This file finds out what a relative name in an error message stands for.

package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// mostNamed is how many folders of a command line are examined, of its first longestLine bytes.
const mostNamed, longestLine = 20, 4 << 10

// namedFolders returns the folders that a command line names, which runs in dir: its programs may
// work there, because of cd, tar -C or git --work-tree.
func namedFolders(dir, line string) (folders []string) {
	for word := range strings.FieldsFuncSeq(plain.Head(line, longestLine), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|&()<>'\"`=", r)
	}) {
		word = strings.TrimPrefix(word, "-C") // tar -C/x
		if rest, is := strings.CutPrefix(word, "~"); is {
			word = os.Getenv("HOME") + rest // as the shell does
		}
		for _, from := range append([]string{dir}, folders...) { // cd a; cd b
			at := word
			if !filepath.IsAbs(word) {
				at = filepath.Join(from, word)
			}
			if word != "" && at != dir && len(folders) < mostNamed &&
				!slices.Contains(folders, at) && realpath.IsDir(at) {
				folders = append(folders, at)
			}
		}
	}
	return folders
}

// refusedIn returns the refusal that a message reports about a relative name, of a program that
// works in one of some folders. The name is as printed if it may be in several, or if none is known
// and the system's words are those of a sandbox: it alone makes what its user may write read-only.
func (p *Policy) refusedIn(folders []string, line string) Refusal {
	line = texts().couldNot.ReplaceAllString(strings.TrimSpace(line), ": ")
	parts := texts().printed.FindStringSubmatch(line)
	if parts == nil || filepath.IsAbs(parts[1]+parts[2]) {
		return Refusal{}
	}
	name, verb, what, places := parts[1]+parts[2], "", "", 0
	for _, dir := range folders {
		if one := p.refusedPath(filepath.Join(dir, name), messageOf(line)); one.Verb != "" {
			verb, what = one.Verb, one.What
			places++
		}
	}
	if places > 1 || places == 0 && texts().solid.MatchString(line) {
		verb, what = Write, name
	}
	return Refusal{Verb: verb, What: what}
}
