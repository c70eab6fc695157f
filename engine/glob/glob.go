// Package glob matches paths against patterns.
//
//	err := glob.Check(pattern) // "src/[a is no pattern: ..."
//	yes := glob.Match(pattern, "src/a/b.go")
//
// * is any text within a name, ** any folders, none too, ? a letter, [a-z] one of some, {a,b} one
// of several. \ removes the special meaning of the next character. Paths have slashes on all
// systems. It promises that no pattern is expensive that Check passes. It does not look at files.
package glob

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/realpath"
)

const (
	// maxBytes is how long a pattern may be: longer ones are a mistake.
	maxBytes = 4096
	// maxChoices bounds what {a,b}{c,d} comes to: each is tried.
	maxChoices = 256
)

// Check says what is wrong with a pattern.
func Check(pattern string) error {
	switch {
	case pattern == "":
		return errors.New(`got "", want a pattern such as **/*.go`)
	case len(pattern) > maxBytes:
		return fmt.Errorf("has %d bytes, at most %d are allowed", len(pattern), maxBytes)
	case choices(pattern) > maxChoices:
		return errors.New("too many {...}: ask for less at a time")
	case !doublestar.ValidatePattern(pattern):
		return fmt.Errorf(
			"%s is no pattern: a [ or { does not end; write \\[ and \\{ for the letters themselves",
			pattern)
	}
	return nil
}

// CheckPath says what is wrong with a pattern for whole paths, beyond Check: one that no path can
// fit, since paths have neither signs of the shell nor empty parts. The error says what to write
// instead.
func CheckPath(pattern string) error {
	if err := Check(pattern); err != nil {
		return err
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s fits no path: "+format, append([]any{pattern}, args...)...)
	}
	home := homeVariable().FindString(pattern)
	last := strings.TrimSuffix(pattern, "/")
	switch {
	case strings.TrimSpace(pattern) != pattern:
		return fail("it begins or ends with a space")
	case home != "":
		return fail("variables are not filled in; write ~%s", pattern[len(home):])
	case strings.HasPrefix(pattern, "^"), strings.HasSuffix(pattern, "$"),
		strings.Contains(pattern, ".*\\."):
		return fail("it is no regular expression; write a glob such as **/*.env")
	case strings.Contains(pattern, "|"):
		return fail("write {%s}", strings.ReplaceAll(pattern, "|", ","))
	case strings.Contains(pattern, ", "):
		return fail("write {%s}", strings.ReplaceAll(pattern, ", ", ","))
	case strings.HasPrefix(pattern, "!"):
		return fail("there is no \"all but\"; the handler can look at the paths itself")
	case last != pattern && last != "":
		return fail("paths do not end with /; write %s/**", last)
	case strings.Contains(pattern, "//"):
		return fail("write %s", strings.ReplaceAll(pattern, "//", "/"))
	}
	return nil
}

// homeVariable is how a shell writes the user's folder.
var homeVariable = lazyregexp.New(`^\$(HOME\b|\{HOME\})|^%USERPROFILE%`)

// choices is how many patterns without {...} a pattern stands for, or more than maxChoices.
func choices(pattern string) int {
	// what stands before it comes to, its choices that are read, and the one that is read now
	type group struct{ before, done, last int }
	groups := []group{{last: 1}}
	end := func() {
		top := len(groups) - 1
		g := groups[top]
		groups = groups[:top]
		groups[top-1].last = min(g.before*(g.done+g.last), maxChoices+1)
	}
	for i := 0; i < len(pattern) && len(groups) <= maxChoices; i++ {
		switch g := &groups[len(groups)-1]; {
		case pattern[i] == '\\':
			i++
		case pattern[i] == '{':
			groups = append(groups, group{before: g.last, last: 1})
		case pattern[i] == ',' && len(groups) > 1:
			g.done, g.last = min(g.done+g.last, maxChoices+1), 1
		case pattern[i] == '}' && len(groups) > 1:
			end()
		}
	}
	if len(groups) > maxChoices {
		return len(groups)
	}
	for len(groups) > 1 { // a group within [...]
		end()
	}
	return groups[0].last
}

// Match reports whether the whole of path fits a pattern that Check passes.
func Match(pattern, path string) bool { return doublestar.MatchUnvalidated(pattern, path) }

// Escape is a pattern that only path fits.
func Escape(path string) string { return metas.Replace(path) }

var metas = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)

// Split cuts a pattern into the folder that all that fits is in, "." if it names none, and the
// pattern below it.
func Split(pattern string) (folder, rest string) { return doublestar.SplitPattern(pattern) }

// Base splits a pattern as users type it into the folder that it is relative to, and the pattern
// below that folder: home for ~, "" for an absolute pattern and one that begins with **, otherwise
// dir. ok is false if that folder is "" because dir or home is.
func Base(pattern, dir, home string) (folder, rest string, ok bool) {
	rest = filepath.ToSlash(pattern)
	below, inHome := realpath.CutHome(rest)
	switch {
	case filepath.IsAbs(pattern), strings.HasPrefix(rest, "/"), strings.HasPrefix(rest, "**"):
		return "", rest, true
	case inHome:
		folder, rest = home, below
	case rest == ".":
		folder, rest = dir, ""
	default:
		folder, rest = dir, strings.TrimPrefix(rest, "./")
	}
	return folder, rest, folder != ""
}

// Join returns the pattern for what fits rest below a folder. It fits the folder itself if rest is
// "" or ".". If folder is "", it is rest.
func Join(folder, rest string) string {
	switch folder = Escape(filepath.ToSlash(folder)); {
	case folder == "":
		return rest
	case rest == "" || rest == ".":
		return folder
	}
	return strings.TrimSuffix(folder, "/") + "/" + rest
}

// Kept reports whether the patterns of a search, as the flags --include and --exclude of grep give
// them, keep a file with a base name: the last one that matches decides, and ! at its beginning
// means that the file is left out. If none matches, it is kept if the first begins with !.
func Kept(patterns []string, base string) bool {
	for _, one := range slices.Backward(patterns) {
		rest, not := strings.CutPrefix(one, "!")
		if Match(rest, base) {
			return !not
		}
	}
	return len(patterns) == 0 || strings.HasPrefix(patterns[0], "!")
}

// Filter returns a function that reports whether a path below a folder matches a pattern of a
// search: a pattern without a slash is compared with the last part of the path, and ! at its
// beginning negates it. An empty pattern matches everything.
func Filter(pattern string) (fits func(rel string) bool, err error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	rest, not := strings.CutPrefix(pattern, "!")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "./"), "/")
	if err := Check(rest); err != nil {
		return nil, fmt.Errorf("glob: %w", err)
	}
	return func(rel string) bool {
		if !strings.Contains(rest, "/") {
			rel = rel[strings.LastIndexByte(rel, '/')+1:]
		}
		return Match(rest, rel) != not
	}, nil
}
