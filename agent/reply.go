// This file puts a streamed reply together.
package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
)

const (
	// silence is how long a provider may say nothing. Source: EVENTS, "Deadlines".
	silence = 120 * time.Second
	// replyBytes bounds a reply: many times what any model writes, and no danger to the process.
	replyBytes = 32 << 20
	// deltaEvery is how often deltas are told: faster than that nobody sees, and every one costs a frame.
	deltaEvery = time.Second / 30
)

// reply is what the model has said so far. After stream has returned, nothing changes it any more.
type reply struct {
	model  engine.Model
	id     string // of the message
	begun  bool   // a chunk has come
	usage  engine.Usage
	finish string
	uses   []toolUse

	texts, thoughts strings.Builder
	calls           map[int]*partCall
	order           []int // indexes of calls in the order in which they came
	size            int
}

// partCall is a tool call whose pieces come in.
type partCall struct {
	id, name string
	args     strings.Builder
}

func (r *reply) text() string    { return r.texts.String() }
func (r *reply) thought() string { return r.thoughts.String() }

// stream asks the provider and puts the reply together, telling of its message on the way.
func (a *Agent) stream(ctx context.Context, provider *engine.Provider, model engine.Model, req *engine.ModelRequest) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &sink{a: a, cancel: cancel, r: &reply{model: model, id: a.session.NewID(), calls: map[int]*partCall{}}}
	s.quiet = time.AfterFunc(silence, func() { cancel(fmt.Errorf("nothing came for %s", silence)) })
	finish, err := callProvider(ctx, provider, req, s.chunk)
	if e := context.Cause(ctx); e != nil {
		err = e // whatever the provider makes of it: what it said is not all
	}
	s.close()
	if finish.Usage != nil {
		s.r.usage = *finish.Usage
	}
	s.r.finish = finish.Reason
	if err == nil {
		s.r.uses = a.toolUses(s.r)
	}
	return s.r, err
}

// sink takes chunks from whatever goroutine the provider uses. Once it is closed, nothing gets in.
type sink struct {
	a      *Agent
	cancel context.CancelCauseFunc
	quiet  *time.Timer // fires when nothing has come for too long

	mu     sync.Mutex
	closed bool
	r      *reply
	kind   string // of the deltas held back: text or reasoning
	held   strings.Builder
	told   time.Time   // when deltas were last told
	flush  *time.Timer // tells what is held back; nil = nothing is
}

func (s *sink) chunk(c engine.Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.quiet.Reset(silence)
	if !s.r.begun {
		s.r.begun = true
		s.emit("message_start", nil)
	}
	n := len(c.Text) + len(c.Reasoning)
	if c.ToolCall != nil {
		n += len(c.ToolCall.ArgsDelta)
	}
	if s.r.size += n; s.r.size > replyBytes {
		s.cancel(fmt.Errorf("the reply is larger than %d MB", replyBytes>>20))
		return
	}
	s.r.texts.WriteString(c.Text)
	s.r.thoughts.WriteString(c.Reasoning)
	s.delta("text", c.Text)
	s.delta("reasoning", c.Reasoning)
	if c.ToolCall != nil {
		s.r.part(c.ToolCall)
	}
	if c.Usage != nil {
		s.r.usage = *c.Usage
	}
}

// part adds a piece of a tool call.
func (r *reply) part(d *engine.ToolCallDelta) {
	c := r.calls[d.Index]
	if c == nil {
		c = &partCall{}
		r.calls[d.Index] = c
		r.order = append(r.order, d.Index)
	}
	if d.ID != "" {
		c.id = d.ID
	}
	if d.Name != "" {
		c.name = d.Name
	}
	c.args.WriteString(d.ArgsDelta)
}

// delta tells a piece of the message, now or together with the next ones.
func (s *sink) delta(kind, text string) {
	if text == "" {
		return
	}
	if kind != s.kind {
		s.tell()
		s.kind = kind
	}
	s.held.WriteString(text)
	if s.flush != nil {
		return
	}
	wait := deltaEvery - time.Since(s.told)
	if wait <= 0 {
		s.tell()
		return
	}
	s.flush = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tell()
	})
}

// tell tells what is held back, under the lock: the order of deltas is the order of the text.
func (s *sink) tell() {
	if s.flush != nil {
		s.flush.Stop()
		s.flush = nil
	}
	if s.held.Len() == 0 {
		return
	}
	s.told = time.Now()
	s.a.watch.said(s.kind, s.held.String(), s.held.String())
	s.emit("message_delta", map[string]any{"kind": s.kind, "delta": s.held.String()})
	s.held.Reset()
}

func (s *sink) emit(event string, fields map[string]any) {
	all := map[string]any{"message_id": s.r.id}
	for k, v := range fields {
		all[k] = v
	}
	s.a.engine.Emit(s.a.engine.NewEvent(event, s.a.Envelope(), all))
}

// close ends the message: what comes later comes too late.
func (s *sink) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet.Stop()
	s.tell()
	s.closed = true
	if s.r.begun {
		s.emit("message_end", map[string]any{"text": s.r.text()})
	}
}
