// This file describes what a project brings, for people.

package program

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
)

// standings says what each standing means.
func standing(s load.Standing) string {
	switch s {
	case load.StandingNew:
		return "not trusted"
	case load.StandingTrusted:
		return "trusted, as long as the file does not change"
	case load.StandingOnce:
		return "trusted until the program ends"
	case load.StandingEdited:
		return "loads as you save it, until HEAD moves"
	case load.StandingChanged:
		return "CHANGED: the version that you trust runs, not the file"
	case load.StandingDeleted:
		return "DELETED: the version that you trust still runs"
	case load.StandingRefused:
		return "not trusted, and not asked about"
	case load.StandingLost:
		return "CHANGED, and the version that you trusted is not kept any more: it does not run"
	case load.StandingUnusable:
		return "cannot be trusted"
	}
	return string(s)
}

// Describe describes an item: its state, and below it what it asks for, a line each.
func (i *Item) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", plain.RevealName(i.Name), standing(i.Standing))
	if i.Problem != "" {
		fmt.Fprintf(&b, ": %s", plain.Reveal(i.Problem))
	}
	if i.Text != "" {
		fmt.Fprintf(&b, " (%s)", size(i.Text))
	}
	if i.Kind == KindMCP {
		for _, s := range i.Servers {
			fmt.Fprintf(&b, "\n  %s: %s", plain.Text(s.Name), strings.Join(s.Lines(), "\n    "))
		}
		return b.String()
	}
	for _, w := range i.Wants {
		fmt.Fprintf(&b, "\n  %s", plain.Reveal(w.Means))
		if w.Line > 0 {
			fmt.Fprintf(&b, " (line %d: %s)", w.Line, plain.Reveal(w.Grant))
		}
	}
	if len(i.Wants) == 0 && i.SHA256 != "" {
		b.WriteString("\n  asks for no grant: it sees tool calls and messages, and may change or " +
			"refuse them")
	}
	if len(i.Modules) > 0 {
		fmt.Fprintf(&b, "\n  with %s", plain.Reveal(strings.Join(i.Modules, ", ")))
	}
	return b.String()
}

// meaning says in plain words what a grant allows.
func meaning(grant string) string {
	kind, value, narrowed := strings.Cut(grant, ":")
	switch kind {
	case "ui":
		return "shows dialogs, panels and status lines"
	case "agent":
		return "gives the agent prompts and changes its settings"
	case "session":
		return "reads and changes the session"
	case "tools":
		return "calls tools: " + cmp.Or(value, "any")
	case "llm":
		return "asks models, which may cost money"
	case "fs.read":
		return "reads files: " + value + power(wide(value))
	case "fs.write":
		return "writes files: " + value + power(wide(value))
	case "exec":
		what, all := "the program "+value, true
		switch value {
		case "*":
			what = "any program"
		case "sh":
			what = "any command line"
		default:
			all = false
		}
		return "runs " + what + ", with all your rights" + power(all)
	case "net":
		return "talks to " + value + " over the network"
	case "env":
		return "reads " + value + " of your environment"
	case "permission.allow":
		return "answers questions about tool calls in your place"
	case "unconfined":
		return "runs its programs outside of the sandbox"
	case "provider":
		return "provides models, and so sees all that is sent to them"
	case "keys":
		return "sees the keys that you press"
	}
	if narrowed {
		return kind + ": " + value
	}
	return kind
}

// power is what is said about a grant that allows almost everything, if it is one.
func power(much bool) string {
	if much {
		return ": this is much power"
	}
	return ""
}

// wide reports whether a pattern of files is about everything in the home directory or more.
func wide(pattern string) bool {
	base := strings.TrimRight(pattern, "*/")
	return base == "" || base == "~"
}

// size returns the size of a text in words.
func size(text string) string {
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if lines == 1 {
		return fmt.Sprintf("1 line, %d bytes", len(text))
	}
	return fmt.Sprintf("%d lines, %d bytes", lines, len(text))
}

// Describe describes everything that a project brings.
func (b *Brought) Describe() string {
	var parts []string
	for _, i := range b.Items {
		parts = append(parts, i.Describe())
	}
	if len(b.Texts) > 0 {
		parts = append(parts, "texts that the model reads, and nothing runs: "+
			plain.Reveal(strings.Join(b.Texts, ", ")))
	}
	if len(b.Others) > 0 {
		parts = append(parts, "for other programs, not run here: "+strings.Join(b.Others, ", "))
	}
	return strings.Join(parts, "\n")
}

func names(list []config.MCPServer) string {
	var out []string
	for _, s := range list {
		out = append(out, plain.Text(s.Name))
	}
	return strings.Join(out, ", ")
}

// Show returns what to read before a decision: the difference to what is trusted, if there is one,
// then the whole text. Control characters are visible.
func (i *Item) Show() string {
	text := plain.Reveal(i.Text)
	switch d := i.Diff(); {
	case i.Standing == load.StandingDeleted:
		return "the version that you trust:\n" + plain.Reveal(i.Kept)
	case d != "":
		return "what has changed since you trusted it:\n" + plain.Reveal(d) +
			"\n\nthe whole file:\n" + text
	}
	return text
}
