package slash

import (
	"regexp"
	"strings"
	"sync"
)

// begin matches the beginning of a slash command; a path has more slashes.
var begin = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/([a-z][a-z0-9_:-]*)(?:\s|$)`)
})

// Split splits a slash command, /name rest. ok is false for other texts, such as a path.
func Split(text string) (name, rest string, ok bool) {
	m := begin().FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.TrimSpace(text[len(m[1])+1:]), true
}
