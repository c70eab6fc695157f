// This file converts the fields of events to Go types, and outcomes to the values that handlers
// return. An event's values are plain data of the types in its row; a value of another type is read
// as zero.

package hook

import (
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

func text(ev *event.Event, key string) string { return ev.Text(key) }

func truth(ev *event.Event, key string) bool {
	b, _ := ev.Field(key).(bool)
	return b
}

func number(ev *event.Event, key string) float64 {
	n, _ := value.Number(ev.Field(key))
	return n
}

// known returns nil if the field is missing: an unknown cost is not 0.
func known(ev *event.Event, key string) *float64 {
	if n, ok := value.Number(ev.Field(key)); ok {
		return &n
	}
	return nil
}

func integer(ev *event.Event, key string) int { return int(number(ev, key)) }

func table(ev *event.Event, key string) map[string]any {
	v, err := value.Plain(ev.Field(key))
	if err != nil {
		return nil
	}
	m, _ := v.(map[string]any)
	return m
}

// list returns a function that reads a list, which may be long, on demand.
func list(ev *event.Event, key string) func() []any {
	return func() []any {
		v, err := value.Plain(ev.Field(key))
		if err != nil {
			return nil
		}
		l, _ := v.([]any)
		return l
	}
}

func blocks(ev *event.Event, key string) func() []chat.Block {
	return func() []chat.Block {
		v, err := value.Plain(ev.Field(key))
		if err != nil {
			return nil
		}
		r, err := engine.DecodeResult(map[string]any{"content": v})
		if err != nil {
			return nil
		}
		return r.Content
	}
}

func messages(ev *event.Event, key string) func() []*chat.Message {
	return func() []*chat.Message {
		l, err := chat.DecodeMessages(ev.Field(key))
		if err != nil {
			return nil
		}
		return l
	}
}

func message(ev *event.Event, key string) func() *chat.Message {
	return func() *chat.Message {
		l, err := chat.DecodeMessages([]any{ev.Field(key)})
		if err != nil || len(l) == 0 {
			return nil
		}
		return l[0]
	}
}

func uses(ev *event.Event, key string) func() []chat.ToolUse {
	return func() []chat.ToolUse {
		v, err := value.Plain(ev.Field(key))
		if err != nil {
			return nil
		}
		l, err := chat.DecodeToolUses(v)
		if err != nil {
			return nil
		}
		return l
	}
}

// outcome collects the set fields of an outcome.
type outcome map[string]any

func (o outcome) flag(key string, b bool) {
	if b {
		o[key] = true
	}
}

func (o outcome) text(key, s string) {
	if s != "" {
		o[key] = s
	}
}

func (o outcome) number(key string, n float64) {
	if n != 0 {
		o[key] = n
	}
}

func (o outcome) any(key string, v any) {
	if v != nil {
		o[key] = v
	}
}

func pointer[T any](o outcome, key string, p *T) {
	if p != nil {
		o[key] = *p
	}
}

func (o outcome) table(key string, m map[string]any) {
	if m != nil {
		o[key] = m
	}
}

func (o outcome) list(key string, l []any) {
	if l != nil {
		o[key] = l
	}
}

func (o outcome) blocks(key string, l []chat.Block) {
	if l != nil {
		o[key] = chat.BlockValues(l)
	}
}

func (o outcome) messages(key string, l []*chat.Message) {
	if l == nil {
		return
	}
	out := make([]any, len(l))
	for i, m := range l {
		out[i] = m
	}
	o[key] = out
}

func (o outcome) uses(key string, l []chat.ToolUse) {
	if l != nil {
		o[key] = chat.ToolUseValues(l)
	}
}

// value returns a handler's return value: nil = continue.
func (o outcome) value() any {
	if len(o) == 0 {
		return nil
	}
	return map[string]any(o)
}
