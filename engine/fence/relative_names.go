// This file finds out what a relative name in an error message stands for.

package fence

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/realpath"
)

const (
	// mostWords is how many words of a command line are examined, and mostNamed how many folders
	// among them.
	mostWords, mostNamed = 200, 20
)

// namedFolders returns the folders that a command line names, which runs in dir: its programs may
// work there, because of cd, tar -C or git --work-tree.
func namedFolders(dir, line string) (folders []string) {
	words := strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|&()<>'\"`=", r)
	})
	for _, word := range words[:min(len(words), mostWords)] {
		word, _ = strings.CutPrefix(word, "-C") // tar -C/x
		for _, begin := range []string{"~/", "$HOME/", "${HOME}/"} {
			if rest, is := strings.CutPrefix(word+"/", begin); is {
				word = filepath.Join(os.Getenv("HOME"), rest) // as the shell does
			}
		}
		from := append([]string{dir}, folders...) // cd a; cd b
		if filepath.IsAbs(word) {
			from = []string{"/"}
		}
		for _, one := range from {
			one = filepath.Join(one, word)
			if word != "" && one != dir && len(folders) < mostNamed &&
				!slices.Contains(folders, one) && realpath.IsDir(one) {
				folders = append(folders, one)
			}
		}
	}
	return folders
}

// printedName matches the message of a program about a file that it could not write, and the name.
var printedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:[\w+-]+|\S+: line \d+): ` +
		`(?:.*['"‘]([^'"‘’]+)['"’]|(?:.* )?([^\s:'"’]+))(?: for writing)?: ` +
		`(?:read-only file system|permission denied|operation not permitted)$`)
})

// couldNot matches what tar could not do with the file that it names before.
var couldNot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`: Cannot [a-z ]+: `)
})

// refusedIn returns the refusal that a message reports about a relative name, of a program that
// works in one of some folders. The name is as printed if it may be in several, or if none is known
// and the system's words are those of a sandbox: it alone makes what its user may write read-only.
func (p *Policy) refusedIn(folders []string, line string) (found Refusal) {
	line = couldNot().ReplaceAllString(strings.TrimSpace(line), ": ")
	parts := printedName().FindStringSubmatch(line)
	if parts == nil || filepath.IsAbs(parts[1]+parts[2]) {
		return Refusal{}
	}
	printed := Refusal{Verb: Write, What: parts[1] + parts[2]}
	for _, dir := range folders {
		one := p.refusedPath(filepath.Join(dir, printed.What), messageOf(line))
		if one.Verb != "" && found.Verb != "" {
			return printed
		}
		found = cmp.Or(one, found)
	}
	if found.Verb == "" && texts().solid.MatchString(line) {
		return printed
	}
	return found
}
