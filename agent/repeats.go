// This file finds a model that goes round in circles.

package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/agentscripts/agent/agent/ask"
	"github.com/agentscripts/agent/agent/report"
	"github.com/agentscripts/agent/engine/event"
)

// loopAt is how often in a row the same call is made before it looks like a circle: twice may be a
// second try.
const loopAt = 3

// repeats counts the same call in a row.
type repeats struct {
	hash  string
	count int
	told  bool // the user knows
}

// countCall counts a call; count is how often it was made in a row.
func (r *repeats) countCall(u ask.ToolUse) (count int) {
	args, _ := json.Marshal(u.Args) // read from JSON: maps are written in key order
	sum := sha256.Sum256(append([]byte(u.Tool+"\x00"), args...))
	if hash := hex.EncodeToString(sum[:8]); hash != r.hash {
		r.hash, r.count = hash, 0
	}
	r.count++
	return r.count
}

// loops asks what is to be done about a call that was made again and again. It returns why it is
// refused, or "".
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
