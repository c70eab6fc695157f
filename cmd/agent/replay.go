// This file converts a session's history for the screen.

package main

import (
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui"
)

// replay returns a session's history as items of the screen, including entries that scripts draw.
func replay(items []session.Item, snap *engine.Snapshot) []tui.Item {
	out := make([]tui.Item, 0, len(items))
	for n := range items {
		i := &items[n]
		if i.Custom != nil {
			if snap.Renderer(ui.DrawEntry, i.Custom.Kind) != nil {
				out = append(out, tui.Item{Kind: tui.ItemEntry, ID: i.ID, Entry: i.Custom.Kind,
					Data: i.Custom.Data})
			}
			continue
		}
		command, output, ok := shellItem(i.Text)
		if ok && i.Kind == session.ItemUser && i.CallID != "" { // others may write the same text
			out = append(out, tui.Item{Kind: tui.ItemTool, Call: i.CallID, Tool: tool.Bash,
				Args: map[string]any{"command": command}, ByUser: true,
				Content: engine.TextResult(output).Content, IsError: i.IsError, Took: i.Took})
			continue
		}
		out = append(out, tui.Item{Kind: tui.ItemKind(i.Kind), Text: i.Text, Reasoning: i.Reasoning,
			Images: i.Images, Sender: i.Sender, Call: i.CallID, Tool: i.Tool, Args: i.Args,
			Content: i.Content, Details: i.Details, Display: i.Display, ForUser: i.ForUser,
			Silent: i.Silent, IsError: i.IsError, Skipped: i.Skipped, Status: i.Status,
			Used: i.Used, Rewritten: i.Rewritten, ResultRewritten: i.ResultRewritten, Why: i.Why,
			Took: i.Took})
	}
	return out
}

// shellItem parses the agent's record of a !command of the user.
func shellItem(text string) (command, output string, ok bool) {
	text, ok = strings.CutPrefix(text, "<user_shell>\n$ ")
	if !ok {
		return "", "", false
	}
	// what scripts added for the model follows it
	text, _, _ = strings.Cut(text, "\n</user_shell>")
	command, output,
		_ = strings.Cut(strings.ReplaceAll(text, "&lt;/user_shell&gt;", "</user_shell>"), "\n")
	return command, output, true
}
