// This file masks secrets in requests to a model.

package ask

import (
	"sync"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/redact"
)

// maskedMessages caches masked messages while the redactors do not change, so that each message is
// masked once.
type maskedMessages struct {
	mu   sync.Mutex
	set  *redact.Set // the redactors used for seen
	seen map[*chat.Message]*chat.Message
}

// MaskMessages masks secrets in messages. Messages without any are not copied.
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
			out[i] = x.Masked(a.engine.Mask) // no lock: a redactor may be a script's
		}
		seen[x] = out[i]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set, m.seen = set, seen // the next request needs only these
	return out
}
