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
		return "CHANGED, and no copy of the version that you trusted is left: it does not run"
	case load.StandingUnusable:
		return "cannot be trusted"
	}
	return string(s)
}

// Describe describes an item: its state, and below it what it asks for, a line each.
func (i *Item) Describe() string {
	var b strings.Builder
	if i.setting != nil {
		return i.setting.State()
	}
	state := standing(i.Standing)
	if i.Kind == KindImport && i.Standing == load.StandingTrusted {
		state = "allowed, whatever it holds"
	}
	fmt.Fprintf(&b, "%s: %s", plain.RevealName(i.Name), state)
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
		b.WriteString("\n  " + w.String())
	}
	if len(i.Wants) == 0 && i.SHA256 != "" {
		b.WriteString("\n  " + load.NoGrant)
	}
	if len(i.Modules) > 0 {
		fmt.Fprintf(&b, "\n  with %s", plain.Reveal(strings.Join(i.Modules, ", ")))
	}
	return b.String()
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
	for _, i := range append(b.Settings, b.Items...) {
		parts = append(parts, i.Describe())
	}
	if len(b.Texts) > 0 {
		parts = append(parts, "texts that the model reads, and nothing runs by itself: "+
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
	case i.setting != nil && d != "":
		return "what has changed:\n" + plain.Reveal(d)
	case i.setting != nil && text == "":
		return cmp.Or(i.setting.There(), "the file is empty")
	case i.Standing == load.StandingDeleted:
		return "the version that you trust:\n" + plain.Reveal(i.Kept)
	case d != "":
		return "what has changed since you trusted it:\n" + plain.Reveal(d) +
			"\n\nthe whole file:\n" + text
	}
	return text
}
