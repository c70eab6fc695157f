// This file assembles a streamed reply, and reports it as it arrives.

package ask

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

const (
	// silence is how long a provider may send nothing. Source: docs/events.md, "Budgets".
	silence = 120 * time.Second
	// replyBytes limits a reply: many times the length of any reply of a model, and too little to
	// harm the process.
	replyBytes = 32 << 20
	// brokenBytes limits an incomplete reply of which the text is kept: the text is part of each
	// later request, and with more than a model can write the conversation could not continue.
	brokenBytes = 1 << 20
	// deltaEvery is the interval of deltas: faster ones would not be noticed, and each costs a
	// frame and a call of the assistant_message handlers.
	deltaEvery = time.Second / 30
)

// Reply is the reply of a model. After stream has returned, only the caller changes it.
type Reply struct {
	Model chat.Model
	Name  string // of the model: provider/id
	ID    string // of the message; "" if it is not part of the conversation
	begun bool   // a chunk has arrived
	// Scripted means that a script answered in the model's place, which costs nothing.
	Scripted bool
	Usage    chat.Usage
	Cost     *float64 // US dollars; nil = unknown
	Finish   string
	Uses     []ToolUse
	Took     time.Duration

	Own           []byte          // data that its provider needs back; nil = none
	Said, Thought string          // the model's words, as changed by scripts
	screen        screen          // what the user sees while they arrive
	Shown         *Shown          // what the user saw in the end; nil = the message has not ended
	By            []engine.Author // who rewrote the reply, or its visible form

	Stopped string // by whom, and why: no further model call; "" = continue
}

// sink accepts chunks on any goroutine of the provider until it is closed. Another goroutine
// reports them: a provider never waits for listeners, and may be a script that a listener depends
// on.
type sink struct {
	a      *Asker
	q      *Request
	r      *Reply
	ids    callIDs
	cancel context.CancelCauseFunc
	quiet  *time.Timer   // fires after too long a silence
	wake   chan struct{} // capacity 1: signals waiting pieces
	ended  chan struct{} // closed when no more pieces come
	told   chan struct{} // closed when all pieces were reported

	mu     sync.Mutex
	closed bool
	size   int
	texts  words
	mind   words // the reasoning
	calls  map[int]*partCall
	order  []*partCall
	queue  []piece
}

// piece is something to report: waiting text of the same kind is merged.
type piece struct {
	kind string // start, text, reasoning, call, args, warning, source
	text []byte
	call *partCall
	from *chat.Source
}

// stream makes one attempt and assembles the reply. It does not end the message: that is up to the
// caller.
func (a *Asker) stream(ctx context.Context, q *Request, provider *engine.Provider,
	req *chat.Request, r *Reply) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if q.Shown {
		r.ID = a.o.NewID()
	}
	s := &sink{a: a, q: q, r: r, ids: a.callIDs(q), cancel: cancel, calls: map[int]*partCall{},
		wake: make(chan struct{}, 1), ended: make(chan struct{}), told: make(chan struct{})}
	r.screen = screen{a: a, id: r.ID, branch: sync.OnceValue(a.report.Envelope().Branch)}
	s.quiet = time.AfterFunc(silence, func() { cancel(errSilent) })
	start := time.Now()
	go s.tellAll(ctx)
	finish, err := callProvider(ctx, provider, req, s.chunk)
	if e := context.Cause(ctx); e != nil {
		err = e // whatever the provider returns: the reply is incomplete
	}
	s.close(err == nil)
	r.Took = time.Since(start)
	if finish.Usage != nil {
		r.Usage = clampUsage(*finish.Usage)
	}
	r.Finish = finish.Reason
	return err
}

func (s *sink) chunk(c chat.Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.quiet.Reset(silence)
	if !s.r.begun {
		s.r.begun = true
		s.pushChunk(piece{kind: "start"})
	}
	n := len(c.Text) + len(c.Reasoning) + len(c.Own)
	if c.ToolCall != nil {
		n += len(c.ToolCall.ID) + len(c.ToolCall.Name) + len(c.ToolCall.ArgsDelta) + pieceBytes
	}
	if c.Warning != "" || c.Source != nil {
		n += len(c.Warning) + pieceBytes
	}
	if s.size += n; s.size > replyBytes {
		s.cancel(fmt.Errorf("the reply is larger than %d MB", replyBytes>>20))
		return
	}
	s.sayToScreen("text", nil, s.texts.addWords(c.Text))
	s.sayToScreen("reasoning", nil, s.mind.addWords(c.Reasoning))
	if c.ToolCall != nil {
		s.part(c.ToolCall)
	}
	if c.Usage != nil {
		s.r.Usage = clampUsage(*c.Usage)
	}
	if c.Own != nil {
		s.r.Own = c.Own
	}
	if c.Warning != "" {
		s.pushChunk(piece{kind: "warning", text: []byte(validUTF8(c.Warning))})
	}
	if c.Source != nil {
		s.pushChunk(piece{kind: "source", from: c.Source})
	}
}

