// This file finds the command that is meant.

package cli

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

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

// mostShown is how many bytes of a word an error shows.
const mostShown = 60

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
	root, _ := Named("")
	if at := flagAt(root.Flags, words[0]); at >= 0 && len(words) == 1 &&
		root.Flags[at].Value() == "" {
		return fmt.Errorf("unknown command: %s%s As a prompt: agent -p %[1]s", words[0],
			suggest.Meant(dashed(words[0])))
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
	return Unknown(words, group+" "+words[1])
}

// Unknown returns an error about words that begin like a command. meant is the command that was
// meant, if that is known.
func Unknown(words []string, meant string) error {
	hint, quotes := "", ""
	if meant != "" {
		hint = suggest.Meant(meant)
	}
	if len(words) > 2 || meant == "" || !strings.HasPrefix(meant, words[0]) {
		if hint == "" {
			hint = "."
		}
		quotes = " Put a prompt in quotes"
	}
	return fmt.Errorf("unknown command: %s%s%s", plain.Line(strings.Join(words[:min(len(words), 2)],
		" "), mostShown), hint, quotes)
}

// Near returns the command that words, which begin with the first word of one, probably mean: its
// second word is mistyped, or the command takes none. "" if they can be anything.
func Near(words []string) string {
	if len(words) < 2 {
		return ""
	}
	if _, is := Named(words[0]); !is {
		return ""
	}
	var names []string
	for _, c := range Under(words[0]) {
		names = append(names, strings.TrimPrefix(c.Name, words[0]+" "))
	}
	if near := suggest.Nearest(words[1], names); near != "" {
		return words[0] + " " + near
	}
	if len(names) == 0 && len(words) == 2 {
		return words[0]
	}
	return ""
}
