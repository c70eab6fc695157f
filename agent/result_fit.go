// This file keeps results of tools, whosever they are, within what a model is given.

package agent

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// fit cuts a result down to what goes into the session and to models. All of its text is in a file
// then, as the handlers of tool_result left it, and masked.
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

// fileWord is a tool's name as a part of a file's name.
func fileWord(tool string) string {
	const most = 40
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' ||
			r == '-' {
			return r
		}
		return '_'
	}, tool)
	return word[:min(len(word), most)]
}
