// This file asks scripts how the model sees each message (llm_message), once per message.

package ask

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// memories caches the answers of llm_message handlers about messages. They are dropped when the
// handlers change.
type memories struct {
	mu       sync.Mutex
	handlers []*engine.Handler
	of       map[string]*memory // by purpose
}

// memory holds the answers for one purpose: by message, and by content for messages that are
// rebuilt for each request. Answers that the last request did not use are dropped.
type memory struct {
	mu    sync.Mutex
	round int
	same  map[*chat.Message]*answered
	alike map[[sha256.Size]byte]*answered
}

// answered is how the model sees a message.
type answered struct {
	message *chat.Message
	round   int // the round of its last use
}

func (m *memories) get(handlers []*engine.Handler, purpose string) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || !slices.Equal(m.handlers, handlers) {
		m.handlers, m.of = handlers, map[string]*memory{}
	}
	if m.of[purpose] == nil {
		m.of[purpose] = &memory{same: map[*chat.Message]*answered{},
			alike: map[[sha256.Size]byte]*answered{}}
	}
	return m.of[purpose]
}

// forgetAll drops everything, because there are no handlers any more.
func (m *memories) forgetAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handlers, m.of = nil, nil
}

// beginCall begins a request.
func (m *memory) beginCall() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.round++
}

// findEntry returns how the model sees x; nil if no handler was asked.
func (m *memory) findEntry(x *chat.Message) *chat.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.same[x]
	if a == nil {
		if a = m.alike[digest(x)]; a == nil {
			return nil
		}
		m.same[x] = a
	}
	a.round = m.round
	return a.message
}

func (m *memory) keepEntry(x, seen *chat.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := &answered{seen, m.round}
	m.same[x], m.same[seen], m.alike[digest(x)] = a, a, a
}

// sweep drops what neither this request nor the previous one used: llm_request comes later, and may
// add messages.
func (m *memory) sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.same, func(_ *chat.Message,
		a *answered) bool {
		return a.round < m.round-1
	})
	maps.DeleteFunc(m.alike, func(_ [sha256.Size]byte,
		a *answered) bool {
		return a.round < m.round-1
	})
}

// digest returns a hash of a message's content.
func digest(x *chat.Message) [sha256.Size]byte {
	p, err := value.Plain(x)
	if err == nil {
		if b, err := json.Marshal(p); err == nil {
			return sha256.Sum256(b)
		}
	}
	return sha256.Sum256([]byte(x.ID + chat.PlainText(x.Content)))
}

// askEach lets scripts decide how the model sees each message of q. first means the first call for
// a request.
func (a *Asker) askEach(ctx context.Context, q *Request, first bool) error {
	handlers := a.engine.Scripts.Snapshot().Handlers("llm_message")
	if len(handlers) == 0 {
		a.memories.forgetAll()
		return nil
	}
	memory := a.memories.get(handlers, q.Purpose)
	if first {
		memory.beginCall()
		defer memory.sweep()
	}
	own := false
	for i, x := range q.Messages {
		seen := memory.findEntry(x)
		if seen == nil {
			var sure bool
			if seen, sure = a.askMessage(ctx, q.Purpose, x); ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if sure {
				memory.keepEntry(x, seen)
			}
		}
		if seen == x {
			continue
		}
		if !own {
			q.Messages, own = slices.Clone(q.Messages), true
		}
		q.Messages[i] = seen
	}
	return nil
}

// askMessage asks how the model sees x; the answer is sure if no handler failed.
func (a *Asker) askMessage(ctx context.Context, purpose string,
	x *chat.Message) (seen *chat.Message, sure bool) {
	content := x.Content
	ev, v := a.engine.InterceptUnseen(ctx, a.engine.Events.New(a.report.Envelope(),
		event.LLMMessage{Message: x, Purpose: purpose,
			Content: value.NewLazy(func() any { return chat.BlockValues(content) })}))
	// its content has been shown
	a.engine.Emitter.EmitShown(nil, a.engine.Events.New(a.report.Envelope(),
		event.LLMMessage{Purpose: purpose}))
	sure = v.Failed() == nil
	if v.Blocked {
		own := *x
		own.Content = engine.TextResult(v.WithheldText("the message")).Content
		return &own, false
	}
	if !slices.Contains(v.Changed, "content") {
		return x, sure
	}
	own := *x
	own.Content = DecodeBlocks(ev.Field("content"))
	// providers refuse an empty message
	if chat.PlainText(own.Content) == "" && len(own.ToolCalls) == 0 && own.Role != "tool" {
		own.Content = engine.TextResult("(removed by " + report.Rewriters(v) + ")").Content
	}
	return &own, sure
}

// DecodeBlocks decodes content from an event's field.
func DecodeBlocks(v any) []chat.Block {
	p, err := value.Plain(v)
	list, _ := p.([]any)
	if err != nil {
		return nil
	}
	var out []chat.Block
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			out = append(out, chat.Block{Type: value.Text(m, "type"),
				Text:     value.Text(m, "text"),
				MimeType: value.Text(m, "mime_type"), Data: value.Text(m, "data")})
		}
	}
	return out
}
