// This file finds the command that is meant.

package cli

import (
	"fmt"
	"strings"

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
