// This file says in plain words what scripts ask for.

package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// Want is one thing that a script, or another part of a project, asks for.
type Want struct {
	Grant string `json:"grant"` // as in the header; "mcp:NAME" of a server
	Means string `json:"means"` // in plain words
	Line  int    `json:"line"`  // 1-based; 0 = not from a line
}

// NoGrant says what a script may do without any grant.
const NoGrant = "asks for no grant: it sees tool calls and messages, and may change or refuse them"

// String returns "runs the program git, in the sandbox if there is one (line 2: exec:git)".
func (w Want) String() string {
	if w.Line == 0 {
		return plain.Reveal(w.Means)
	}
	return fmt.Sprintf("%s (line %d: %s)", plain.Reveal(w.Means), w.Line, plain.Reveal(w.Grant))
}

// WantsText says what a version of a script may do, a line for each of wants: in addition to the
// version in force if more is set, and then it is "" if there is nothing.
func WantsText(wants []Want, more bool) string {
	if len(wants) == 0 && more {
		return ""
	}
	text := "what it asks for:\n"
	if more {
		text = "what it asks for in addition to the version in force:\n"
	}
	for _, w := range wants {
		text += "  " + w.String() + "\n"
	}
	if len(wants) == 0 {
		return "it " + NoGrant + "\n"
	}
	return text
}

// Wants describes some of the grants of a script. text is that of the script, all are its grants.
func Wants(text string, some, all []string) (list []Want) {
	free := slices.Contains(all, "unconfined")
	for _, grant := range some {
		list = append(list, Want{grant, meaning(grant, free), lineOf(text, grant)})
	}
	return list
}

// meaning says in plain words what a grant allows. free reports whether the script's programs run
// outside of the sandbox.
func meaning(grant string, free bool) string {
	kind, value, _ := strings.Cut(grant, ":")
	switch kind {
	case "ui":
		return "shows dialogs, panels and status lines"
	case "agent":
		return "gives the agent prompts and changes its settings"
	case "session":
		return "reads and changes the session"
	case "tools":
		return "calls tools: " + or(value, "any")
	case "llm":
		return "asks models, which may cost money"
	case "fs.read":
		return "reads files: " + value + much(wide(value))
	case "fs.write":
		return "writes files: " + value + much(wide(value))
	case "exec":
		return running(value, free)
	case "net":
		return "talks to " + value + " over the network"
	case "env":
		return "reads " + value + " of your environment"
	case "permission.allow":
		return "answers questions about tool calls in your place"
	case "unconfined":
		return "runs its programs outside of the sandbox, with all your rights"
	case "provider":
		return "provides models, and so sees all that is sent to them"
	case "keys":
		return "sees the keys that you press"
	}
	return grant
}

// running says what the grant exec of a program allows.
func running(program string, free bool) string {
	what, all := "the program "+program, true
	switch program {
	case "*":
		what = "any program"
	case "sh":
		what = "any command line"
	default:
		all = false
	}
	where := "in the sandbox if there is one"
	if free {
		where = "outside of the sandbox, with all your rights"
	}
	return "runs " + what + ", " + where + much(all)
}

// much is what is said about a grant that allows almost everything, if it is one.
func much(all bool) string {
	if all {
		return ": this is much power"
	}
	return ""
}

// wide reports whether a pattern of files is about everything in the home directory or more.
func wide(pattern string) bool {
	base := strings.TrimRight(pattern, "*/")
	return base == "" || base == "~"
}

// lineOf returns the line of the header that asks for a grant, 0 if none is found.
func lineOf(text, grant string) int {
	kind, value, _ := strings.Cut(grant, ":")
	for n, line := range strings.Split(text, "\n") {
		if _, rest, ok := strings.Cut(line, "@grant"); ok && strings.Contains(rest, kind) &&
			strings.Contains(rest, value) {
			return n + 1
		}
	}
	return 0
}

// Widened returns the grants of now that those of old do not cover.
func Widened(old, now []string) []string {
	var more []string
	for _, grant := range now {
		covers := func(one string) bool { return covers(one, grant) }
		if !slices.ContainsFunc(old, covers) {
			more = append(more, grant)
		}
	}
	return more
}

// covers reports whether a grant certainly gives all that another one does. The name of a host
// gives more than a pattern: addresses of the user's own network.
func covers(old, now string) bool {
	kind, name, _ := strings.Cut(now, ":")
	of, pattern, _ := strings.Cut(old, ":")
	switch {
	case old == now, old == kind:
		return true
	case of != kind:
		return false
	}
	switch kind {
	case "exec":
		return pattern == "*"
	case "tools":
		fits, _ := path.Match(pattern, name)
		return fits && !strings.ContainsAny(name, "*?[{\\")
	case "fs.read", "fs.write": // fs.read:./a/** covers fs.read:./a/b/*.md
		folder, all := strings.CutSuffix(pattern, "**")
		below, in := strings.CutPrefix(name, folder)
		// * does not match names that begin with a dot, nor do parts of the pattern
		return all && in && strings.HasSuffix(folder, "/") && !strings.Contains("/"+below, "/.") &&
			!strings.ContainsAny(folder, "*?") && !strings.ContainsAny(name, "[{\\")
	}
	return false
}
