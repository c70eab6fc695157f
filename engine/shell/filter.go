// This file reads the programs that are given to sed and awk.

package shell

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// filter is a command of sed or awk, whose words are a program.
type filter struct{ c *Command }

// awkActs are the words with which a program for awk does more than to print.
var awkActs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`system|getline|@|\||print[^;}\n]*>`)
})

// awkPattern is a regular expression in one, where no number can be divided and no text ends.
var awkPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[(,;{}~!&|\n])\s*/(?:[^/\\\n"]|\\.)*/`)
})

// awkPrints reports whether a program for awk only prints.
func (f filter) awkPrints() bool {
	c := f.c
	for i := 1; i < len(c.Argv); i++ {
		a := c.Argv[i]
		switch {
		case !c.Static[i]:
			return false
		case a == "-F" || a == "-v":
			if i++; i < len(c.Argv) && !c.Static[i] && c.Argv[i-1] == "-F" {
				return false
			}
		case strings.HasPrefix(a, "-F"):
		case strings.HasPrefix(a, "-"):
			return false
		default:
			if len(a) > maxProgram {
				return false
			}
			plain := awkPattern().ReplaceAllString(a, "$1 ")
			return !awkActs().MatchString(strings.ReplaceAll(plain, "||", " "))
		}
	}
	return true
}

// maxProgram bounds how long a program for sed or awk is that is looked at, in bytes.
const maxProgram = 4 << 10

// sedPlain are scripts of sed that neither run a program nor write a file, as far as people write
// them.
var sedPlain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(\s*(\d+|\$|/(?:[^/\\]|\\.)*/)?(,(\d+|\$|/(?:[^/\\]|\\.)*/))?\s*!?\s*(s(/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/|\|[^|\\]*\|[^|\\]*\||#[^#\\]*#[^#\\]*#|,[^,\\]*,[^,\\]*,|@[^@\\]*@[^@\\]*@)[gpiIm0-9]*|[pdqDPNnhHgGx=l]|:\w+|[tbT]\s*\w*|[aic]\\?\s[^\n]*|y/[^/]*/[^/]*/)?\s*(;|\n|\{|\}|$))*$`)
})

// sedActs reports whether a command of sed may run programs or write files besides those that it is
// given: its script is not known, or not one of the usual ones.
func (f filter) sedActs() bool {
	c := f.c
	given := false
	for i := 1; i < len(c.Argv); i++ {
		a := c.Argv[i]
		switch {
		case c.may(i) == nil && !given:
			return true
		case a == "-f" || strings.HasPrefix(a, "--file") || strings.HasPrefix(a, "-f"):
			return true
		case a == "-l": // the next word is its value, or not: a number does nothing
			if i++; i < len(c.Argv) && !f.plainSed(i) {
				return true
			}
		case a == "-e" || a == "--expression":
			if i++; i < len(c.Argv) && !f.plainSed(i) {
				return true
			}
			given = true
		case strings.HasPrefix(a, "-e"), strings.HasPrefix(a, "--expression="):
			_, text, _ := strings.Cut(a, "e")
			text = strings.TrimPrefix(text, "xpression=")
			if len(text) > maxProgram || !sedPlain().MatchString(text) {
				return true
			}
			given = true
		case strings.HasPrefix(a, "-") && len(a) > 1:
			if strings.HasSuffix(a, "e") && !strings.HasPrefix(a, "--") { // -ne SCRIPT
				if i++; i < len(c.Argv) && !f.plainSed(i) {
					return true
				}
				given = true
			}
		case !given:
			if !f.plainSed(i) {
				return true
			}
			given = true
		}
	}
	return false
}

// plainSed reports whether word i is a usual script of sed, whatever its variables hold.
func (f filter) plainSed(i int) bool {
	all := f.c.may(i)
	return all != nil && !slices.ContainsFunc(all,
		func(text string) bool { return len(text) > maxProgram || !sedPlain().MatchString(text) })
}
