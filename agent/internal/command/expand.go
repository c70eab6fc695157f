// This file makes a prompt from a file's text and the arguments typed after the command.

package command

import (
	"context"
	"fmt"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/slash"
)

// runCommand returns the function that runs a command.
func (c *Commands) runCommand(body, path, model string) func(context.Context, *event.Envelope,
	any) (slash.Result, error) {
	return func(_ context.Context, _ *event.Envelope, args any) (slash.Result, error) {
		if model != "" {
			c.mu.Lock()
			c.warn(fmt.Sprintf(
				"%s: model: %s is not asked: prompts go to the agent's model; /model changes it",
				path, model))
			c.mu.Unlock()
		}
		typed, _ := args.(string)
		return slash.Result{Prompt: expand(body, typed)}, nil
	}
}

// placeholder matches what is replaced: \$ stands for a dollar.
var placeholder = lazyregexp.New(`\\\$|\$ARGUMENTS\b|\$[1-9]\b`)

// expand replaces $ARGUMENTS and $1 to $9 by the typed arguments, or appends these if the text has
// no placeholder. The arguments themselves are not expanded.
func expand(body, typed string) string {
	used := false
	words := splitWords(typed)
	text := placeholder().ReplaceAllStringFunc(body, func(p string) string {
		switch {
		case p == `\$`:
			return "$"
		case p == "$ARGUMENTS":
			used = true
			return typed
		}
		used = true
		if i := int(p[1] - '1'); i < len(words) {
			return words[i]
		}
		return ""
	})
	if !used && typed != "" {
		text += "\n\n" + typed
	}
	return strings.TrimSpace(text)
}

// splitWords splits the arguments at spaces; single or double quotes keep words together. An
// unclosed quote is a normal character.
func splitWords(typed string) (words []string) {
	var w strings.Builder
	for rest := strings.TrimSpace(typed); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		end := -1
		if r == '"' || r == '\'' {
			end = strings.IndexRune(rest[size:], r)
		}
		switch {
		case end >= 0:
			w.WriteString(rest[size : size+end])
			rest = rest[size+end+1:]
		case unicode.IsSpace(r):
			words = append(words, w.String())
			w.Reset()
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
			continue
		default:
			w.WriteString(rest[:size])
			rest = rest[size:]
		}
		if rest == "" {
			words = append(words, w.String())
		}
	}
	return words
}
