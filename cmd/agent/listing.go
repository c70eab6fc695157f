// This file writes the listing of /scripts.

package main

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
)

// listing returns Markdown with a line for each script and, below it, the script's problems.
func listing(infos []load.Info, broken []*engine.Handler) string {
	if len(infos) == 0 {
		return "No scripts. Save a `.lua` or `.js` file into `~/.agent/scripts` and it is live."
	}
	var b strings.Builder
	for _, i := range infos {
		state, failing := string(i.State), handlersOf(i, broken)
		if len(failing) > 0 {
			state = "BROKEN"
		}
		fmt.Fprintf(&b, "- **%s** %s · %s", i.Name, state, i.Source)
		if i.Generation > 0 {
			fmt.Fprintf(&b, " · version %d · %d handlers, %d tools, %d commands", i.Generation,
				i.Handlers, i.Tools, i.Commands)
		}
		fmt.Fprintf(&b, " · `%s`", i.Path)
		if i.Header.Summary != "" {
			fmt.Fprintf(&b, "\n  %s", i.Header.Summary)
		}
		for _, h := range failing {
			fmt.Fprintf(&b, "\n  line %d: the handler of %s failed at least %d times in a row",
				h.Line, h.Event, engine.BrokenAfter)
		}
		for _, n := range i.Notes {
			fmt.Fprintf(&b, "\n  %s", n)
		}
		if i.Error != nil {
			fmt.Fprintf(&b, "\n\n  ```\n  %s\n  ```",
				strings.ReplaceAll(i.Error.Detail(), "\n", "\n  "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// handlersOf returns the handlers that belong to the script i.
func handlersOf(i load.Info, handlers []*engine.Handler) (of []*engine.Handler) {
	for _, h := range handlers {
		if h.Gen != nil && h.Gen.Path == i.Path {
			of = append(of, h)
		}
	}
	return of
}
