// This file refuses decisions about trust that a running tool may have made in the user's name.

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/tui/terminal"
)

// mayDecide returns an error if the command decides what may run while a tool of an agent is
// running, and was not entered at a terminal: the tool may have started it.
func mayDecide(f *flags, stdin io.Reader) error {
	decisions := map[string][]string{"trust": {"add", "never", "revoke"},
		"ext": {"accept", "dev", "forget"}}[f.command]
	if len(f.words) < 1 || !slices.Contains(decisions, f.words[0]) || terminal.IsTerminal(stdin) {
		return nil
	}
	at, err := place{}.withDefaults()
	if err != nil || !load.ToolAtWork(at.home) {
		return nil // an unknown home is an error later
	}
	return fmt.Errorf("%s %s: a tool of an agent is at work, which may have started this: enter "+
		"it at a terminal, or when the tool has ended", f.command, f.words[0])
}
