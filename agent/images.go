// This file checks the images that are attached to a prompt.

package agent

import (
	"fmt"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine/chat"
)

// attachments finds what an input names, and checks what is attached to it.
type attachments struct {
	dir    string // base of relative paths
	home   string // the user's, which ~ means
	report *report.Reporter
}

// usable returns the images that models accept. It reports and drops the others, which a client or
// a script may have sent.
func (i attachments) usable(images []chat.Block) []chat.Block {
	var out []chat.Block
	for _, b := range images {
		picture, err := tool.PictureOf(b)
		if err != nil {
			i.report.Notify("warn", fmt.Sprintf("an image is not sent: %v", err))
			continue
		}
		out = append(out, picture)
	}
	return out
}
