// This file detects a model that loops.

package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/agentscripts/agent/agent/internal/ask"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine/event"
)

// loopAt is how many identical calls in a row look like a loop: two may be a second try.
const loopAt = 3

// repeats counts identical calls in a row.
type repeats struct {
	hash  string
	count int
	told  bool // the user has been notified
}

// countCall counts a call; count is the number of identical calls in a row.
func (r *repeats) countCall(u ask.ToolUse) (count int) {
	args, _ := json.Marshal(u.Args) // maps are encoded in key order
	sum := sha256.Sum256(append([]byte(u.Tool+"\x00"), args...))
	if hash := hex.EncodeToString(sum[:8]); hash != r.hash {
		r.hash, r.count = hash, 0
	}
	r.count++
	return r.count
}

// loops decides about a repeated call. It returns why the call is refused, or "".
func (p *prompt) loops(u ask.ToolUse) string {
	count := p.repeats.countCall(u)
	if count < loopAt {
		return ""
	}
	_, v := p.a.engine.Intercept(p.ctx, p.a.engine.Events.New(p.a.Envelope(),
		event.LoopDetected{Tool: u.Tool, Count: count, ArgsHash: p.repeats.hash}))
	why := ""
	switch {
	case v.Blocked:
		why = report.Reason("refused", v)
	case len(v.Asks) > 0:
		why = p.askUser(v.Asks)
	case !p.repeats.told:
		p.repeats.told = true
		p.a.report.Notify("warn",
			fmt.Sprintf("the model has made the same call of %s %d times in a row; Esc ends it",
				u.Tool, count))
	}
	return why
}