// pieceBytes is the counted size of an empty piece, because the number of these is limited, too.
const pieceBytes = 64

// part adds a piece of a tool call. The call begins when its name is known, which makes its id
// final.
func (s *sink) part(d *chat.ToolCallDelta) {
	c := s.calls[d.Index]
	if c == nil {
		c = &partCall{index: d.Index}
		s.calls[d.Index] = c
		s.order = append(s.order, c)
	}
	text := c.args.addWords(d.ArgsDelta)
	if !c.begun {
		if d.ID != "" {
			c.id = validUTF8(d.ID)
		}
		if c.name = validUTF8(d.Name); c.name == "" {
			return
		}
		c.begun, c.id, c.kind = true, s.ids.claim(c.id), "other"
		if t := s.a.engine.Scripts.Snapshot().Tool(c.name); t != nil {
			c.kind = t.Kind
		}
		s.pushChunk(piece{kind: "call", call: c})
		text = c.args.String()
	}
	s.sayToScreen("args", c, text)
}

// sayToScreen appends text to the waiting pieces. Called under the lock.
func (s *sink) sayToScreen(kind string, c *partCall, text string) {
	if text == "" {
		return
	}
	if n := len(s.queue) - 1; n >= 0 && s.queue[n].kind == kind && s.queue[n].call == c {
		s.queue[n].text = append(s.queue[n].text, text...)
		return
	}
	s.pushChunk(piece{kind: kind, call: c, text: []byte(text)})
}

// pushChunk appends a piece to the waiting ones. Called under the lock.
func (s *sink) pushChunk(p piece) {
	s.queue = append(s.queue, p)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close ends the reply: later pieces are dropped. It returns when all earlier ones have been
// reported. whole means that the tool calls are complete.
func (s *sink) close(whole bool) {
	s.mu.Lock()
	s.quiet.Stop()
	s.sayToScreen("text", nil, s.texts.endWords())
	s.sayToScreen("reasoning", nil, s.mind.endWords())
	for _, c := range s.order {
		s.sayToScreen("args", c, c.args.endWords())
	}
	s.closed = true
	s.mu.Unlock()
	close(s.ended)
	<-s.told
	if whole || s.size <= brokenBytes {
		s.r.Said, s.r.Thought = s.texts.String(), s.mind.String()
	}
	if whole {
		s.r.Uses = toolUses(s.order, s.ids)
		return
	}
	for _, c := range s.order { // they will not be made
		delete(s.ids.taken, c.id)
	}
}

// tellAll reports pieces until there are no more. It merges those that arrive within deltaEvery.
func (s *sink) tellAll(ctx context.Context) {
	defer close(s.told)
	for last := false; !last; {
		select {
		case <-s.wake:
		case <-s.ended:
		}
		select {
		case <-time.After(deltaEvery):
		case <-s.ended:
			last = true
		}
		for _, p := range s.takeEvent() {
			s.tellStream(ctx, p, last)
		}
	}
	for _, c := range s.order { // the sink is closed: nothing else uses them
		if c.begun && s.q.Shown {
			s.a.report.Tell(event.ToolInputEnd{CallID: c.id, Tool: c.name, Kind: c.kind})
		}
	}
}

// takeEvent removes and returns the waiting pieces.
func (s *sink) takeEvent() []piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queue
	s.queue = nil
	return queue
}

// tellStream reports one piece to the caller, to scripts and, in its visible form, to the user.
// last means that the reply has ended.
func (s *sink) tellStream(ctx context.Context, p piece, last bool) {
	text := string(p.text)
	switch p.kind {
	case "warning":
		s.a.report.Tell(event.LLMWarning{Warnings: []any{text}})
	case "source":
		s.a.report.Tell(event.LLMSource{Kind: validUTF8(p.from.Kind),
			SourceID: validUTF8(p.from.ID), URL: validUTF8(p.from.URL),
			Title: validUTF8(p.from.Title)})
	case "text", "reasoning":
		if s.q.OnDelta != nil {
			s.q.OnDelta(p.kind, text)
		}
	}
	if !s.q.Shown {
		return
	}
	switch p.kind {
	case "start":
		s.a.report.Tell(event.MessageStart{MessageID: s.r.ID})
	case "text", "reasoning":
		s.r.screen.addText(ctx, p.kind, text, last)
	case "call":
		s.r.screen.pause(ctx) // the text before the call is shown before it
		s.a.report.Tell(event.ToolInputStart{CallID: p.call.id, Tool: p.call.name,
			Kind: p.call.kind})
	case "args":
		s.a.report.Tell(event.ToolInputDelta{CallID: p.call.id, Tool: p.call.name,
			Kind:  p.call.kind,
			Delta: text})
	}
}
