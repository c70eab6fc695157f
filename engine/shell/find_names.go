// This file determines which files find passes on, by the test -name.

package shell

import (
	"path"
	"slices"
	"strings"
)

// findTests are tests of find that only narrow what -name selects, and take one word; findPlain
// those that take none.
var (
	findTests = setOf("-name -type -maxdepth -mindepth -mtime -mmin -ctime -atime -size -user")
	findPlain = setOf("-print -print0 -delete -empty -a -and -xdev -mount")
)

// onFiles are programs that do nothing to the files in a folder that is their operand, unless they
// have a flag of deepFlags.
var onFiles = setOf("cat head tail wc grep egrep fgrep rm touch chmod stat file nl sed md5sum " +
	"sha1sum sha256sum")

// deepFlags are letters of flags with which programs of onFiles may enter folders.
const deepFlags = "rRd"

// only returns the pattern of path.Match that the base names of all files fit that find deletes or
// passes to a program. ok is false if it may act on others: then no single -name stands before its
// actions, or there are other tests. entered is false if programs that get folders do not matter.
func (c *Command) only(entered bool) (pattern string, ok bool) {
	i := findFlags(c.Argv)
	for i < len(c.Argv) && !strings.HasPrefix(c.Argv[i], "-") {
		if c.Argv[i] == "(" || c.Argv[i] == "!" || c.Argv[i] == "," {
			return "", false
		}
		i++
	}
	plain := !entered // only regular files
	for ; i < len(c.Argv); i++ {
		w := c.Argv[i]
		switch {
		case !c.Static[i] || c.info[i].glob:
			return "", false
		case findTests()[w]:
			if i++; i == len(c.Argv) || !c.Static[i] || c.info[i].glob ||
				w == "-name" && pattern != "" {
				return "", false
			}
			if w == "-name" {
				if pattern, ok = GoPattern(c.Argv[i]); !ok || pattern == "" {
					return "", false
				}
			}
			plain = plain || w == "-type" && c.Argv[i] == "f"
		case pattern == "": // before an action
			return "", false
		case w == "-exec":
			end := i + 1
			for end < len(c.Argv) && c.Argv[end] != ";" && c.Argv[end] != "+" {
				end++
			}
			if !plain && !staysOnFiles(c.Argv[i+1:end]) {
				return "", false
			}
			i = end
		case !findPlain()[w]:
			return "", false
		}
	}
	_, err := path.Match(pattern, "")
	return pattern, pattern != "" && err == nil && !c.Open
}

// staysOnFiles reports whether a command that find runs does nothing to files in the folders that
// it is passed.
func staysOnFiles(argv []string) bool {
	return len(argv) > 0 && onFiles()[argv[0]] &&
		!slices.ContainsFunc(argv[1:], func(w string) bool {
			return argv[0] != "sed" && len(w) > 1 && w[0] == '-' && w != "--" &&
				(w[1] == '-' || strings.ContainsAny(w, deepFlags))
		})
}
