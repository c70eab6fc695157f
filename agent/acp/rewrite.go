// This file shows who rewrote a call or its result, and the original.

package acp

import (
	"encoding/json"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
)

// rewriteText describes a rewrite, which is masked already; nil if there was none.
func rewriteText(r *engine.Rewrite) []protocol.ToolCallContent {
	if r == nil {
		return nil
	}
	names := make([]string, len(r.By))
	for i, a := range r.By {
		names[i] = "**" + a.String() + "**"
	}
	text := "rewritten by " + strings.Join(names, ", ")
	switch {
	case r.Content != nil:
		before := *r.Content
		if len(before) > resultShown {
			before = plain.Head(before, resultShown) + "\n… the rest is not shown here"
		}
		text = "result " + text + "; it was:\n\n" + fenced(before, "")
	case r.Tool != "" || r.Args != nil:
		text += "; the model asked for:\n\n" + fenced(callText(r), "")
	default:
		text = "result " + text
	}
	return asText(plain.Text(text))
}

// callText returns the original call: a command verbatim, else the tool and its arguments.
func callText(r *engine.Rewrite) string {
	if command, ok := r.Args["command"].(string); ok && len(r.Args) == 1 && r.Tool == "" {
		return command
	}
	text := r.Tool
	if r.Args != nil {
		if b, err := json.MarshalIndent(r.Args, "", "  "); err == nil {
			text = strings.TrimSpace(text + " " + string(b))
		}
	}
	return text
}
