// This file writes help: the overview, and the help of one command.

package cli

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/suggest"
)

const (
	column = 34  // where what a command does begins
	width  = 100 // of a line
)

const ending = `exit codes: 0 done, 1 error, 2 usage, 3 --require-scripts, 4 the prompt or a call refused (1 wins)
environment: AGENT_HOME (default ~/.agent)`

// Style marks a heading of help.
type Style func(heading string) string

// Plain is the style without marks.
func Plain(heading string) string { return heading }

// Bold is the style of a terminal.
func Bold(heading string) string { return "\x1b[1m" + heading + "\x1b[m" }

// Overview returns the help of the program.
func Overview(style Style) string {
	var b strings.Builder
	b.WriteString(style("usage:") + " agent [flags] [prompt]            open the screen, with a " +
		"first prompt\n")
	for _, line := range [][2]string{
		{"agent -p [flags] [prompt]", "run one prompt and print the answer; stdin is added to it"},
		{"agent --json [flags] [prompt]", "the same, every event as one line of JSON"},
		{"agent help COMMAND", "more about a command"}} {
		b.WriteString(row("       "+line[0], column+7, line[1]))
	}
	for _, group := range groups() {
		var lines string
		for _, c := range Commands() {
			// a command that only holds others is the heading of a help of its own
			if c.Group == group && c.Name != "" && (c.Args != "" || len(Under(c.Name)) == 0) {
				lines += row("  agent "+strings.TrimSpace(c.Name+" "+c.Args), column+2, c.About)
			}
		}
		b.WriteString("\n" + style(group+":") + "\n" + lines)
	}
	root, _ := Named("")
	b.WriteString("\n" + style("flags:") + "\n" + flagRows(root.Flags) + "\n" + ending)
	return b.String()
}

// Page returns the help of a command.
func Page(c Command, style Style) string {
	if c.Name == "" {
		return Overview(style)
	}
	var b strings.Builder
	under, args := Under(c.Name), c.Args
	if len(under) > 0 {
		args = strings.TrimSpace(args + " [COMMAND]")
	}
	b.WriteString(style("usage:") + " agent " + strings.TrimSpace(c.Name+" "+args) + "\n\n" +
		strings.ToUpper(c.About[:1]) + c.About[1:] + ".\n")
	if c.More != "" {
		b.WriteString("\n" + c.More + "\n")
	}
	if len(under) > 0 {
		b.WriteString("\n" + style("commands:") + "\n")
		for _, u := range under {
			b.WriteString(row("  agent "+strings.TrimSpace(u.Name+" "+u.Args), column+2, u.About))
		}
	}
	if len(c.Flags) > 0 {
		b.WriteString("\n" + style("flags:") + "\n" + flagRows(c.Flags))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func flagRows(flags []Flag) string {
	var b strings.Builder
	for _, f := range flags {
		b.WriteString(row("  "+f.written(), 23, f.About))
	}
	return b.String()
}

// written returns a flag as it stands in a list.
func (f Flag) written() string {
	text := "    "
	if f.Short != "" {
		text = "-" + f.Short
		if f.Name != "" {
			text += ", "
		}
	}
	if f.Name != "" {
		text += "--" + f.Name
	}
	return strings.TrimRight(text+" "+f.Value, " ")
}

// row writes what begins a line, and from a column on what it means, wrapped.
func row(begin string, at int, about string) string {
	line, out := begin, ""
	if len(line) >= at {
		out, line = line+"\n", ""
	}
	line += strings.Repeat(" ", at-len(line))
	empty := true
	for word := range strings.FieldsSeq(about) {
		if !empty && len(line)+1+len(word) > width {
			out += line + "\n"
			line, empty = strings.Repeat(" ", at), true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return out + line + "\n"
}

// Meant returns the command that words name, as the arguments of agent help. ok is false if there
// is none; hint is then the end of an error.
func Meant(words []string) (c Command, hint string, ok bool) {
	c, rest := Find(words)
	if len(rest) == 0 && (c.Name != "" || len(words) == 0) {
		return c, "", true
	}
	var names []string
	for _, c := range Commands() {
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	return c, suggest.DidYouMean(strings.Join(words, " "), names), false
}

// leastMistyped is how many letters a command must have for a single word to be a typo of it: near
// a shorter one there are other words.
const leastMistyped = 4

// Mistyped returns an error if words, which are a prompt, begin like a command whose first word is
// mistyped: the first is near such a word, and the second may follow that, or there is none. Others
// can be anything that somebody says to the agent.
func Mistyped(words []string) error {
	if len(words) == 0 {
		return nil
	}
	var groups []string
	for _, c := range Under("") {
		groups = append(groups, c.Name)
	}
	group := suggest.Nearest(words[0], groups)
	if _, is := Named(words[0]); group == "" || is {
		return nil
	}
	if len(words) == 1 {
		if len(group) < leastMistyped {
			return nil
		}
		return fmt.Errorf("unknown command: %s%s As a prompt: agent -p %[1]s", words[0],
			suggest.Meant(group))
	}
	if _, follows := Named(group + " " + words[1]); !follows {
		return nil
	}
	return fmt.Errorf("unknown command: %s %s%s Put a prompt in quotes", words[0], words[1],
		suggest.Meant(group+" "+words[1]))
}
