// This file masks what must not be seen: texts, values, messages, and what handlers read of the
// conversation.

package engine

import (
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/redact"
	"github.com/agentscripts/agent/engine/value"
)

// Masks reports whether a redactor is registered: one look at the Snapshot.
func (e *Engine) Masks() bool { return e.current.Load().redaction != nil }

// Mask returns text as it may be seen: what redactors match is replaced by [redacted:NAME]. If a
// redactor's function fails, the whole text is: better nothing is seen than what must not be. Do
// not call it on a goroutine that holds the turn of a VM (a host function that does not wait): see
// MaskThen.
func (e *Engine) Mask(text string) string {
	red := e.current.Load().redaction
	if red == nil {
		return text
	}
	return red.Look(true).Text(text)
}

// MaskPatterns is Mask without the functions of scripts, for where those cannot be called.
func (e *Engine) MaskPatterns(text string) string {
	red := e.current.Load().redaction
	if red == nil {
		return text
	}
	return red.Look(false).Text(text)
}

// MaskValue returns v with every string in it masked. What does not change is not copied; lazy data
// is masked when it is read. See Mask for where it must not be called.
func (e *Engine) MaskValue(v any) any {
	red := e.current.Load().redaction
	if red == nil {
		return v
	}
	return red.Look(true).Value(v)
}

// MaskMessage returns m as it may be sent to a model and written down: the very same if nothing in
// it is masked.
func (e *Engine) MaskMessage(m *Message) *Message {
	red := e.current.Load().redaction
	if red == nil || m == nil {
		return m
	}
	return m.maskedBy(red.Look(true))
}

// MaskBlocks returns content as it may be seen: the very same if nothing in it is masked.
func (e *Engine) MaskBlocks(content []Block) []Block {
	red := e.current.Load().redaction
	if red == nil {
		return content
	}
	return maskBlocks(red.Look(true), content)
}

// MaskedBy implements redact.Maskable.
func (msg *Message) MaskedBy(m *redact.Look) (any, bool) {
	c := msg.maskedBy(m)
	return c, c != msg
}

func (msg *Message) maskedBy(m *redact.Look) *Message {
	c := *msg
	changed := false
	if blocks := maskBlocks(m, msg.Content); len(blocks) > 0 && &blocks[0] != &msg.Content[0] {
		c.Content, changed = blocks, true
	}
	if c.Reasoning = m.Text(msg.Reasoning); c.Reasoning != msg.Reasoning {
		c.Own, changed = nil, true // the provider's copy holds what is masked
	}
	for i, u := range msg.ToolCalls {
		args, other := m.Masked(u.Args, nil)
		if !other {
			continue
		}
		if &c.ToolCalls[0] == &msg.ToolCalls[0] {
			c.ToolCalls = append([]ToolUse(nil), msg.ToolCalls...)
		}
		c.ToolCalls[i].Args, _ = args.(map[string]any)
		changed = true
	}
	if !changed {
		return msg
	}
	return &c
}

// maskBlocks returns content masked: the very same if nothing in it is.
func maskBlocks(m *redact.Look, content []Block) []Block {
	out := content
	for i, b := range content {
		s := m.Text(b.Text)
		if s == b.Text {
			continue
		}
		if &out[0] == &content[0] {
			out = append([]Block(nil), content...)
		}
		out[i].Text = s
	}
	return out
}

// eventForHandler returns ev as a handler reads it: with its text masked, because a script may hand
// on what it reads, to a program, a file or a server. The events of a tool call stay as they are:
// arguments are judged as they will run, output and results were masked before. So do the events of
// scripts. Do not call it on a goroutine that holds the turn of a VM.
func (e *Engine) eventForHandler(ev *Event) *Event {
	red := e.current.Load().redaction
	if red == nil || ev.touches != nil || ev.row.Name == "tool_output" || customName(ev.row.Name) {
		return ev
	}
	return maskFields(red.Look(!ev.bare), ev, true)
}

// NewSecret makes a secret of a value: in form, which has one %s ("Bearer %s"), the value stands
// for that. From now on the value is masked in all output, as Options.Secrets are; one of less than
// 8 bytes is not.
func (e *Engine) NewSecret(name, val, form string) *value.Secret {
	e.swapMu.Lock()
	defer e.swapMu.Unlock()
	if !slices.Contains(e.opts.Secrets, val) {
		e.opts.Secrets = append(slices.Clone(e.opts.Secrets), val)
		e.secrets = redact.Secrets(e.opts.Secrets)
		e.swap(e.gens, e.shadows)
	}
	return value.HideText(name, strings.Replace(form, "%s", val, 1))
}

// Masker masks a text that comes in pieces, with the redactors that are registered as each piece
// comes. What may be the beginning of something that is masked is held back until that is decided.
// A nil Masker masks nothing. One goroutine at a time may use it, and none that holds the turn of a
// VM.
type Masker struct {
	e *Engine
	p redact.Pieces
}

// NewMasker returns a Masker for what the tool writes down while it runs, and after that.
func (u *Use) NewMasker() *Masker {
	if u.engine == nil {
		return nil
	}
	return &Masker{e: u.engine}
}

// Add returns what may be seen now that piece has come.
func (m *Masker) Add(piece string) string {
	if m == nil {
		return piece
	}
	red := m.e.current.Load().redaction
	if red == nil && !m.p.Holds() {
		m.p.Forget()
		return piece
	}
	return m.p.Add(red.Look(true), piece)
}

// End returns what was held back: nothing more comes.
func (m *Masker) End() string {
	if m == nil {
		return ""
	}
	return m.p.End(m.e.current.Load().redaction.Look(true))
}
