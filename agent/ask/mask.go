// This file masks secrets in what a model is sent.

package ask

import (
	"sync"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/redact"
)

// maskedMessages remembers how messages look when secrets are masked, while the redactors stay the
// same: a message is looked through once.
type maskedMessages struct {
	mu   sync.Mutex
	set  *redact.Set // the redactors that masked seen
	seen map[*chat.Message]*chat.Message
}

// MaskMessages masks secrets in messages. Those without any stay the very same.
func (a *Asker) MaskMessages(messages []*chat.Message) []*chat.Message {
	if !a.engine.Mask.On() {
		return messages
	}
	m := &a.masked
	m.mu.Lock()
	set, old := a.engine.Mask.Set(), m.seen
	if set != m.set {
		old = nil
	}
	m.mu.Unlock()
	out, seen := make([]*chat.Message, len(messages)),
		make(map[*chat.Message]*chat.Message, len(messages))
	for i, x := range messages {
		if out[i] = old[x]; out[i] == nil {
			out[i] = x.Masked(a.engine.Mask) // on no lock: a redactor may be a script's function
		}
		seen[x] = out[i]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set, m.seen = set, seen // only what this request had is needed by the next one
	return out
}
