// This file puts a streamed reply together, and tells of it as it comes.

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
	// silence is how long a provider may say nothing. Source: docs/events.md, "Budgets".
	silence = 120 * time.Second
	// replyBytes bounds a reply: many times what any model writes, and no danger to the process.
	replyBytes = 32 << 20
	// brokenBytes is how large a reply may be of which something stands though it did not come to
	// its end: all that stands is sent with each later request, and with more than a model can say
	// the conversation could not go on.
	brokenBytes = 1 << 20
	// deltaEvery is how often deltas are told: faster than that nobody sees, and every one costs a
	// frame, and a question to the handlers of assistant_message.
	deltaEvery = time.Second / 30
)

// Reply is what came of asking a model. After stream has returned, only the one who asked changes
// it.
type Reply struct {
	Model chat.Model
	Name  string // of the model: provider/id
	ID    string // of the message; "" if it is no part of the conversation
	begun bool   // a chunk has come
	// Scripted says that a script answered in the model's place: that costs nothing.
	Scripted bool
	Usage    chat.Usage
	Cost     *float64 // US dollars; nil = unknown
	Finish   string
	Uses     []ToolUse
	Took     time.Duration

	Own           []byte          // what its provider wants back with it; nil = nothing
	Said, Thought string          // the model's words, as scripts left them
	screen        screen          // what the user sees of them as they come
	Shown         *Shown          // and in the end; nil = the message has not ended
	By            []engine.Author // who rewrote what the model said, or what is seen of it

	Stopped string // by whom, and why: no further model call; "" = go on
}

// sink takes chunks from whatever goroutine the provider uses. Once it is closed, nothing gets in.
// Another goroutine tells of what came: a provider never waits for who listens, and may be a script
// that the listener needs.
type sink struct {
	a      *Asker
	q      *Request
	r      *Reply
	ids    callIDs
	cancel context.CancelCauseFunc
	quiet  *time.Timer   // fires when nothing has come for too long
	wake   chan struct{} // capacity 1: something waits to be told
	ended  chan struct{} // closed when nothing more comes
	told   chan struct{} // closed when all of it was told

	mu     sync.Mutex
	closed bool
	size   int
	texts  words
	mind   words // the reasoning
	calls  map[int]*partCall
	order  []*partCall
	queue  []piece
}

// piece is something to tell: text of the same kind that follows while it waits is told with it.
type piece struct {
	kind string // start, text, reasoning, call, args, warning, source
	text []byte
	call *partCall
	from *chat.Source
}

// stream asks the provider once, and puts the reply together. The message is not over yet when it
// returns: close ends it.
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
		err = e // whatever the provider makes of it: what it said is not all
	}
	s.close(err == nil)
	r.Took = time.Since(start)
	if finish.Usage != nil {
		r.Usage = sane(*finish.Usage)
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
		s.r.Usage = sane(*c.Usage)
	}
	if c.Own != nil {
		s.r.Own = c.Own
	}
	if c.Warning != "" {
		s.pushChunk(piece{kind: "warning", text: []byte(valid(c.Warning))})
	}
	if c.Source != nil {
		s.pushChunk(piece{kind: "source", from: c.Source})
	}
}

// pieceBytes is what a piece counts that may have no text: it must not come for ever either.
const pieceBytes = 64

// part adds a piece of a tool call. The call has begun when its name is known; that settles its id.
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
			c.id = valid(d.ID)
		}
		if c.name = valid(d.Name); c.name == "" {
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

// sayToScreen puts text behind what waits to be told. Under the lock.
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

// pushChunk puts a piece behind those that wait to be told. Under the lock.
func (s *sink) pushChunk(p piece) {
	s.queue = append(s.queue, p)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// close ends the reply: what comes later comes too late. It returns when all was told that came in
// time. whole says that the tool calls are complete.
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
	for _, c := range s.order { // they were never made
		delete(s.ids.taken, c.id)
	}
}

// tellAll tells what comes until there is no more. What comes within deltaEvery is told together.
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
	for _, c := range s.order { // it is closed: nobody else uses them
		if c.begun && s.q.Shown {
			s.a.report.Tell(event.ToolInputEnd{CallID: c.id, Tool: c.name, Kind: c.kind})
		}
	}
}

// takeEvent takes what waits.
func (s *sink) takeEvent() []piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queue
	s.queue = nil
	return queue
}

// tellStream tells of one piece: to who asked, to scripts, and, as far as it may be seen, to the
// user. last says that the reply is over.
func (s *sink) tellStream(ctx context.Context, p piece, last bool) {
	text := string(p.text)
	switch p.kind {
	case "warning":
		s.a.report.Tell(event.LLMWarning{Warnings: []any{text}})
	case "source":
		s.a.report.Tell(event.LLMSource{Kind: valid(p.from.Kind), SourceID: valid(p.from.ID),
			URL: valid(p.from.URL), Title: valid(p.from.Title)})
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
		s.r.screen.pause(ctx) // what was said before the call is shown before it
		s.a.report.Tell(event.ToolInputStart{CallID: p.call.id, Tool: p.call.name,
			Kind: p.call.kind})
	case "args":
		s.a.report.Tell(event.ToolInputDelta{CallID: p.call.id, Tool: p.call.name,
			Kind:  p.call.kind,
			Delta: text})
	}
}
