// This file limits the results of all tools to what a model is given.

package agent

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
)

// fit shortens a result for the session and for models. The whole text is then in a file, as the
// handlers of tool_result left it, and masked.
func fit(store *output.Store, r *engine.Result) {
	var text []string
	var images []chat.Block
	dropped := false
	for _, b := range r.Content {
		if b.Type != "image" {
			text = append(text, b.Text)
			continue
		}
		b, err := tool.PictureOf(b)
		if err != nil {
			dropped = true
			text = append(text, fmt.Sprintf("[an image is left out: %v]", err))
		} else {
			images = append(images, b)
		}
	}
	all := strings.Join(text, "\n")
	short, path := store.Fit(all, fileWord(r.Tool))
	if short == all && !dropped {
		return
	}
	if path != "" {
		details := map[string]any{"full_output": path}
		for k, v := range r.Details {
			details[k] = v
		}
		r.Details = details
	}
	r.Content = append(engine.TextResult(short).Content, images...)
}

// fileWord returns a tool's name as part of a file name.
func fileWord(tool string) string {
	const most = 40
	return plain.Head(plain.Name(tool, '_'), most)
}
