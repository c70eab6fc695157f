// This file reads rules.

package permission

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
)

// maxRule bounds a rule, in bytes: it is shown in a dialog.
const maxRule = 1000

// rule is one rule.
type rule struct {
	text  string   // as it is written
	tool  string   // a name, or a glob of names
	about string   // what the parentheses are about: command, path, url, name; "" = there are none
	words []string // of a command
	body  string   // of a url or a name
	paths []*regexp.Regexp
	wild  bool // it could not be read: it is about every call of its tool
}

// places are what . and ~ stand for in paths.
type places struct{ project, user string }

// subjects say what a tool's parentheses are about.
var subjects = [...]struct{ tool, about string }{{"bash", "command"}, {"read", "path"}, {"write", "path"}, {"edit", "path"}, {"ls", "path"},
	{"grep", "path"}, {"glob", "path"}, {"fetch", "url"}, {"skill", "name"}}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.*?-]+$`)

// parse reads a rule.
func parse(text string, at places) (rule, error) {
	text = strings.TrimSpace(text)
	r := rule{text: text}
	body, hasBody := "", false
	r.tool, body, hasBody = strings.Cut(text, "(")
	switch {
	case len(text) > maxRule:
		return r, fmt.Errorf("longer than %d bytes", maxRule)
	case !toolName.MatchString(r.tool):
		return r, fmt.Errorf("got %q, want the name of a tool, such as bash(git push *), write(./src/**) or mcp__docs__*", clip(text))
	case !hasBody:
		return r, nil
	case !strings.HasSuffix(body, ")"):
		return r, fmt.Errorf("got %q, want a ) at the end", clip(text))
	}
	body = strings.TrimSpace(strings.TrimSuffix(body, ")"))
	var names []string
	for _, s := range subjects {
		names = append(names, s.tool)
		if s.tool == r.tool {
			r.about = s.about
		}
	}
	switch {
	case r.about == "":
		return r, fmt.Errorf("%s: only %s take (...)%s; write the name alone", clip(r.tool), strings.Join(names, ", "), engine.DidYouMean(r.tool, names))
	case body == "":
		return r, fmt.Errorf("nothing stands in the parentheses: %s alone is every call of it", r.tool)
	case r.about == "command":
		r.words = strings.Fields(body)
	case r.about == "path":
		return r, r.setPath(body, at)
	case r.about == "url" && !strings.Contains(body, "://") && !strings.HasPrefix(body, "*"):
		return r, errors.New("want an address such as https://example.com/*")
	default:
		r.body = body
	}
	return r, nil
}

// unreadable is a rule in the place of one that cannot be read.
func unreadable(text string) rule {
	tool, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	if !toolName.MatchString(tool) {
		tool = "*"
	}
	return rule{text: clip(text) + " (which cannot be read)", tool: tool, wild: true}
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// setPath makes regular expressions of a path: as it is written, and where links lead.
func (r *rule) setPath(body string, at places) error {
	base, rest := "", body
	switch {
	case body == "." || strings.HasPrefix(body, "./"):
		base, rest = at.project, body[1:]
	case body == "~" || strings.HasPrefix(body, "~/"):
		base, rest = at.user, body[1:]
	case filepath.IsAbs(body), strings.HasPrefix(body, "/"), strings.HasPrefix(body, "*"):
	default:
		return fmt.Errorf("got %q, want a path that begins with /, ./ (the project), ~/ or **/", clip(body))
	}
	if strings.Contains("/"+filepath.ToSlash(rest)+"/", "/../") {
		return errors.New("a path with .. in it is none")
	}
	if base == "" && rest != body { // there is no such place: nothing lies in it
		return nil
	}
	// The fixed part may lead through links.
	fixed, pattern := filepath.ToSlash(base+rest), ""
	if i := strings.IndexAny(fixed, "*?"); i >= 0 {
		cut := strings.LastIndex(fixed[:i], "/") + 1
		fixed, pattern = fixed[:cut], fixed[cut:]
	}
	for _, f := range []string{path.Clean("/" + fixed), filepath.ToSlash(real(filepath.FromSlash(fixed)))} {
		if fixed == "" {
			f = ""
		} else if pattern != "" && !strings.HasSuffix(f, "/") {
			f += "/"
		}
		r.paths = append(r.paths, regexp.MustCompile(letters("^"+regexp.QuoteMeta(strings.TrimPrefix(f, volume(f)))+expression(pattern)+"$")))
	}
	return nil
}

// letters has U+FFFD for each byte that is no letter, as names of folders may have some: that is what regexp takes them for.
func letters(s string) string { return strings.Map(func(r rune) rune { return r }, s) }

// volume is the slash that stands before a drive's letter.
func volume(f string) string {
	if len(f) > 2 && f[0] == '/' && f[2] == ':' {
		return "/"
	}
	return ""
}

// expression makes a regular expression of a pattern: ** is any depth, * any part of a name, ? any letter of one.
func expression(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:(?s:.*)/)?") // a folder's name may hold a line end
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString("(?s:.*)")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			end := strings.IndexAny(rest, "*?")
			if end < 0 {
				end = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:end]))
			i += end - 1
		}
	}
	return b.String()
}

// covers reports whether the rule is about a tool: read is about all tools that look at a path, write about all that change it.
func (r *rule) covers(tool string) bool {
	switch {
	case r.tool == "read" && r.about != "":
		return slices.Contains([]string{"read", "ls", "grep", "glob"}, tool)
	case r.tool == "write" && r.about != "":
		return tool == "write" || tool == "edit"
	}
	return glob(r.tool, tool)
}

// glob reports whether text fits pattern, in which * is any text and ? any letter.
func glob(pattern, text string) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRuneInString(text[t:])
			p++
			t += n
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
