// This file checks whether a filter of tool names can match anything: one that cannot would
// silently disarm a guard.

package event

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

const (
	toolLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	globSigns   = `*?[\\`
	// mcpPrefix begins the names of tools of MCP servers: mcp__SERVER__TOOL.
	mcpPrefix = "mcp__"
	// maxToolFilter is the maximal length of a filter in bytes: a longer one is a mistake, and slow
	// to check.
	maxToolFilter = 4096
)

// ServerTools returns how the names of an MCP server's tools begin.
func ServerTools(server string) string { return mcpPrefix + server + "__" }

// OfServer reports whether a name, or a glob of names, is for tools of MCP servers. They come and
// go with their server, so an unknown one is no mistake.
func OfServer(name string) bool { return strings.HasPrefix(name, mcpPrefix) }

// CheckToolFilter reports a filter of tool names, such as "bash|mcp__*", with a part that cannot
// match any possible tool. The error suggests what was probably meant.
func CheckToolFilter(filter string) error {
	if len(filter) > maxToolFilter {
		return fmt.Errorf("%.40q... is too long: got %d bytes, want at most %d", filter,
			len(filter), maxToolFilter)
	}
	for _, t := range strings.Split(filter, "|") {
		if t = strings.TrimSpace(t); t == "" {
			return fmt.Errorf("%q has an empty alternative", filter)
		}
		if err := checkToolPattern(t); err != nil {
			return fmt.Errorf("%w%s%s", err, meantTools(filter), aboutFilters)
		}
	}
	return nil
}

// errToolLetters reports a name or glob with letters that names of tools do not have.
var errToolLetters = errors.New("can match no tool")

// aboutFilters is the end of the message about it.
const aboutFilters = " (a filter is names and globs of letters, digits, _ and -, with | between " +
	"them)"

// checkToolPattern checks one name or glob.
func checkToolPattern(t string) error {
	if _, err := path.Match(t, ""); err != nil {
		return fmt.Errorf("%q: %v", t, err)
	}
	for rest := t; rest != ""; {
		piece := rest[:1]
		switch rest[0] {
		case '*', '?':
		case '[', '\\':
			end := 2
			for end < len(rest) && !validGlob(rest[:end]) {
				end++
			}
			if piece = rest[:end]; !matchesLetter(piece) {
				return fmt.Errorf("%q %w", t, errToolLetters)
			}
		default:
			if !strings.Contains(toolLetters, piece) {
				return fmt.Errorf("%q %w", t, errToolLetters)
			}
		}
		rest = rest[len(piece):]
	}
	return nil
}

func validGlob(pattern string) bool {
	_, err := path.Match(pattern, "")
	return err == nil
}

// matchesLetter reports whether a class such as [a-z] matches a letter of a tool's name.
func matchesLetter(class string) bool {
	return slices.ContainsFunc([]byte(toolLetters), func(c byte) bool {
		ok, _ := path.Match(class, string(c))
		return ok
	})
}

// CheckToolNames reports a filter that matches none of the known tools because of different
// spelling, because it is another host's name of a tool, or because it misspells a built-in one.
// Other filters without a match are not mistakes: a script or a server may add the tool.
func CheckToolNames(filter string, known, builtin []string) error {
	if err := CheckToolFilter(filter); err != nil {
		return err
	}
	for _, t := range strings.Split(filter, "|") {
		t = strings.TrimSpace(t)
		if slices.ContainsFunc(known, func(name string) bool { return FitsTool(t, name) }) {
			continue
		}
		if why := otherName(t, known, builtin); why != "" {
			return fmt.Errorf("no tool is called %q%s", t, why)
		}
	}
	return nil
}

// FitsTool reports whether a name or a glob of names matches the name of a tool.
func FitsTool(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == name
}

// otherName returns the end of the message about a name or glob that matches no known tool, if the
// intended name is clear: another case, the tools of a whole MCP server, another host's name, a
// misspelling.
func otherName(t string, known, builtin []string) string {
	lower := strings.ToLower(t)
	globbed := strings.ContainsAny(t, globSigns)
	for _, name := range known {
		switch {
		case globbed && lower != t && FitsTool(lower, name):
			return suggest.Meant(lower)
		case !globbed && strings.EqualFold(t, name):
			return suggest.Meant(name)
		}
	}
	server, isMCP := strings.CutPrefix(lower, mcpPrefix)
	switch {
	case isMCP && !OfServer(t):
		return suggest.Meant(mcpPrefix + t[len(mcpPrefix):])
	case isMCP && !globbed && !strings.Contains(server, "__"):
		return suggest.Meant(t + "__*")
	case globbed, isMCP:
		return ""
	}
	hint := suggest.ForeignHint(suggest.ForeignTool, t, known)
	if hint == "" {
		hint = misspelled(t, builtin)
	}
	if hint == "" {
		return ""
	}
	return fmt.Sprintf("%s (for a tool of another script write \"[%c]%s\")", hint, t[0], t[1:])
}

// shortestMisspelled is the minimal length of a name that counts as a misspelling of a tool's name:
// "ps" is not a misspelling of "ls".
const shortestMisspelled = 4

// misspelled returns the end of the message about a name that is nearly that of a built-in tool.
// The first letters must be equal: people seldom mistype it, and "head" is more likely a tool of
// its own than "read".
func misspelled(t string, builtin []string) string {
	ours := suggest.Nearest(t, builtin)
	if len(ours) < shortestMisspelled || ours[0] != t[0] {
		return ""
	}
	return suggest.Meant(ours)
}

// meantTools suggests a filter for an invalid one: "*" for ".*", "bash|edit" for "(bash|edit)".
func meantTools(filter string) string {
	s := strings.NewReplacer("(?i)", "", "(?:", "", `\b`, "", `\.`,
		"").Replace(strings.TrimSpace(filter))
	// Bash(git *)
	if name, _, ok := strings.Cut(s, "("); ok && name != "" && checkToolPattern(name) == nil {
		s = name
	}
	s = strings.NewReplacer(".*", "*", ".+", "*", "(", "", ")", "", "^", "", "$", "", "/", "", `"`,
		"", "'", "").Replace(s)
	var names []string
	for _, t := range regexp.MustCompile(`[|,\s]+`).Split(s, -1) {
		if t == "" {
			continue
		}
		if checkToolPattern(t) != nil {
			return ""
		}
		if ours, _ := suggest.FindForeign(suggest.ForeignTool, t, foreignOurs(t)); ours != "" {
			t = ours
		}
		names = append(names, t)
	}
	if meant := strings.Join(names, "|"); meant != "" && meant != filter {
		return suggest.Meant(meant)
	}
	return ""
}

// foreignOurs lists the names here for a tool of another host.
func foreignOurs(name string) (ours []string) {
	for _, f := range suggest.ForeignNames() {
		if f.Kind == suggest.ForeignTool && f.Name == name {
			ours = append(ours, f.Ours...)
		}
	}
	return ours
}
