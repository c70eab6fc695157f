// This file is about help: what fang does not know of it, and the command that is meant.

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agentscripts/agent/engine/suggest"
)

// long returns what the help of a command begins with.
func (c Command) long() string {
	text := strings.ToUpper(c.About[:1]) + c.About[1:] + "."
	if c.More != "" {
		text += "\n\n" + c.More
	}
	return text
}

// Width is the width of help that is not for a terminal.
const Width = 100

// Where fang writes what is listed in help.
const (
	indent    = 4
	leastKey  = 10
	afterKey  = 2
	leastText = 20 // with less room, a terminal breaks the lines better
)

// Fit breaks the help of a command into lines for a width. Fang breaks the text at its beginning
// only, for a terminal or else for 120 columns.
func Fit(c *cobra.Command, width int) {
	c.InitDefaultHelpFlag()
	var paragraphs []string
	for text := range strings.SplitSeq(c.Long, "\n") {
		paragraphs = append(paragraphs, wrap(text, max(width-indent, leastText)))
	}
	c.Long = strings.Join(paragraphs, "\n")
	key := leastKey
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			key = max(key, len("-x --"+f.Name)+afterKey)
		}
	})
	for _, sub := range c.Commands() {
		more := ""
		if sub.HasAvailableSubCommands() {
			more += " [command]"
		}
		if sub.HasFlags() {
			more += " [--flags]"
		}
		key = max(key, len(sub.Use+more)+afterKey)
	}
	room := width - indent - key
	if room < leastText {
		return
	}
	for _, sub := range c.Commands() {
		sub.Short = wrap(sub.Short, room)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = wrap(f.Usage, room) })
}

// wrap breaks a text into lines of a width, between words.
func wrap(text string, width int) string {
	var out strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			out.WriteByte('\n')
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	return out.String()
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
